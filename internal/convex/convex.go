// Package convex solves the weighted convex problems of alternate convex search: for fixed weights
// v_i >= 0,
//
//	min over θ of R(θ) + Σ_i v_i l_i(θ),
//
// for the Lasso, logistic regression, the support vector machine and, with an elastic-net penalty,
// any smooth loss. A solver is set up once for its data and then solves for any weights, each time
// from its last solution and without allocating.
package convex

import "context"

// Certificate measures the quality of a solution.
type Certificate struct {
	Gap        float64 // duality gap relative to the objective, NaN if the method has none
	KKT        float64 // largest violation of an optimality condition, relative to the size of the gradient's terms as each solver defines it
	Objective  float64
	Iterations int // passes, Newton steps or working-set updates
}

// Solver solves a weighted convex problem with n samples.
type Solver interface {
	// Solve finds the optimum for n weights from the last solution. The error is the context's, or
	// reports that the tolerance was not reached; the last solution is then kept.
	Solve(ctx context.Context, weights []float64) (Certificate, error)
	// Theta returns the solution: for primal models the coefficients, for kernel models the n
	// multipliers α_i >= 0 (f(x) = Σ α_i y_i k(x_i, x) + b), then the intercept (0 if the model has
	// none). The solver owns the slice and changes it in the next Solve.
	Theta() []float64
	// SetTheta makes theta the start of the next Solve.
	SetTheta(theta []float64)
	// Scores writes the linear predictor (with intercept) of each training sample at the current
	// solution into dst, of length n.
	Scores(dst []float64)
}
