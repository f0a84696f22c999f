package rehline

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
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

// Box is lower_j <= β_j <= upper_j, with -Inf or +Inf, or a nil slice, for no bounds. Equal bounds
// fix β_j by an equality. Check returns ErrInfeasible if a lower bound exceeds the upper one. Rows
// are ordered by coefficient, the lower bound first.
func Box(lower, upper []float64) Constraints {
	d := max(len(lower), len(upper))
	if err := coefficients("Box", d); err != nil {
		return Constraints{err: err}
	}
	if lower == nil {
		lower = slices.Repeat([]float64{-inf}, d)
	}
	if upper == nil {
		upper = slices.Repeat([]float64{inf}, d)
	}
	for _, bound := range []struct {
		name   string
		values []float64
		never  float64
	}{{"Box: lower", lower, inf}, {"Box: upper", upper, -inf}} {
		if len(bound.values) != d {
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
	c := Constraints{A: blas64.General{Cols: d, Stride: d}}
	add := func(j int, a, b float64, equal bool) {
		c.A.Data, c.A.Rows = append(c.A.Data, make([]float64, d)...), c.A.Rows+1
		row(c.A, c.A.Rows-1)[j] = a
		c.B, c.Equality = append(c.B, b), append(c.Equality, equal)
	}
	for j, lo := range lower {
		hi := upper[j]
		if lo > hi {
			return Constraints{err: &InputError{"Box: lower", j, -1,
				fmt.Sprintf("%g above the upper bound %g", lo, hi), ErrInfeasible}}
		}
		if lo > -inf {
			add(j, 1, -lo, lo == hi)
		}
		if hi < inf && lo != hi {
			add(j, -1, hi, false)
		}
	}
	if !slices.Contains(c.Equality, true) {
		c.Equality = nil
	}
	return c
}

// Monotone is β_0 <= β_1 <= ... <= β_d-1, or >= if increasing is false.
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

// Sum is the equality Σ_j β_j = total over the d coefficients.
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

// Fairness bounds the covariance of the score with each of p sensitive attributes,
//
//	|Σ_i w_i (z_is - mean z_s) x_i·β| / Σ_i w_i <= tolerance
//
// (Zafar et al., Fairness constraints, AISTATS 2017), by two rows each: covariance >= -tolerance,
// then <= tolerance. Nil weights are ones; an attribute may be a feature.
func Fairness(x blas64.General, weights []float64, attributes [][]float64, tolerance float64) Constraints {
	if err := checkFairness(x, weights, attributes, tolerance); err != nil {
		return Constraints{err: err}
	}
	times := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	c := newConstraints(2*len(attributes), x.Cols)
	for k, attribute := range attributes {
		c.B[2*k], c.B[2*k+1] = tolerance, tolerance
		if slices.Min(attribute) == slices.Max(attribute) {
			continue
		}
		var mean, total float64
		for i, z := range attribute {
			total += times(i)
			mean += times(i) * z
		}
		mean /= total
		up, down := row(c.A, 2*k), row(c.A, 2*k+1)
		for i, z := range attribute {
			z = times(i) * (z - mean) / total
			for j, v := range row(x, i) {
				up[j] += z * v
				down[j] -= z * v
			}
		}
	}
	return c
}

func checkFairness(x blas64.General, weights []float64, attributes [][]float64, tolerance float64) error {
	n := x.Rows
	if n < 1 {
		return shapeError("Fairness: x", "%d samples; there is at least one", n)
	}
	err := cmp.Or(coefficients("Fairness", x.Cols), checkNumbers("Fairness: x", x, x.Cols, largest), checkWeights("Fairness: weights", weights, n))
	if err == nil && weights != nil && zero(weights) {
		err = rangeError("Fairness: weights", -1, -1, "all are 0; one is > 0")
	}
	if err == nil && !isTolerance(tolerance) {
		err = rangeError("Fairness: tolerance", -1, -1, "%g; %s", tolerance, toleranceRule)
	}
	for k, attribute := range attributes {
		what := fmt.Sprintf("Fairness: attributes %d", k)
		if err == nil && len(attribute) != n {
			err = shapeError(what, "%d samples, but x has %d", len(attribute), n)
		}
		err = cmp.Or(err, checkVector(what, attribute, largest))
	}
	return err
}
