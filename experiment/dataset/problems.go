package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/internal/lists"
)

// Bounds of what is kept of a column's texts: different ones that do not fit, those of a column of
// text, and those that are named as marks of missing values.
const (
	mostTexts  = 64
	mostWords  = 10_000
	mostValues = 100 // of a column that is likely one of categories
	mostMarks  = 10
)

// refusals are the values that do not fit a column.
type refusals struct {
	count int
	line  int      // of the first
	kind  kind     // of the first
	list  []string // the first different ones
}

func (r *refusals) note(line int, text []byte, kind kind) {
	if r.count++; r.count == 1 {
		r.line, r.kind = line, kind
	}
	if len(r.list) < mostTexts && !slices.Contains(r.list, string(text)) {
		r.list = append(r.list, string(text))
	}
}

// refuse notes a value that does not fit the column, whose place infinity takes.
func (t *table) refuse(c int, text []byte, kind kind) {
	col := &t.columns[c]
	col.refused.note(t.lines[len(t.lines)-1], text, kind)
	col.extend(len(t.lines) - 1)
	col.values = append(col.values, math.Inf(1))
}

func (r *reading) report(err error) { r.problems = append(r.problems, readError(err)) }

// judge finds what is wrong with a table, and options that settle it.
type judge struct{ *table }

type cause int

const (
	fitting     cause = iota
	textual           // text, where numbers are expected
	identifying       // text of very many values
	mixing            // text and numbers
	marked            // few texts among numbers
	numeric           // text that looks like numbers
	strange           // infinite, or not declared
)

func (t judge) causeOf(c int) cause {
	col, r := &t.columns[c], &t.columns[c].refused
	words := col.words != nil && !col.words.declared && !col.words.listed
	switch {
	case col.role == dropped || r.count == 0 && !words:
		return fitting
	case r.count > 0 && (t.delim == 0 || r.kind == isInfinite || col.words != nil && col.words.declared):
		return strange
	case words && col.role == target && r.count == 0:
		return t.causeOfLabels(c)
	case t.looksNumeric(c):
		return numeric
	case r.count > 0:
		return t.causeOfRefusal(c)
	case t.o.Encode == encodeOneHot:
		return fitting
	case col.count >= countingRows && (2*len(col.words.list) > col.count || len(col.words.list) > mostValues):
		return identifying
	}
	return textual
}

func (t judge) causeOfLabels(c int) cause {
	texts, plain := t.columns[c].words.texts()
	switch {
	case !t.o.Classes.isZero() || t.o.Task != "":
		return fitting
	case t.looksNumeric(c):
		return numeric
	case len(texts) <= mostMarks && plain > 2*mostMarks:
		return marked
	}
	return fitting
}

func (t judge) causeOfRefusal(c int) cause {
	col, r := &t.columns[c], &t.columns[c].refused
	switch {
	case len(t.unfit(c)) <= mostMarks && (r.kind == isNumber) == (2*r.count > col.count):
		return marked
	case col.role == feature:
		return mixing
	}
	return textual
}

// reportMisfits reports the columns with values that do not fit, those of one cause together.
func (t judge) reportMisfits() {
	of := map[cause][]int{}
	var encoded []int
	for c := range t.columns {
		col, why := &t.columns[c], t.causeOf(c)
		of[why] = append(of[why], c)
		if why == textual && col.role == feature || why == fitting && col.role == feature && col.words != nil && !col.words.declared {
			encoded = append(encoded, c)
		}
	}
	onehot := func(list []int) Remedy {
		return remedy("makes each of their values a feature", "encode: {onehot: "+t.refs(slices.Concat(encoded, list))+"}")
	}
	encode := remedy("makes each value of text a feature", "encode: onehot")
	if of[mixing] != nil {
		encode = onehot(of[mixing])
	}
	if slices.Contains(of[textual], t.target) {
		t.reportColumns([]int{t.target}, remedy("takes the target's values for labels", "task: classification"))
		of[textual] = slices.DeleteFunc(of[textual], func(c int) bool { return c == t.target })
	}
	for _, why := range []cause{textual, mixing} {
		t.reportColumns(of[why], encode, t.leaving(of[why]))
	}
	t.reportColumns(of[marked], t.marking(of[marked]), onehot(of[marked]))
	t.reportColumns(of[strange], t.leaving(of[strange]), t.marking(of[strange]))
	rest := t.reportNumbers(of[numeric])
	leaving, plain := t.leaving(slices.Concat(of[identifying], rest)), func(list []int) {
		if slices.ContainsFunc(list, func(c int) bool { return slices.Contains(rest, c) || t.mostly(c, measured.MatchString) }) {
			last := t.problems[len(t.problems)-1]
			last.Err = fmt.Errorf("%w; units, currencies, dates and other marks are not read: write plain numbers", last.Err)
		}
	}
	t.reportColumns(of[identifying], leaving, encode)
	plain(of[identifying])
	t.reportColumns(rest, leaving)
	plain(rest)
}

// texts returns the words that are no numbers, and counts those that are.
func (w *words) texts() (texts []string, numbers int) {
	for _, l := range w.labels() {
		if l.isText {
			texts = append(texts, l.text)
		} else {
			numbers++
		}
	}
	return texts, numbers
}

// reportColumns reports columns of one cause at the place of the first.
func (t judge) reportColumns(list []int, remedies ...Remedy) {
	if len(list) == 0 {
		return
	}
	var all ReadErrors
	for _, c := range list {
		t.columns[c].reported = true
		line, err := t.misfit(c)
		all = append(all, readError(t.inColumn(c, line, err)))
	}
	slices.SortStableFunc(all, func(a, b *ReadError) int { return cmp.Compare(a.Line, b.Line) })
	first := all[0]
	for i, other := range all[1:] {
		if i == someMost {
			first.Err = fmt.Errorf("%w; and %d more columns", first.Err, len(all)-1-i)
			break
		}
		first.Err = fmt.Errorf("%w; %w", first.Err, other)
	}
	if first.Remedies = remedies; slices.Contains(list, t.target) {
		first.Remedies = slices.DeleteFunc(remedies, func(r Remedy) bool {
			return strings.HasPrefix(r.Options[0], "drop:") || strings.HasPrefix(r.Options[0], "encode:")
		})
	}
	t.report(first)
}

// misfit is the first value of a column that does not fit.
func (t judge) misfit(c int) (line int, err error) {
	col, r := &t.columns[c], &t.columns[c].refused
	many, text := "", ""
	if r.count > 1 {
		many = fmt.Sprintf(" (%d values)", r.count)
	}
	if r.count == 0 || r.kind == isNumber {
		first := append(t.unfit(c), col.words.list...)[0]
		line, text = col.line, short([]byte(first))
		if place := slices.Index(col.values, float64(col.words.places[first])); place >= 0 {
			line = t.lines[place]
		}
	} else {
		line, text = r.line, short([]byte(r.list[0]))
	}
	switch {
	case r.kind == isInfinite:
		return line, fmt.Errorf("%q is infinite%s: allowed are finite numbers", text, many)
	case col.words != nil && col.words.declared:
		return line, fmt.Errorf("%q is not among the %d values declared%s: %s", text, len(col.words.list), many, some(col.words.list))
	case r.count > 0 && r.kind == isNumber:
		return line, fmt.Errorf("text %q where line %d has the number %s%s", text, r.line, r.list[0], many)
	}
	return line, fmt.Errorf("text %q in a number column%s", text, many)
}

// leaving is the remedy that leaves columns out, with those that are left out already.
func (t judge) leaving(list []int) Remedy {
	for _, ref := range t.o.Drop {
		if at, err := t.find(ref); err == nil {
			list = append(slices.Clone(list), at)
		}
	}
	if len(list) == 1 {
		return remedy("leaves the column out", "drop: "+t.ref(list[0]))
	}
	return remedy("leaves the columns out", "drop: "+t.refs(list))
}

func (t judge) refs(list []int) string {
	return "[" + strings.Join(lists.Map(slices.Compact(slices.Sorted(slices.Values(list))), t.ref), ", ") + "]"
}

// marking is the remedy that takes the texts of columns for missing values, with the other marks.
func (t judge) marking(list []int) Remedy {
	marks, how := t.seen, Median
	if t.o.Marks != nil {
		marks = t.o.Marks
	}
	for _, c := range list {
		marks = slices.Concat(marks, t.unfit(c))
	}
	slices.Sort(marks)
	r := remedy("takes it for a missing value", "missing_marks: "+quotedList(slices.Compact(marks)))
	if t.target >= 0 && (slices.Contains(list, t.target) || t.columns[t.target].gaps > 0) {
		how = missingDrop
	}
	if t.o.Missing == "" || t.o.Missing == missingRefuse {
		r.Options = append(r.Options, "missing: "+how)
	}
	return r
}

func quotedList(texts []string) string {
	return "[" + strings.Join(lists.Map(texts, strconv.Quote), ", ") + "]"
}

// numberLike matches decimal commas, separated thousands, currencies, percent, single quotes and other
// minus signs; measured also units, dates, times and ranges.
var (
	numberLike = regexp.MustCompile(`^[+'(-]?[$€£¥]? ?[+-]?(\d{1,3}([., '’\x{a0}\x{202f}\x{2009}]\d{3})+|\d+)?(([.,]\d+)?([eE][+-]?\d+)?|[.,]\d*[dD][+-]?\d+) ?[%€$£¥')-]?$`)
	measured   = regexp.MustCompile(`^([A-Z]{3} |[^\pL\d]{0,2})\d[\d.,:/'’ _-]*\D{0,6}$`)
)

func looksNumber(text string) bool {
	return strings.ContainsAny(text, "0123456789") && numberLike.MatchString(text)
}

// unfit are the different texts of a column that are no numbers.
func (t judge) unfit(c int) []string {
	col := &t.columns[c]
	list := slices.Clone(col.refused.list)
	if col.words != nil {
		list = append(list, col.words.list...)
	}
	return slices.DeleteFunc(list, func(text string) bool { _, kind := t.o.number([]byte(text)); return kind == isNumber })
}

// looksNumeric reports whether most texts of a column look like numbers.
func (t judge) looksNumeric(c int) bool { return t.mostly(c, looksNumber) }

func (t judge) mostly(c int, alike func(text string) bool) bool {
	list := t.unfit(c)
	rest := slices.DeleteFunc(slices.Clone(list), alike)
	return 2*len(rest) < len(list)
}

// punctuation returns the options with which all texts of columns that look like numbers are some.
func (t judge) punctuation(list []int) (remedies []Remedy) {
	mark := cmp.Or(t.o.Decimal, decimalPoint)
	other := otherMark[mark]
	try := func(decimal, thousands string) {
		o, changed := Options{Decimal: decimal, Thousands: thousands}, decimal != mark
		if decimal == thousands || changed && (t.pointed || t.grouped && thousands != mark) ||
			remedies != nil && (t.delim == ',' || changed && thousands != "") {
			return
		}
		for _, c := range list {
			for _, text := range t.unfit(c) {
				if _, kind := o.number([]byte(text)); kind != isNumber && looksNumber(text) {
					return
				}
			}
		}
		var options []string
		effect := "separates thousands"
		if changed {
			options = append(options, fmt.Sprintf("decimal: %q", decimal))
			effect = map[string]string{decimalComma: "reads decimal commas", decimalPoint: "reads decimal points"}[decimal]
		}
		if thousands != "" {
			options = append(options, fmt.Sprintf("thousands: %q", thousands))
		}
		remedies = append(remedies, remedy(effect, options...))
	}
	if t.delim != ',' { // where decimal commas need no quotes
		try(other, "")
	}
	for _, thousands := range ThousandsMarks {
		try(mark, thousands)
	}
	if t.delim == ',' {
		try(other, "")
	}
	for _, thousands := range ThousandsMarks {
		try(other, thousands)
	}
	return remedies
}

// reportNumbers returns the columns that no option makes numbers.
func (t judge) reportNumbers(list []int) (rest []int) {
	remedies := t.punctuation(list)
	if remedies != nil {
		t.reportColumns(list, remedies...)
		return nil
	}
	for _, c := range list {
		own := t.punctuation([]int{c})
		if remedies == nil {
			remedies = own
		}
		if own == nil || !slices.Equal(own[0].Options, remedies[0].Options) {
			rest = append(rest, c)
		}
	}
	t.reportColumns(slices.DeleteFunc(slices.Clone(list), func(c int) bool { return slices.Contains(rest, c) }), remedies...)
	return rest
}

func (t judge) refuseTwins() {
	own := t.columns[t.target].name
	for c := range t.columns {
		if col := &t.columns[c]; c != t.target && col.role == feature && col.name == own && own != "" {
			t.report(remedied(fmt.Errorf("column %d is named %s as the target, column %d, is", c, short([]byte(own)), t.target), t.leaving([]int{c})))
		}
	}
}

func (t judge) notBlank(c int, text []byte) error {
	keep := []Remedy{t.leaving([]int{c})}
	err := fmt.Errorf("%q where the first lines have nothing, so that a delimiter seemed to end each line", short(text))
	if t.header {
		err = fmt.Errorf("%w: %s", err, t.keeping())
	} else {
		keep = append(keep, remedy("predicts it", "target: "+t.ref(c)))
	}
	return remedied(err, keep...)
}

var remarks = regexp.MustCompile(`^(#|%|(?i:sep=))`)

// kindsOf returns the kinds of the fields of lines in which nothing is quoted.
func kindsOf(start []logicalLine, s *splitter, o Options) [][]kind {
	lines := make([][]kind, len(start))
	for i, line := range start {
		_ = s.split(line.bare, nil)
		for _, field := range s.fields {
			_, kind := o.number(field)
			lines[i] = append(lines[i], kind)
		}
	}
	return lines
}

func areNames(line, below []kind) bool {
	return !slices.ContainsFunc(line, func(k kind) bool { return k != isText }) && slices.Contains(below, isNumber)
}

// findTitles explains lines above those of a table: another number of fields, # or sep=, or names in
// a later line. It returns nil if there are none.
func findTitles(start []logicalLine, o Options) error {
	remark := func(l logicalLine) bool { return remarks.Match(l.bare) }
	whole := false // every line has the fields of the table
	for k := range min(max(len(start)-1, 0), 20) {
		_, delim := tell(start[k:], "", Options{Format: o.Format, Decimal: o.Decimal})
		if delim == 0 {
			continue
		}
		s := splitter{delim: delim, most: math.MaxInt}
		lines := kindsOf(start, &s, o)
		first, rows := lines[k], lines[k+1:]
		width := len(rows[0])
		uneven := func(fields []kind) bool { return len(fields) != width }
		if width < 2 || uneven(first) && len(first) != width-1 || slices.ContainsFunc(rows, uneven) || remark(start[k]) && k > 0 {
			continue
		}
		if k == 0 {
			whole = !uneven(first)
			continue
		}
		named := areNames(first, rows[0])
		wide := func(f []kind) bool { return len(f) == width || len(f) == width-1 }
		_ = s.split(start[k].bare, nil)
		if words := slices.SortedFunc(slices.Values(s.fields), bytes.Compare); named && whole && len(slices.CompactFunc(words, bytes.Equal)) < width {
			return inLine(start[k].number, errors.New("text below the names, as units and types are; delete the line"))
		}
		if named || remark(start[k-1]) && (!whole || remark(start[0])) || !whole && !slices.ContainsFunc(lines[:k], wide) {
			return inLine(start[k-1].number, remedied(errors.New("the table begins below this line"),
				remedy(fmt.Sprintf("begins with line %d", start[k].number), "skip: "+strconv.Itoa(start[k].number-1))))
		}
	}
	return nil
}
