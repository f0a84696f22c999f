package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

func (t judge) settleMissing() {
	var list, empty []int
	values := 0
	for c := range t.columns {
		switch col := &t.columns[c]; {
		case col.gaps > 0 && col.count == 0 && col.role == feature:
			empty = append(empty, c)
		case col.gaps > 0:
			list, values = append(list, c), values+col.gaps
		}
	}
	if empty != nil && len(t.lines) > 0 {
		t.report(t.inColumn(empty[0], t.firstGap(empty[0]), remedied(errors.New("every value is missing"), t.leaving(empty))))
	}
	fills := t.o.Missing == missingMean || t.o.Missing == Median
	switch {
	case t.o.Missing == missingDrop && len(t.lines) == 0:
		t.report(fmt.Errorf("each of the %d rows has a missing value: missing: drop leaves none", t.rows))
		return
	case t.o.Missing == missingDrop && len(t.lines) < t.rows:
		n, lines, word, more := t.rows-len(t.lines), t.dropped[:min(len(t.dropped), someMost)], "lines", ""
		if n == 1 {
			word = "line"
		} else if n > len(lines) {
			more = ", ..."
		}
		t.say("left out for missing values: %d of %d rows, %s %s%s", n, t.rows, word, some(lines), more)
	case values == 0:
	case !fills:
		t.refuseMissing(list, values)
		return
	case t.target >= 0 && t.columns[t.target].gaps > 0:
		t.refuseMissing([]int{t.target}, t.columns[t.target].gaps)
	case t.o.Missing == missingMean:
		t.say("%d missing values filled by means", values)
	default:
		t.say("%d missing values to fill by medians", values)
	}
}

func (t judge) firstGap(c int) int {
	return t.lines[slices.IndexFunc(t.columns[c].values, math.IsNaN)]
}

func (t judge) refuseMissing(list []int, values int) {
	const most = 5
	first := slices.MinFunc(list, func(a, b int) int { return cmp.Compare(t.firstGap(a), t.firstGap(b)) })
	var words []string
	encoded := false
	for k, c := range list {
		if k < most {
			words = append(words, t.inColumn(c, t.firstGap(c), fmt.Errorf("%d", t.columns[c].gaps)).Error())
		}
		encoded = encoded || t.columns[c].role == feature && t.columns[c].words != nil
	}
	more := ""
	if len(list) > most {
		more = fmt.Sprintf("; and %d more columns", len(list)-most)
	}
	remedies := []Remedy{
		remedy("fills in the medians of the training rows", "missing: median"), remedy("the means of all rows", "missing: mean"),
		remedy("leaves the rows out", "missing: drop"),
	}
	what := ""
	if slices.Contains(list, t.target) {
		remedies, what = remedies[2:], fmt.Sprintf(", %d of them in the target", t.columns[t.target].gaps)
		if len(list) == 1 {
			what = " in the target"
		}
	}
	if t.inQuotes > 0 {
		remedies = append(remedies, remedy(fmt.Sprintf("makes text of %d of them that are in quotes", t.inQuotes), "keep_quoted: true"))
	}
	if encoded && len(t.marks) == 0 && len(t.seen) > 0 {
		remedies = append(remedies, remedy("makes text of other marks", `missing_marks: ["?"]`))
	}
	if label := t.labelling(); label.Options != nil && slices.Contains(list, t.target) {
		remedies = slices.Insert(remedies, 0, label)
	}
	t.report(t.inColumn(first, t.firstGap(first), remedied(fmt.Errorf("%d missing values%s, by column and first line: %s%s", values, what, strings.Join(words, "; "), more), remedies...)))
}

// labelling is the remedy that makes a label of the mark of missing values in the target where its
// other rows have one class.
func (t judge) labelling() Remedy {
	if t.target < 0 || t.columns[t.target].words == nil || len(t.columns[t.target].words.list) > 1 ||
		t.unlabelled == "" || t.unlabelled == "?" || t.o.Marks != nil || slices.Contains(t.seen, t.unlabelled) {
		return Remedy{}
	}
	marks := t.seen
	if len(marks) == 0 {
		marks = []string{"?"}
	}
	r := remedy(fmt.Sprintf("makes a label of %q", t.unlabelled), "missing_marks: "+quotedList(marks))
	if t.o.Missing == "" && slices.ContainsFunc(t.columns, func(c column) bool { return c.role == feature && c.gaps > 0 }) {
		r.Options = append(r.Options, "missing: median")
	}
	return r
}

// mean cannot overflow.
func mean(values []float64) float64 {
	sum, scaled := 0.0, 0.0
	for _, v := range values {
		sum += v
		scaled += v / float64(len(values))
	}
	if NotFinite(sum) {
		return scaled
	}
	return sum / float64(len(values))
}

func (d *Dataset) Gaps() bool { return slices.ContainsFunc(d.X, math.IsNaN) }

// fill uses medians of the training rows.
func (s Settings) fill(x []float64, features []string, train []int) error {
	first := slices.IndexFunc(x, math.IsNaN)
	if first < 0 {
		return nil
	}
	d := len(features)
	if s.Missing != Median {
		return fmt.Errorf("row %d, feature %s: the value is missing", first/d, features[first%d])
	}
	if j := fill(x, d, train, MedianOf); j >= 0 {
		return fmt.Errorf("feature %s: all its %d values of the training part are missing: there is no median", features[j], len(train))
	}
	return nil
}

// fill replaces the missing values of each column of x by a function of the others in some rows. It
// returns a column in which all of these are missing, -1 if there is none.
func fill(x []float64, d int, rows []int, of func(values []float64) float64) (empty int) {
	var values []float64
	for j := range d {
		missing := false
		for k := j; k < len(x); k += d {
			missing = missing || math.IsNaN(x[k])
		}
		if !missing {
			continue
		}
		values = values[:0]
		for _, row := range rows {
			if v := x[row*d+j]; !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			return j
		}
		middle := of(values)
		for k := j; k < len(x); k += d {
			if math.IsNaN(x[k]) {
				x[k] = middle
			}
		}
	}
	return -1
}

// MedianOf sorts the values, which may be infinite.
func MedianOf(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	low, high := values[(n-1)/2], values[n/2]
	if low == high {
		return low
	}
	return low/2 + high/2 // cannot overflow
}

// mark is a text of [Options.Marks].
type mark struct {
	text   string
	number float64
	kind   kind
	used   bool
}

func (o *Options) marks() (list []mark) {
	for _, text := range o.Marks {
		m := mark{text: text}
		if m.number, m.kind = o.number([]byte(text)); m.kind != isNumber {
			m.number, m.kind = parse([]byte(text))
		}
		list = append(list, m)
	}
	return list
}

// parse is [Options.number] with the given marks of missing values.
func (t *table) parse(b []byte) (float64, kind) {
	v, kind := t.o.number(b)
	if t.marks == nil || len(b) == 0 {
		return v, kind
	}
	for i := range t.marks {
		if m := &t.marks[i]; m.text == string(b) || kind == isNumber && m.kind == isNumber && m.number == v {
			m.used = true
			return 0, isMissing
		}
	}
	if kind == isMissing {
		kind = isText
	}
	return v, kind
}
