package convex

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/activeset"
)

// dual is the dual problem in the signed multipliers β_i = y_i α_i,
//
//	min ½βᵀKβ - yᵀβ   subject to   low <= β <= high and, with a free bias, 1ᵀβ = 0,
//
// with low_i = min(0, y_i C v_i) and high_i = max(0, y_i C v_i). The bias is the equation's
// multiplier.
type dual struct {
	*activeset.Set
	gram      *kernelMatrix
	stale     bool // F is not Kβ
	objective float64
}

// dependence is the relative pivot that counts as zero: above rounding (1e-14), low enough for
// nearly equal rows. Refinement restores the digits lost.
const dependence = 1e-11

func newDual(g *kernelMatrix, y []float64, intercept bool, bytes int64) *dual {
	n := g.n
	o := activeset.Options{Equality: intercept, Dependence: dependence, Limit: max(1, min(n, int(math.Sqrt(float64(bytes)/8))))}
	if intercept {
		for _, k := range g.diagonal {
			o.Shift += k / float64(n)
		}
		if o.Shift == 0 {
			o.Shift = 1
		}
	}
	return &dual{Set: activeset.New(g, y, o), gram: g}
}

// setBox bounds α by u. Few changes update F; many recompute it, which also ends drift.
func (q *dual) setBox(u []float64) {
	q.Begin()
	support := 0
	for i, width := range u {
		q.Bound(i, width)
		if q.Beta[i] != 0 {
			support++
		}
	}
	const drift = 64 // sums after which their rounding matters
	if !q.stale && q.Updates() < drift && 2*q.Noted() < support {
		q.Apply()
	} else {
		q.evaluate()
	}
}

func (q *dual) reset(u []float64) {
	for i := range q.Place {
		q.Place[i] = q.Zero(i)
	}
	q.stale = true // F is 0; updates would leave rounding
	q.setBox(u)
	q.Multiplier()
}

func (q *dual) evaluate() {
	q.Evaluate()
	q.stale = false
}

// blurred is the rounding error of a score above which F is recomputed.
const blurred = 1e-7

// undrift recomputes F, at most three times by the count, if multipliers that passed through their
// bounds may have left rounding above the resolution.
func (q *dual) undrift(count *int) bool {
	if q.Updates() == 0 || *count == 3 {
		return false
	}
	for i, high := range q.High {
		if (high-q.Low[i])*q.gram.diagonal[i]*resolution > blurred {
			*count++
			q.evaluate()
			return true
		}
	}
	return false
}

func (q *dual) started() bool {
	for i, at := range q.Place {
		if at == activeset.Inside || q.Beta[i] != 0 {
			return true
		}
	}
	return false
}

// tolerances are the violations that the active set accepts: all samples together add at most 1e-12
// to the relative gap, if float64 allows. Free samples are refined to the resolution; bounded ones
// to finest relative to scale, as rounding of f must not move them in and out.
func (q *dual) tolerances(finest float64) (bounded, free float64) {
	const gap, coarsest = 1e-12, 2e-13
	bounds := 0.0
	for i, high := range q.High {
		bounds += high - q.Low[i]
	}
	if q.objective == 0 {
		q.objective = q.certificate(0).Objective
	}
	enough := gap * q.objective / bounds
	scale := q.scale()
	free = scale * min(coarsest, max(enough/scale, resolution))
	bounded = scale * min(coarsest, max(enough/scale, finest))
	return bounded, free
}

// resolution is the share of scale that multipliers resolve.
const resolution = 0x1p-51

// scale is the size of the gradient's terms: y_i = ±1, b, f_i, and β_j k(x_j, x_j).
func (q *dual) scale() float64 {
	s := max(1, math.Abs(q.B))
	for i, f := range q.F {
		s = max(s, math.Abs(f), math.Abs(q.Beta[i])*q.gram.diagonal[i])
	}
	return s
}

func (q *dual) rounding() float64 {
	support := 0
	for _, v := range q.Beta {
		if v != 0 {
			support++
		}
	}
	return resolution * q.scale() * (2 + math.Sqrt(float64(support)))
}

// certificate has as gap the sum of C v_i max(0, s_i) - α_i s_i with s_i = 1 - y_i (f_i + b), each
// term >= 0: primal minus dual objective without cancellation. An s_i within the rounding of f
// counts as 0: no float64 multipliers resolve it, and a cost far above the objective would amplify
// it.
func (q *dual) certificate(iterations int) Certificate {
	scale, rounding := q.scale(), q.rounding()
	c := Certificate{Iterations: iterations, Objective: blas64.Dot(vector(q.Beta), vector(q.F)) / 2}
	gap := 0.0
	for i, f := range q.F {
		u := q.High[i] - q.Low[i]
		slack := 1 - q.Y[i]*(f+q.B)
		if math.Abs(slack) <= rounding {
			slack = 0
		}
		alpha := q.Y[i] * q.Beta[i]
		if slack > 0 {
			gap += (u - alpha) * slack
			c.Objective += u * slack
		} else {
			gap -= alpha * slack
		}
		c.KKT = max(c.KKT, math.Abs(q.Violation(i)))
	}
	c.KKT /= scale
	c.KKT = max(c.KKT, q.Unbalanced())
	if gap > 0 {
		c.Gap = gap / c.Objective
	}
	return c
}
