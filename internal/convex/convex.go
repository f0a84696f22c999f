// Package convex solves, for fixed weights v_i >= 0,
//
//	min over θ of R(θ) + Σ_i v_i l_i(θ),
//
// for the Lasso, logistic regression, the support vector machine and, with an elastic net, any
// smooth loss. Each solve starts from the last solution and does not allocate.
package convex

import "context"

// Certificate measures a solution's quality.
type Certificate struct {
	Gap        float64 // relative duality gap, NaN if the method has none
	KKT        float64 // largest relative violation of an optimality condition
	Objective  float64
	Iterations int // passes, Newton steps or updates
}

// Solver solves a weighted problem.
type Solver interface {
	// Solve finds the optimum for n weights. On an error the last solution stays.
	Solve(ctx context.Context, weights []float64) (Certificate, error)
	// Theta returns d coefficients, or n multipliers α_i >= 0 of f(x) = Σ α_i y_i k(x_i, x) + b,
	// then the intercept or 0. The next Solve overwrites the slice.
	Theta() []float64
	// SetTheta sets the start of the next Solve.
	SetTheta(theta []float64)
	// Scores writes the training samples' linear predictors into dst.
	Scores(dst []float64)
}
