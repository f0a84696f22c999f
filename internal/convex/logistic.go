package convex

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas/blas64"
)

// Logistic minimizes ½‖w‖² + Σ v_i C ln(1+exp(-y_i (x_i·w + b))).
type Logistic struct{ theta []float64 }

// NewLogistic sets up logistic regression for the n x d samples x.
func NewLogistic(x blas64.General, y []float64, c float64, intercept bool) *Logistic {
	return &Logistic{theta: make([]float64, x.Cols+1)}
}

// Solve implements [Solver].
func (p *Logistic) Solve(ctx context.Context, weights []float64) (Certificate, error) {
	return Certificate{}, errors.New("convex: being written")
}

// Theta implements [Solver].
func (p *Logistic) Theta() []float64 { return p.theta }

// SetTheta implements [Solver].
func (p *Logistic) SetTheta(theta []float64) { copy(p.theta, theta) }

// Scores implements [Solver].
func (p *Logistic) Scores(dst []float64) {}
