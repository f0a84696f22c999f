// Package convex solves, for fixed weights v_i >= 0,
//
//	min over θ of R(θ) + Σ_i v_i l_i(θ),
//
// for the Lasso, logistic regression, the support vector machine and, with an elastic-net penalty,
// any smooth loss. A solver is set up once for its data; each solve starts from the last solution
// and does not allocate.
package convex

import "context"

// Certificate measures the quality of a solution.
type Certificate struct {
	Gap        float64 // relative duality gap, NaN if the method has none
	KKT        float64 // largest violation of an optimality condition, relative to the gradient's terms
	Objective  float64
	Iterations int // passes, Newton steps or working-set updates
}

// Solver solves a weighted problem with n samples.
type Solver interface {
	// Solve finds the optimum for n weights. On an error the last solution stays.
	Solve(ctx context.Context, weights []float64) (Certificate, error)
	// Theta returns the solution: the d coefficients, or for kernel models the n multipliers α_i >=
	// 0 (f(x) = Σ α_i y_i k(x_i, x) + b), then the intercept (0 if the model has none). The next
	// Solve overwrites the slice.
	Theta() []float64
	// SetTheta makes theta the start of the next Solve.
	SetTheta(theta []float64)
	// Scores writes the linear predictors of the n training samples into dst.
	Scores(dst []float64)
}
