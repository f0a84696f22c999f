package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// columnGaps are the missing values of a column.
type columnGaps struct {
	column, count int
	line          int // of the first
}

func (t *table) gaps() (list []columnGaps) {
	for i := range t.columns {
		g := columnGaps{column: i}
		for row, v := range t.columns[i].values {
			if !math.IsNaN(v) || t.columns[i].role == dropped {
				continue
			}
			if g.count++; g.count == 1 {
				g.line = t.lines[row]
			}
		}
		if g.count > 0 {
			list = append(list, g)
		}
	}
	return list
}

func (t *table) settleMissing() error {
	if t.o.Missing == missingDrop {
		switch n := len(t.lines); n {
		case t.rows:
		case 0:
			return fmt.Errorf("each of the %d rows has a missing value: missing: drop leaves none", t.rows)
		default:
			t.sayDropped(t.rows-n, t.rows, t.dropped)
		}
		return nil
	}
	list, values := t.gaps(), 0
	for _, g := range list {
		values += g.count
	}
	what := "mean"
	switch {
	case values == 0:
		return nil
	case t.o.Missing == missingMean:
		t.say("%d missing values filled by means", values)
	case t.o.Missing == missingMedian:
		t.say("%d missing values to fill by medians", values)
		what = "median"
	default:
		return t.refuseMissing(list, values)
	}
	for _, g := range list {
		if g.count == len(t.lines) {
			return t.inColumn(g.column, g.line, fmt.Errorf("every value is missing: there is no %s", what))
		}
	}
	return nil
}

func (t *table) refuseMissing(list []columnGaps, values int) error {
	const most = 5
	first := slices.MinFunc(list, func(a, b columnGaps) int { return cmp.Compare(a.line, b.line) })
	var words []string
	for _, g := range list[:min(len(list), most)] {
		words = append(words, t.inColumn(g.column, g.line, fmt.Errorf("%d", g.count)).Error())
	}
	more := ""
	if len(list) > most {
		more = fmt.Sprintf("; and %d more columns", len(list)-most)
	}
	quoted := ""
	if t.inQuotes > 0 {
		quoted = fmt.Sprintf("; keep_quoted: true makes text of %d of them that stand in quotes", t.inQuotes)
	}
	if t.o.Encode == encodeOneHot || len(t.o.OneHot) > 0 {
		quoted += `; missing_marks: ["?"] makes text of other marks`
	}
	return t.inColumn(first.column, first.line, fmt.Errorf("%d missing values, by column and first line: %s%s; "+
		"allowed with missing: median, missing: mean or missing: drop%s", values, strings.Join(words, "; "), more, quoted))
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

// Median is the [Settings.Missing] that fills in medians.
const Median = missingMedian

// Gaps reports whether values are missing.
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
		if !gap(x[j:], d) {
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

func gap(x []float64, d int) bool {
	for k := 0; k < len(x); k += d {
		if math.IsNaN(x[k]) {
			return true
		}
	}
	return false
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
