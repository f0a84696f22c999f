package rehline

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
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

func (p *Problem) size() (n, d int) {
	return p.X.Rows, p.X.Cols
}

// Check returns an *InputError for the first wrong part of p. Only New finds contradictory
// constraints.
func (p *Problem) Check() error {
	_, err := p.check(new(arena))
	return err
}

// check also returns the squared norms of the rows of X.
func (p *Problem) check(from *arena) ([]float64, error) {
	norms, known, err := p.checkFeatures(from)
	if err != nil {
		return nil, err
	}
	return norms, p.checkOthers(known)
}

func (p *Problem) checkOthers(known bool) error {
	n, d := p.size()
	if n == 0 || d == 0 {
		return shapeError("X", "%d x %d; at least one sample and one feature are needed", n, d)
	}
	terms, err := p.Loss.check()
	if err != nil {
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
	return p.checkSizes(known, terms)
}

// largest is the largest size of a number in a Problem: beyond it squares of sums overflow.
const largest = 1e100

func (p *Problem) checkSizes(known, terms bool) error {
	l, c := p.Loss, &p.Constraints
	if terms {
		l = Loss{Offset: l.Offset}
	}
	var x blas64.General
	if !known {
		x = p.X
	}
	for _, part := range []struct {
		name   string
		matrix blas64.General
	}{
		{"X", x}, {"Loss.U", l.U}, {"Loss.V", l.V}, {"Loss.S", l.S}, {"Loss.T", l.T}, {"Constraints.A", c.A},
		{"Weights", vector(p.Weights)}, {"L1", vector(p.L1)}, {"Constraints.B", vector(c.B)},
		{"Loss.Offset", vector(l.Offset)}, {"C", vector([]float64{p.C})}, {"Ridge", vector([]float64{p.Ridge})},
	} {
		if moderate(part.matrix) {
			continue
		}
		for r := range part.matrix.Rows {
			for i, v := range row(part.matrix, r) {
				if !(math.Abs(v) > largest) {
					continue
				}
				if part.matrix.Stride == 0 { // a vector, whose columns are its entries
					r, i = i, -1
				}
				return rangeError(part.name, r, i, "%g; its size is at most %g", v, largest)
			}
		}
	}
	return nil
}

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

func (p *Problem) checkFeatures(from *arena) (norms []float64, known bool, err error) {
	n, d := p.size()
	switch {
	case n < 0 || d < 0:
		return nil, false, shapeError("X", "%d x %d", n, d)
	case n == 0 || d == 0:
		return nil, false, nil
	}
	if err = checkMatrix("X", p.X, d); err != nil {
		return nil, false, err
	}
	norms = from.scratch(n)
	kernel.Norms(norms, p.X.Data, p.X.Stride, d)
	known = kernel.Sum(norms) <= moderateSum
	if !known {
		err = checkFinite("X", p.X)
	}
	return norms, known, err
}

func checkScale(what string, v float64) error {
	if v < 0 || !finite(v) {
		return rangeError(what, -1, -1, "%g; it is positive and finite, or 0 for 1", v)
	}
	if v != 0 && v < 1/largest {
		return rangeError(what, -1, -1, "%g; a number below %g leaves no room for its multiples", v, 1/largest)
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
	return checkFiniteSlice(what, values)
}

func scale(v float64) float64 { return cmp.Or(v, 1) }

// InfeasibleError proves by Farkas' lemma that no β satisfies the constraints: Farkas_k >= 0 for
// every inequality k, AᵀFarkas = 0 up to Residual, and b·Farkas < 0.
type InfeasibleError struct {
	Farkas   []float64 // the largest has size 1.
	Value    float64
	Residual float64 // ‖AᵀFarkas‖∞, in the units of A.
}

func (e *InfeasibleError) Error() string {
	return fmt.Sprintf("rehline: Constraints: %v: a combination of the rows reads %.3g >= 0 (Farkas certificate, residual %.1e)",
		ErrInfeasible, e.Value, e.Residual)
}

func (e *InfeasibleError) Unwrap() error { return ErrInfeasible }

var inf = math.Inf(1)
