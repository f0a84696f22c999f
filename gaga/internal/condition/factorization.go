package condition

import (
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

type factorization interface {
	// factorize reports whether H is positive definite, away from singularity, on the directions
	// that keep pinned samples pinned.
	factorize() bool
	solve(b []float64)
	// quadratic returns bᵀH⁻¹b on these directions, and may overwrite b.
	quadratic(b []float64) float64
	// reuse returns Policy.Slow, and whether corrections begin with the factor of another point.
	reuse() (slow float64, begins bool)
}

type cholesky struct {
	*sums.Scope
	factor []float64
}

func (f *cholesky) factorize() bool {
	k := len(f.Active)
	copy(f.factor, f.Hess[:k*k])
	return dense.Upper(f.factor[:k*k], f.Diag[:k], tolerance.Singular)
}

func (f *cholesky) solve(b []float64) {
	k := len(f.Active)
	kernel.SolveUpperTrans(b[:k], f.factor, k)
	kernel.SolveUpper(b[:k], f.factor, k)
}

func (f *cholesky) quadratic(b []float64) float64 {
	k := len(f.Active)
	if k == 0 {
		return 0
	}
	kernel.SolveUpperTrans(b[:k], f.factor, k)
	return kernel.Dot(b[:k], b[:k])
}

func (f *cholesky) reuse() (slow float64, begins bool) {
	return tolerance.ChordSlow, true
}
