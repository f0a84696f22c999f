// Package convex solves, for fixed weights v_i >= 0,
//
//	min over θ of R(θ) + Σ_i v_i l_i(θ),
//
// for the Lasso, logistic regression, the support vector machine and, with an elastic net, any
// smooth loss. Each solve starts from the last solution and does not allocate.
package convex

import (
	"context"
	"errors"
	"fmt"
	"math"
)

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

// Tolerance is the largest accepted relative duality gap and violation of optimality.
const Tolerance = 1e-10

// refined is where refinement ends, at a few tens of roundings: alternate convex search converges
// no further than its solver.
const refined = 1e-14

// ToleranceError reports that a solver did not reach [Tolerance].
type ToleranceError struct {
	Model       string
	Certificate Certificate
}

func (e *ToleranceError) Error() string {
	c := e.Certificate
	text := fmt.Sprintf("%s: not solved to %.0e after %d iterations: relative KKT violation %.2g", e.Model, Tolerance, c.Iterations, c.KKT)
	if !math.IsNaN(c.Gap) {
		text += fmt.Sprintf(", relative duality gap %.2g", c.Gap)
	}
	return text
}

// ErrSingular reports that unpenalized least squares has no unique solution for the weights.
var ErrSingular = errors.New("least squares without a penalty is singular: features are linearly dependent on the samples of positive weight")

// ErrOneClass reports that weights on one class leave logistic regression with an intercept without
// a minimum. Alternate convex search then keeps its solution and continues at the next age that
// readmits samples, if any.
var ErrOneClass = errors.New("all samples of positive weight have one label: logistic regression with an intercept has no minimum")
