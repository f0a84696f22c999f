package rehline

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// Problem is the problem of the package documentation. With a ridge β is unique; without one, other
// solutions may have the same objective. The features, the loss and the constraints are not copied:
// do not change them while a Solver uses them.
type Problem struct {
	X blas64.General // n x d, row-major.

	Loss    Loss
	C       float64   // 0 is 1.
	Weights []float64 // n weights >= 0, or nil for ones; copied.

	Ridge     float64   // > 0 and finite; 0 is 1.
	NoRidge   bool      // L1 is the whole penalty; Ridge must be 0.
	L1        []float64 // d penalties >= 0, or nil; without a ridge all > 0; copied.
	Intercept Intercept

	Constraints Constraints
}

// Intercept says how b0 is treated.
type Intercept uint8

const (
	NoIntercept   Intercept = iota // b0 = 0.
	FreeIntercept                  // b0 is neither penalized nor constrained.
)

// Check returns an *InputError for the first wrong part of p. Only New finds contradictory
// constraints.
func (p *Problem) Check() error {
	n, d := p.X.Rows, p.X.Cols
	if min(n, d) == 0 {
		return shapeError("X", "%d x %d; at least one sample and one feature are needed", n, d)
	}
	if err := checkNumbers("X", p.X, d, largest); err != nil {
		return err
	}
	if err := p.Loss.Check(); err != nil {
		return err
	}
	if p.Loss.N() != n {
		return shapeError("Loss", "%d samples, but X has %d", p.Loss.N(), n)
	}
	if err := cmp.Or(checkScale("C", p.C), checkWeights("Weights", p.Weights, n), p.checkPenalty(d), p.Constraints.Check()); err != nil {
		return err
	}
	if c := p.Constraints; c.N() > 0 && c.A.Cols != d {
		return shapeError("Constraints.A", "%d columns, but X has %d", c.A.Cols, d)
	}
	return nil
}

// largest is the largest size of a number in a Problem: beyond it squares of sums overflow.
const largest = 1e100

func (p *Problem) checkPenalty(d int) error {
	if err := cmp.Or(checkScale("Ridge", p.Ridge), checkWeights("L1", p.L1, d)); err != nil {
		return err
	}
	switch {
	case p.Intercept > FreeIntercept:
		return rangeError("Intercept", -1, -1, "%d", uint8(p.Intercept))
	case !p.NoRidge:
		return nil
	case p.Ridge != 0:
		return rangeError("Ridge", -1, -1, "%g with NoRidge; it is 0 then", p.Ridge)
	case p.L1 == nil:
		return shapeError("L1", "none with NoRidge; one penalty > 0 per coefficient is needed")
	}
	if j := slices.Index(p.L1, 0); j >= 0 {
		return rangeError("L1", j, -1, "0 with NoRidge, which leaves the coefficient without a penalty; it is > 0")
	}
	return nil
}

func checkScale(what string, v float64) error {
	if v < 0 || !finite(v) {
		return rangeError(what, -1, -1, "%g; it is positive and finite, or 0 for 1", v)
	}
	if v != 0 && v < 1/largest {
		return rangeError(what, -1, -1, "%g; a number below %g leaves no room for its multiples", v, 1/largest)
	}
	if v > largest {
		return rangeError(what, -1, -1, "%g; its size is at most %g", v, largest)
	}
	return nil
}

func checkWeights(what string, values []float64, n int) error {
	if values == nil {
		return nil
	}
	if len(values) != n {
		return shapeError(what, "length %d where %d are needed", len(values), n)
	}
	for i, v := range values {
		if v < 0 && finite(v) {
			return rangeError(what, i, -1, "%g; it is >= 0", v)
		}
	}
	return checkVector(what, values, largest)
}

func scale(v float64) float64 { return cmp.Or(v, 1) }

var inf = math.Inf(1)
