package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// setMissing sets NaN, which no other value is.
func (t *table) setMissing(c int) error {
	col := &t.columns[c]
	if col.role == dropped {
		return nil
	}
	if col.missing == 0 {
		col.first = t.line
	}
	col.missing++
	t.gap = true
	if col.role == feature {
		row := t.x[len(t.x)-t.width:]
		for i := range col.width() {
			row[col.at+i] = math.NaN()
		}
		return nil
	}
	if t.o.Missing == missingMean || t.o.Missing == missingMedian {
		return fmt.Errorf("missing value in the target: missing: %s fills features only, missing: drop leaves out the row", t.o.Missing)
	}
	t.y.addNumber(t.line, math.NaN())
	return nil
}

func (t *table) settleMissing() error {
	values, columns := 0, 0
	for i := range t.columns {
		if n := t.columns[i].missing; n > 0 {
			values += n
			columns++
		}
	}
	if values == 0 {
		return nil
	}
	switch t.o.Missing {
	case missingDrop:
		if len(t.x) == 0 {
			return fmt.Errorf("each of the %d rows has a missing value: missing: drop leaves none", t.rows)
		}
		t.sayDropped(t.rows-t.kept(), t.rows, t.dropped)
		return nil
	case missingMean:
		t.say("%d missing values filled by means", values)
		return t.fillMeans()
	case missingMedian:
		t.say("%d missing values to fill by medians", values)
		return t.refuseEmpty("median")
	}
	return t.refuseMissing(values, columns)
}

func (t *table) refuseMissing(values, columns int) error {
	const most = 5
	where := 0
	var list []string
	for i := range t.columns {
		col := &t.columns[i]
		if col.missing == 0 {
			continue
		}
		if least := t.columns[where]; least.missing == 0 || col.first < least.first {
			where = i
		}
		if len(list) < most {
			list = append(list, t.inColumn(i, col.first, fmt.Errorf("%d", col.missing)).Error())
		}
	}
	more := ""
	if columns > most {
		more = fmt.Sprintf("; and %d more columns", columns-most)
	}
	quoted := ""
	if t.inQuotes > 0 {
		quoted = fmt.Sprintf("; keep_quoted: true makes text of %d of them that stand in quotes", t.inQuotes)
	}
	if t.o.Encode == encodeOneHot || len(t.o.OneHot) > 0 {
		quoted += `; missing_marks: ["?"] makes text of other marks`
	}
	return t.inColumn(where, t.columns[where].first, fmt.Errorf("%d missing values, by column and first line: %s%s; "+
		"allowed with missing: median, missing: mean or missing: drop%s", values, strings.Join(list, "; "), more, quoted))
}

func (t *table) fillMeans() error {
	if err := t.refuseEmpty("mean"); err != nil {
		return err
	}
	for i := range t.columns {
		col := &t.columns[i]
		if col.missing == 0 {
			continue
		}
		for at := col.at; at < col.at+col.width(); at++ {
			mean := t.mean(at, t.rows-col.missing)
			for k := at; k < len(t.x); k += t.width {
				if math.IsNaN(t.x[k]) {
					t.x[k] = mean
				}
			}
		}
	}
	return nil
}

func (t *table) refuseEmpty(what string) error {
	for i := range t.columns {
		if col := &t.columns[i]; col.missing == t.rows {
			return t.inColumn(i, col.first, fmt.Errorf("every value is missing: there is no %s", what))
		}
	}
	return nil
}

func (t *table) mean(feature, n int) float64 {
	sum, scaled := 0.0, 0.0 // cannot overflow
	for k := feature; k < len(t.x); k += t.width {
		if v := t.x[k]; !math.IsNaN(v) {
			sum += v
			scaled += v / float64(n)
		}
	}
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return scaled
	}
	return sum / float64(n)
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
	var values []float64
	for j, name := range features {
		if !gap(x[j:], d) {
			continue
		}
		values = values[:0]
		for _, row := range train {
			if v := x[row*d+j]; !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			return fmt.Errorf("feature %s: all its %d values of the training part are missing: there is no median", name, len(train))
		}
		middle := MedianOf(values)
		for k := j; k < len(x); k += d {
			if math.IsNaN(x[k]) {
				x[k] = middle
			}
		}
	}
	return nil
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
