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
	for _, bound := range []struct {
		name   string
		values []float64
		never  float64
	}{{"Box: lower", lower, inf}, {"Box: upper", upper, -inf}} {
		if bound.values != nil && len(bound.values) != d {
			return Constraints{err: shapeError(bound.name, "%d bounds, but the other has %d", len(bound.values), d)}
		}
		for j, v := range bound.values {
			if math.IsNaN(v) {
				return Constraints{err: &InputError{bound.name, j, -1, "NaN; a bound is a number or infinite", ErrNotFinite}}
			}
			if v == bound.never {
				return Constraints{err: &InputError{bound.name, j, -1, fmt.Sprintf("%g", v), ErrInfeasible}}
			}
		}
	}
	type side struct {
		j     int
		a, b  float64
		equal bool
	}
	var sides []side
	for j := range d {
		lo, hi := -inf, inf
		if lower != nil {
			lo = lower[j]
		}
		if upper != nil {
			hi = upper[j]
		}
		if lo > hi {
			return Constraints{err: &InputError{"Box: lower", j, -1,
				fmt.Sprintf("%g above the upper bound %g", lo, hi), ErrInfeasible}}
		}
		if lo > -inf {
			sides = append(sides, side{j, 1, -lo, lo == hi})
		}
		if hi < inf && lo != hi {
			sides = append(sides, side{j, -1, hi, false})
		}
	}
	c := newConstraints(len(sides), d)
	for k, s := range sides {
		row(c.A, k)[s.j], c.B[k] = s.a, s.b
		if s.equal && c.Equality == nil {
			c.Equality = make([]bool, len(sides))
		}
		if s.equal {
			c.Equality[k] = true
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
	for j := range d {
		c.A.Data[j] = 1
	}
	c.B[0], c.Equality = -total, []bool{true}
	return c
}
