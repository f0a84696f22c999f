package dataset

import (
	"fmt"
	"math"
	"slices"
)

// Scaling is a way to scale columns.
type Scaling string

const (
	NoScaling Scaling = "none"     // also ""
	Standard  Scaling = "standard" // mean 0, standard deviation 1 (divisor n)
	MinMax    Scaling = "minmax"   // range [0, 1]
)

func (s Scaling) check(what string) error {
	return allow("scale: "+what, s, NoScaling, Standard, MinMax)
}

// Affine maps each column x to (x - Shift)/Scale. Constant columns have Scale 1, as in
// scikit-learn.
type Affine struct{ Shift, Scale []float64 }

// fit fails if a column's spread exceeds float64.
func (s Scaling) fit(x []float64, d int, rows []int) (Affine, error) {
	shift, scale := make([]float64, d), slices.Repeat([]float64{1}, d)
	if s != Standard && s != MinMax {
		return Affine{shift, scale}, nil
	}
	low, high := spans(x, d, rows)
	for j := range d {
		scale[j] = Spread(low[j], high[j])
		if math.IsInf(scale[j], 0) {
			return Affine{}, fmt.Errorf("column %d spans %v to %v, too wide to scale", j, low[j], high[j])
		}
	}
	if s == MinMax {
		shift = low
	} else {
		standardise(x, d, rows, low, shift, scale)
	}
	for j := range scale {
		if scale[j] == 0 {
			scale[j] = 1
		}
	}
	return Affine{shift, scale}, nil
}

// Spread returns high - low, or 0 if this is rounding, as for 0.3 and 0.1 + 0.2.
func Spread(low, high float64) float64 {
	const rounding = 0x1p-49 // 8 units in the last place of 1
	if distance := high - low; distance > rounding*max(math.Abs(low), math.Abs(high)) {
		return distance
	}
	return 0
}

func spans(x []float64, d int, rows []int) (low, high []float64) {
	low = slices.Clone(x[rows[0]*d:][:d])
	high = slices.Clone(low)
	for _, row := range rows {
		for j, value := range x[row*d:][:d] {
			low[j] = min(low[j], value)
			high[j] = max(high[j], value)
		}
	}
	return low, high
}

// standardise turns ranges in scale into standard deviations and sets shift to means. (x -
// low)/range avoids overflow, underflow and cancellation.
func standardise(x []float64, d int, rows []int, low, shift, scale []float64) {
	n := float64(len(rows))
	unit := func(value float64, j int) float64 {
		if scale[j] == 0 {
			return 0
		}
		return (value - low[j]) / scale[j]
	}
	mean, square := make([]float64, d), make([]float64, d)
	for _, row := range rows {
		for j, value := range x[row*d:][:d] {
			mean[j] += unit(value, j) / n
		}
	}
	for _, row := range rows {
		for j, value := range x[row*d:][:d] {
			difference := unit(value, j) - mean[j]
			square[j] += difference * difference
		}
	}
	for j := range d {
		shift[j] = low[j] + scale[j]*mean[j]
		scale[j] *= math.Sqrt(square[j] / n)
	}
}

// Apply scales the d columns of the row-major x in place, fitted to all rows.
func (s Scaling) Apply(x []float64, d int) error {
	of, err := s.fit(x, d, Indices(len(x)/d))
	if err != nil {
		return fmt.Errorf("scale: %w", err)
	}
	of.apply(x)
	return nil
}

const uneven = 1e4

// Uneven warns if positive standard deviations of columns have a ratio above 1e4, else returns "".
func (p *Part) Uneven(names []string) string {
	if p.N == 0 {
		return ""
	}
	of, err := Standard.fit(p.X, p.D, Indices(p.N))
	if err != nil {
		return err.Error() + ": scale the column in the file"
	}
	small, large := -1, -1
	for j, s := range of.Scale {
		if s > 0 && (small < 0 || s < of.Scale[small]) {
			small = j
		}
		if s > 0 && (large < 0 || s > of.Scale[large]) {
			large = j
		}
	}
	if small < 0 || !(of.Scale[large] > uneven*of.Scale[small]) {
		return ""
	}
	name := func(j int) string {
		if j < len(names) && names[j] != "" {
			return fmt.Sprintf("%d (%s)", j, names[j])
		}
		return fmt.Sprint(j)
	}
	return fmt.Sprintf("feature %s varies %.1e times as much as feature %s; set scale: {features: standard}",
		name(large), of.Scale[large]/of.Scale[small], name(small))
}

func (a Affine) apply(x []float64) {
	d := len(a.Shift)
	for ; len(x) > 0; x = x[d:] {
		for j, value := range x[:d] {
			x[j] = (value - a.Shift[j]) / a.Scale[j]
		}
	}
}
