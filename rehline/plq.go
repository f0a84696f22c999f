package rehline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
)

// Quadratic is the function A z² + B z + C.
type Quadratic struct{ A, B, C float64 }

func (q Quadratic) At(z float64) float64 { return (q.A*z+q.B)*z + q.C }

func (q Quadratic) slope(z float64) float64 {
	if q.A == 0 {
		return q.B
	}
	return 2*q.A*z + q.B
}

// Pieces is a piecewise linear-quadratic function: Quadratics[k] on [Breaks[k-1], Breaks[k]], the
// first from -∞ and the last to +∞. Breaks increase strictly.
type Pieces struct {
	Breaks     []float64
	Quadratics []Quadratic
}

// At returns the value at z, at a break that of the left piece.
func (p Pieces) At(z float64) float64 { return p.Quadratics[p.find(z)].At(z) }

// ReLU is the function max(U z + V, 0).
type ReLU struct{ U, V float64 }

// ReHU is, with w = S z + T, the function 0 for w <= 0, w²/2 for 0 < w <= Tau and Tau (w - Tau/2)
// above. Tau may be +Inf.
type ReHU struct{ S, T, Tau float64 }

// PLQ is a convex piecewise linear-quadratic function of one variable,
//
//	f(z) = Offset + Σ_l ReLU(U_l z + V_l) + Σ_h ReHU_τh(S_h z + T_h).
type PLQ struct {
	ReLU   []ReLU
	ReHU   []ReHU
	Offset float64 // from Decompose, the minimum of f.
}

func (p PLQ) At(z float64) float64 {
	sum := p.Offset
	for _, t := range p.ReLU {
		sum += max(t.U*z+t.V, 0)
	}
	for _, t := range p.ReHU {
		sum += rehu(t.S*z+t.T, t.Tau)
	}
	return sum
}

// Samples returns the loss f(scale_i z + shift_i): scale -1 and shift y for the loss of a residual
// y_i - z, y and 0 for that of a margin y_i z. The loss's Check reports errors in the arguments.
func Samples(p PLQ, scale, shift []float64) Loss {
	n := len(scale)
	if len(shift) != n {
		return failedLoss(n, shapeError("Samples: shift", "%d values, but scale has %d", len(shift), n))
	}
	if err := cmp.Or(checkFiniteSlice("Samples: scale", scale), checkFiniteSlice("Samples: shift", shift)); err != nil {
		return failedLoss(n, err)
	}
	var kinks []func(i int) ReLU
	for _, t := range p.ReLU {
		kinks = append(kinks, func(i int) ReLU { return ReLU{t.U * scale[i], t.U*shift[i] + t.V} })
	}
	var bends []func(i int) ReHU
	for _, t := range p.ReHU {
		bends = append(bends, func(i int) ReHU { return ReHU{t.S * scale[i], t.S*shift[i] + t.T, t.Tau} })
	}
	l := rehus(n, bends...)
	if k := relus(n, kinks...); len(kinks) > 0 {
		l.U, l.V = k.U, k.V
	}
	if p.Offset != 0 || len(kinks)+len(bends) == 0 {
		l.Offset = slices.Repeat([]float64{p.Offset}, n)
	}
	return l
}

func (p Pieces) find(z float64) int { return sort.SearchFloat64s(p.Breaks, z) }

func (p Pieces) span(k int) (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if k > 0 {
		lo = p.Breaks[k-1]
	}
	if k < len(p.Breaks) {
		hi = p.Breaks[k]
	}
	return lo, hi
}

func (p Pieces) check() error {
	if len(p.Quadratics) != len(p.Breaks)+1 {
		return shapeError("Pieces.Quadratics", "%d quadratics for %d breaks; there is one more than breaks", len(p.Quadratics), len(p.Breaks))
	}
	if err := checkFiniteSlice("Pieces.Breaks", p.Breaks); err != nil {
		return err
	}
	for k := 1; k < len(p.Breaks); k++ {
		if !(p.Breaks[k] > p.Breaks[k-1]) {
			return rangeError("Pieces.Breaks", k, -1, "%g after %g; breaks increase strictly", p.Breaks[k], p.Breaks[k-1])
		}
	}
	return checkQuadratics("Pieces.Quadratics", p.Quadratics)
}

func checkQuadratics(what string, quadratics []Quadratic) error {
	for k, q := range quadratics {
		for j, v := range []float64{q.A, q.B, q.C} {
			if !finite(v) {
				return &InputError{what, k, j, fmt.Sprint(v), ErrNotFinite}
			}
		}
	}
	return nil
}
