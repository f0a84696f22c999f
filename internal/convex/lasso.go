package convex

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas/blas64"
)

// Lasso minimizes Σ v_i (x_i·w + b - y_i)² + 2 n α ‖w‖₁.
type Lasso struct{ theta []float64 }

// NewLasso sets up the Lasso for the n x d samples x.
func NewLasso(x blas64.General, y []float64, alpha, total float64, intercept bool) *Lasso {
	return &Lasso{theta: make([]float64, x.Cols+1)}
}

// Solve implements [Solver].
func (p *Lasso) Solve(ctx context.Context, weights []float64) (Certificate, error) {
	return Certificate{}, errors.New("convex: being written")
}

// Theta implements [Solver].
func (p *Lasso) Theta() []float64 { return p.theta }

// SetTheta implements [Solver].
func (p *Lasso) SetTheta(theta []float64) { copy(p.theta, theta) }

// Scores implements [Solver].
func (p *Lasso) Scores(dst []float64) {}
