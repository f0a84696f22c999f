package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/agepath/agepath/internal/lists"
)

// Reading says how a table was read, by content and options.
type Reading struct {
	// How lists format, names, target, what was left out, and features.
	How string
	// Warnings explain ambiguous content and what to do.
	Warnings []string
	// LeftOut counts rows with missing values left out; Lines has the first [MaxLines].
	LeftOut int
	Lines   []int
	// Classes are the labels of -1 and +1, strings or [json.Number]s; nil if one has several.
	Classes []any

	omitted []int // indices of the rows left out among those read
}

// Rows returns the indices of rows of the data set among all rows read.
func (r *Reading) Rows(of []int) []int {
	of = slices.Clone(of)
	for i, row := range of {
		of[i] += sort.Search(len(r.omitted), func(k int) bool { return r.omitted[k]-k > row }) // 0 for -1
	}
	return of
}

// MaxLines bounds the lines of a [Reading].
const MaxLines = 1000

// Names are names of features, or the first of many.
type Names struct {
	First  []string // at most 1000, and 64 KiB
	SHA256 string   // hex, of all names with a zero byte after each; "" if First has all
}

func (d *Dataset) Names() Names {
	const most, mostBytes = 1000, 64 << 10
	n, length := 0, 0
	for n < min(d.D, most) && length+len(d.Features[n]) <= mostBytes {
		length += len(d.Features[n])
		n++
	}
	names := Names{First: slices.Clone(d.Features[:n])}
	if n < d.D {
		sum := sha256.New()
		for _, name := range d.Features {
			sum.Write(append([]byte(name), 0))
		}
		names.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	return names
}

type reading struct {
	clauses, warnings []string
	unsaid            int
	inQuotes          int      // quoted missing values
	seen              []string // marks of missing values in features
	unlabelled        string   // the first mark in the target
	classes           []any    // see [Reading]
	omitted           []int    // likewise
	pointed           bool     // a number has a decimal mark
	grouped           bool     // a number has one that may separate thousands
	marks             []mark
	problems          ReadErrors
	uneven            int        // rows with another number of fields
	first             *ReadError // of them
}

func (r *reading) say(format string, args ...any) {
	r.clauses = append(r.clauses, fmt.Sprintf(format, args...))
}

func (r *reading) warn(format string, args ...any) {
	if len(r.warnings) == someMost {
		r.unsaid++
		return
	}
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

func (t *table) settled(d *Dataset) Reading {
	var list []string
	for i := range t.columns {
		col := &t.columns[i]
		if col.role != feature || col.words == nil || col.words.numeric {
			continue
		}
		n := len(col.words.list)
		list = append(list, fmt.Sprintf("%s (%d)", short([]byte(col.called(i))), n))
		if !col.words.declared && d.N >= countingRows && 2*n > d.N {
			t.warn("%v", t.inColumn(i, 0, fmt.Errorf("%d different values in %d rows, each a feature; drop: %s leaves it out", n, d.N, t.ref(i))))
		}
	}
	judge{t}.warnTwins()
	judge{t}.warnLosses()
	for _, m := range t.marks {
		if !m.used {
			t.warn("missing_marks: %q occurs nowhere", m.text)
		}
	}
	if list != nil {
		t.say("a feature for each value of %s", some(list))
	}
	t.say("%s", d.named())
	if t.unsaid > 0 {
		t.warnings = append(t.warnings, fmt.Sprintf("and %d more of this kind", t.unsaid))
	}
	return Reading{How: strings.Join(t.clauses, "; "), Warnings: t.warnings, LeftOut: len(t.omitted), Lines: t.dropped[:min(len(t.dropped), MaxLines)], Classes: t.classes, omitted: t.omitted}
}

func (t judge) warnTwins() {
	first := map[string]int{}
	for c := range t.columns {
		name := t.columns[c].name
		if t.columns[c].role != feature || name == "" {
			continue
		}
		if at, twice := first[name]; twice {
			t.warn("columns %d and %d are both named %s; drop: %s leaves the second out", at, c, short([]byte(name)), t.ref(c))
		} else {
			first[name] = c
		}
	}
}

func (t judge) warnLosses() {
	for c := range t.columns {
		if l := &t.columns[c].lossy; l.count > 0 && t.columns[c].role != dropped {
			what := t.leaving([]int{c})
			if c == t.target {
				what = remedy("compares all digits", "task: classification")
			}
			t.warn("%v", t.inColumn(c, l.line, remedied(fmt.Errorf("%s has more digits than a number keeps (%d values)", short([]byte(l.list[0])), l.count), what)))
		}
	}
}

func (d *Dataset) named() string {
	first := d.Features[:min(len(d.Features), someMost+1)]
	names := lists.Map(first, func(name string) string { return short([]byte(name)) })
	if len(names) > someMost {
		names = append(names[:someMost], "...")
	}
	if d.D == 1 {
		return "1 feature: " + names[0]
	}
	return fmt.Sprintf("%d features: %s", d.D, strings.Join(names, ", "))
}

const countingRows = 10

// settleUnnamed drops unnamed first columns that number the rows, as pandas and R write.
func (t *table) settleUnnamed() error {
	for i := range t.columns {
		col := &t.columns[i]
		if !t.header || !isUnnamed(col.name) {
			return nil
		}
		if col.role != feature || col.words != nil {
			continue
		}
		why := ""
		switch {
		case counting(col.values):
			why = "counts rows"
		case wholeAndDistinct(col.values):
			why = "has another whole number in every row"
		default:
			t.warn("column %d has no name and is the feature %s; drop: %s leaves it out", i, short([]byte(col.called(i))), t.ref(i))
			continue
		}
		if t.width == 1 {
			return errNoFeatures(len(t.columns))
		}
		t.warn("column %d has no name and %s: it is left out; %s", i, why, t.keeping())
		col.leave()
		t.width--
	}
	return nil
}

// counting reports whether values increase by one or restart at the first.
func counting(values []float64) bool {
	for i, v := range values {
		if v != math.Trunc(v) || i > 0 && v != values[i-1]+1 && v != values[0] {
			return false
		}
	}
	return len(values) > 1 && values[1] != values[0]
}

func wholeAndDistinct(values []float64) bool {
	n := len(values)
	if n < 2 || slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) }) {
		return false
	}
	return len(slices.Compact(slices.Sorted(slices.Values(values)))) == n
}

func (t *table) warnCounting(d *Dataset) {
	if d.N < countingRows {
		return
	}
	at := 0
	for i := range t.columns {
		col := &t.columns[i]
		if col.role != feature {
			continue
		}
		k := at + d.D
		for k < len(d.X) && d.X[k] == d.X[k-d.D]+1 {
			k += d.D
		}
		if k >= len(d.X) && col.words == nil {
			t.warn("%v", t.inColumn(i, 0, fmt.Errorf("counts rows and is a feature; drop: %s leaves it out", t.ref(i))))
		}
		at += col.width()
	}
}

// ref is a column's index, unless this is another column's name.
func (t *table) ref(c int) string {
	if t.named {
		return t.columns[c].name
	}
	for _, ref := range []string{strconv.Itoa(c), strconv.Itoa(c + t.trailing - len(t.columns))} {
		if !slices.ContainsFunc(t.columns, func(col column) bool { return col.name == ref }) {
			return ref
		}
	}
	return strconv.Quote(t.columns[c].name)
}
