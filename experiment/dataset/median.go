package dataset

import (
	"fmt"
	"math"
	"slices"
)

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
