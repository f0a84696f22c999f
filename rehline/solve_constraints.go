package rehline

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// constraints are divided by the ridge. Between Newton steps the multipliers are ξ_k = max(0,
// center_k - slack_k/soft_k), without the maximum for an equality.
type constraints struct {
	a      blas64.General
	b      []float64
	flags  []bool
	norm   []float64 // ‖A_k‖²
	slack  []float64
	turn   []float64 // change of the slack along the step
	xi     []float64
	center []float64
	weight []float64 // second derivative of each row's penalty; 0 if the row does not bind
	scale  float64   // of violations: 1 + max |b|
}

func (c *constraints) init(p *Constraints) {
	k := p.A.Rows
	c.a, c.b, c.flags = p.A, p.B, p.Equality
	c.scale = 1
	for _, v := range []*[]float64{&c.norm, &c.slack, &c.turn, &c.xi, &c.center, &c.weight} {
		*v = make([]float64, k)
	}
	for i := range k {
		r := row(c.a, i)
		c.norm[i] = kernel.Dot(r, r)
		c.scale = max(c.scale, 1+math.Abs(c.b[i]))
	}
}

func (c *constraints) forces(v []float64) {
	kernel.MulTransAdd(v, c.a.Data, c.a.Stride, c.xi)
}

func (c *constraints) turns(step []float64) {
	kernel.MulVec(c.turn, c.a.Data, c.a.Stride, step)
}

func (c *constraints) row(k int) []float64 { return row(c.a, k) }

func (c *constraints) equal(k int) bool { return c.flags != nil && c.flags[k] }

func (c *constraints) slacks(beta []float64) {
	kernel.MulVec(c.slack, c.a.Data, c.a.Stride, beta)
	for k, b := range c.b {
		c.slack[k] += b
	}
}

// evaluate sets the multipliers for the slacks; soft is relative to ‖A_k‖².
func (c *constraints) evaluate(soft float64) {
	for k, s := range c.slack {
		if c.norm[k] == 0 {
			c.xi[k], c.weight[k] = 0, 0
			continue
		}
		inv := 1 / (soft * c.norm[k])
		xi := c.center[k] - s*inv
		if !c.equal(k) && !(xi > 0) {
			xi, inv = 0, 0
		}
		c.xi[k], c.weight[k] = xi, inv
	}
}

func (c *constraints) along(t, soft float64) (first, second float64) {
	for k, s := range c.slack {
		if c.norm[k] == 0 {
			continue
		}
		inv := 1 / (soft * c.norm[k])
		xi := c.center[k] - (s+t*c.turn[k])*inv
		if xi > 0 || c.equal(k) {
			first -= xi * c.turn[k]
			second += inv * c.turn[k] * c.turn[k]
		}
	}
	return first, second
}

func (c *constraints) move(step []float64) {
	for k, weight := range c.weight {
		if weight == 0 {
			continue
		}
		xi := c.xi[k] - kernel.Dot(c.row(k), step)*weight
		if !c.equal(k) {
			xi = max(xi, 0)
		}
		c.xi[k] = xi
	}
}

// project updates the multipliers one by one, with the coefficients w, and returns their part of
// the gap.
func (c *constraints) project(w []float64) float64 {
	var gap float64
	for k, xi := range c.xi {
		if c.norm[k] == 0 {
			continue
		}
		a := c.row(k)
		slack := kernel.Dot(a, w) + c.b[k]
		gap += math.Abs(xi * slack)
		n := xi - slack/c.norm[k]
		if !c.equal(k) {
			n = max(n, 0)
		}
		if n != xi {
			c.xi[k] = n
			kernel.Axpy(n-xi, a, w)
		}
	}
	return gap
}

func (c *constraints) zeroIsFeasible() bool {
	for k, b := range c.b {
		if b < 0 || b > 0 && c.equal(k) {
			return false
		}
	}
	return true
}
