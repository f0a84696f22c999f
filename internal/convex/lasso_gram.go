package convex

import (
	"context"
	"math"
)

// GramFit minimizes ½θᵀHθ + cᵀθ + Σ_j L1_j |θ_j| by the active-set method of [Lasso], from a nearby
// solution.
type GramFit struct {
	working
	norms []float64
	tight float64 // violation, relative to L1, that is rounding
}

// NewGramFit is for up to d coefficients.
func NewGramFit(d int, tight float64) *GramFit {
	return &GramFit{working: newWorking(d, d), norms: make([]float64, d), tight: tight}
}

// Fit minimizes over the coefficients in among, from theta. The first d rows of h hold the positive
// semidefinite H, then c in column d. It returns false, with theta unchanged, if the method does
// not settle or the solution's coefficients are dependent.
func (f *GramFit) Fit(h []float64, stride int, l1, theta []float64, among []bool) bool {
	d := len(theta)
	f.reset()
	for j, is := range among {
		if f.norms[j] = math.Sqrt(h[j*stride+j]); is && f.norms[j] > 0 {
			f.add(j)
		}
	}
	for k, j := range f.feature {
		row, norm := h[j*stride:][:d+1], f.norms[j]
		slope := row[d]
		for i, w := range theta {
			slope += row[i] * w
		}
		scaled := f.row(k)
		for l, i := range f.feature {
			scaled[l] = row[i] / norm / f.norms[i]
		}
		scaled[k] = 1
		f.beta[k], f.q[k], f.mu[k] = theta[j]*norm, -slope/norm, l1[j]/norm
		f.tolerance[k] = f.tight * f.mu[k]
	}
	_, settled, err := f.minimize(context.Background())
	if !settled || err != nil || len(f.support.dependent) > 0 {
		return false
	}
	for j, is := range among {
		if is && f.norms[j] == 0 && l1[j] > 0 {
			theta[j] = 0
		}
	}
	for k, j := range f.feature {
		theta[j] = f.beta[k] / f.norms[j]
	}
	return true
}
