package rehline_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

// certificate is what a solution's coefficients and duals are worth, computed
// from their definitions alone.
type certificate struct {
	primal, dual float64 // without the offset
	offset       float64
	violation    float64 // of A β + b
	outside      float64 // of the dual: its largest distance from its bounds, relative to the sizes
}

// certify checks that the certificate of a solution holds by itself.
func certify(t *testing.T, what string, p rehline.Problem, sol rehline.Solution, tol float64) {
	t.Helper()
	c := certificateOf(p, sol)
	size := max(math.Abs(c.primal), math.Abs(c.dual))
	if c.outside > 1e-11 || c.violation > 1e-9 || !(c.primal-c.dual <= tol*size+1e-14*size) {
		t.Errorf("%s: objectives %.15g and %.15g, violation %g, dual outside by %g", what, c.primal, c.dual, c.violation, c.outside)
	}
	for name, pair := range map[string][2]float64{"objective": {sol.Objective, c.primal + c.offset}, "dual objective": {sol.DualObjective, c.dual + c.offset}} {
		if math.Abs(pair[0]-pair[1]) > 1e-11*(size+math.Abs(c.offset)) {
			t.Errorf("%s: the %s is %.15g, reported as %.15g", what, name, pair[1], pair[0])
		}
	}
}

// certificateOf expects dense features.
func certificateOf(p rehline.Problem, sol rehline.Solution) certificate {
	n, d := p.X.Rows, p.X.Cols
	var c certificate
	force, size := make([]float64, d+1), make([]float64, d+1) // Aᵀξ - Xᵀg and -Σ g; sizes of what they sum
	push := func(i int, g float64) {
		for j := range d {
			force[j] -= g * p.X.Data[i*p.X.Stride+j]
			size[j] += math.Abs(g * p.X.Data[i*p.X.Stride+j])
		}
		force[d] -= g
		size[d] += math.Abs(g)
	}
	outside := func(v, lo, hi float64) {
		c.outside = max(c.outside, (lo-v)/(1+math.Abs(lo)), (v-hi)/(1+math.Abs(hi)))
	}
	at := func(m blas64.General, r, i int) float64 { return m.Data[r*m.Stride+i] }
	l := p.Loss
	for i := range n {
		z := sol.Intercept
		for j, b := range sol.Beta {
			z += b * p.X.Data[i*p.X.Stride+j]
		}
		w := or1(p.C)
		if p.Weights != nil {
			w *= p.Weights[i]
		}
		if l.Offset != nil {
			c.offset += w * l.Offset[i]
		}
		for r := range l.U.Rows {
			u, v, a := at(l.U, r, i), at(l.V, r, i), at(sol.Dual.Lambda, r, i)
			c.primal += w * max(0, u*z+v)
			c.dual += a * v
			if u == 0 { // the term does not depend on the score
				c.dual += w*max(0, v) - a*v
			}
			outside(a, 0, w)
			push(i, a*u)
		}
		for r := range l.S.Rows {
			s, v, tau, a := at(l.S, r, i), at(l.T, r, i), at(l.Tau, r, i), at(sol.Dual.Gamma, r, i)
			h := func(x float64) float64 {
				if x <= tau {
					return max(0, x) * max(0, x) / 2
				}
				return tau * (x - tau/2)
			}
			c.primal += w * h(s*z+v)
			if s == 0 {
				c.dual += w * h(v)
			} else if a != 0 {
				c.dual += a*v - a*a/(2*w)
			}
			if w > 0 {
				outside(a, 0, w*tau)
			} else {
				outside(a, 0, 0)
			}
			push(i, a*s)
		}
	}
	for k, xi := range sol.Dual.Xi {
		slack := p.Constraints.B[k]
		c.dual -= xi * slack
		for j, b := range sol.Beta {
			slack += b * at(p.Constraints.A, k, j)
			force[j] += xi * at(p.Constraints.A, k, j)
		}
		if p.Constraints.Equality != nil && p.Constraints.Equality[k] {
			c.violation = max(c.violation, math.Abs(slack))
			continue
		}
		c.violation = max(c.violation, -slack)
		outside(xi, 0, math.Inf(1))
	}
	c.penalize(p, sol, force, size)
	return c
}

// penalize adds the penalty on β and b0, and its conjugate at the forces.
func (c *certificate) penalize(p rehline.Problem, sol rehline.Solution, force, size []float64) {
	d := len(sol.Beta)
	ridge := or1(p.Ridge)
	for j, b := range sol.Beta {
		var r float64
		if p.L1 != nil {
			r = p.L1[j]
		}
		c.primal += r * math.Abs(b)
		over := max(0, math.Abs(force[j])-r)
		if p.NoRidge {
			c.outside = max(c.outside, over/(1+size[j]))
			continue
		}
		c.primal += ridge * b * b / 2
		c.dual -= over * over / (2 * ridge)
	}
	if p.Intercept == rehline.FreeIntercept {
		c.outside = max(c.outside, math.Abs(force[d])/(1+size[d]))
	}
}
