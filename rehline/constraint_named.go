package rehline

import (
	"fmt"
	"math"
)

// NonNegative is β_j >= 0 for all d coefficients.
func NonNegative(d int) Constraints {
	if err := coefficients("NonNegative", d); err != nil {
		return Constraints{err: err}
	}
	c := newConstraints(d, d)
	for j := range d {
		row(c.A, j)[j] = 1
	}
	return c
}

// Box is lower_j <= β_j <= upper_j. Both have one bound per coefficient, -Inf
// and +Inf where there is none; either may be nil for none at all. Where the
// two are equal, β_j is fixed by an equality. Where the lower is above the
// upper, Check says so (ErrInfeasible). The rows are, coefficient by
// coefficient, the lower bound, then the upper one.
func Box(lower, upper []float64) Constraints {
	d := max(len(lower), len(upper))
	if err := coefficients("Box", d); err != nil {
		return Constraints{err: err}
	}
	low, high := filled(d, math.Inf(-1)), filled(d, math.Inf(1))
	for _, bound := range []struct {
		name     string
		from, to []float64
		never    float64
	}{{"Box: lower", lower, low, math.Inf(1)}, {"Box: upper", upper, high, math.Inf(-1)}} {
		if bound.from == nil {
			continue
		}
		if len(bound.from) != d {
			return Constraints{err: shapeError(bound.name, "%d bounds, but the other has %d", len(bound.from), d)}
		}
		for j, v := range bound.from {
			if math.IsNaN(v) {
				return Constraints{err: &InputError{bound.name, j, -1, "NaN; a bound is a number or infinite", ErrNotFinite}}
			}
			if v == bound.never {
				return Constraints{err: &InputError{bound.name, j, -1, fmt.Sprintf("%g", v), ErrInfeasible}}
			}
		}
		copy(bound.to, bound.from)
	}
	return box(low, high)
}

// box is Box of two full slices without NaN.
func box(low, high []float64) Constraints {
	rows := 0
	for j := range low {
		switch {
		case low[j] > high[j]:
			return Constraints{err: &InputError{"Box: lower", j, -1,
				fmt.Sprintf("%g above the upper bound %g", low[j], high[j]), ErrInfeasible}}
		case low[j] == high[j]:
			rows++
		default:
			if !math.IsInf(low[j], -1) {
				rows++
			}
			if !math.IsInf(high[j], 1) {
				rows++
			}
		}
	}
	c := newConstraints(rows, len(low))
	k := 0
	add := func(j int, a, b float64) {
		row(c.A, k)[j], c.B[k] = a, b
		k++
	}
	for j := range low {
		if low[j] == high[j] {
			if c.Equality == nil {
				c.Equality = make([]bool, rows)
			}
			c.Equality[k] = true
			add(j, 1, -low[j])
			continue
		}
		if !math.IsInf(low[j], -1) {
			add(j, 1, -low[j])
		}
		if !math.IsInf(high[j], 1) {
			add(j, -1, high[j])
		}
	}
	return c
}

// Monotone is β_0 <= β_1 <= ... <= β_d-1, or >= where increasing is false: d-1
// rows.
func Monotone(d int, increasing bool) Constraints {
	if err := coefficients("Monotone", d); err != nil {
		return Constraints{err: err}
	}
	step := 1.0
	if !increasing {
		step = -1
	}
	c := newConstraints(d-1, d)
	for k := range d - 1 {
		a := row(c.A, k)
		a[k], a[k+1] = -step, step
	}
	return c
}

// Sum is Σ_j β_j = total over the d coefficients, an equality.
func Sum(d int, total float64) Constraints {
	if err := coefficients("Sum", d); err != nil {
		return Constraints{err: err}
	}
	if !finite(total) {
		return Constraints{err: &InputError{"Sum: total", -1, -1, fmt.Sprint(total), ErrNotFinite}}
	}
	c := newConstraints(1, d)
	copy(c.A.Data, filled(d, 1))
	c.B[0], c.Equality = -total, []bool{true}
	return c
}

// filled returns n times the value v.
func filled(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}
