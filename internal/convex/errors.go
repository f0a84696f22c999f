package convex

import (
	"errors"
	"fmt"
	"math"
)

// Tolerance is the relative duality gap and the relative violation of the
// optimality conditions that a solution must not exceed.
const Tolerance = 1e-10

// refined is the violation at which the linear models' refinement ends: a few
// tens of units of rounding. They go on from Tolerance to it because alternate
// convex search converges no further than its solver.
const refined = 1e-14

// ToleranceError says that a solver stopped short of [Tolerance].
type ToleranceError struct {
	Model       string
	Certificate Certificate // of the best point that was reached
}

func (e *ToleranceError) Error() string {
	c := e.Certificate
	text := fmt.Sprintf("%s: not solved to %.0e after %d iterations: relative KKT violation %.2g", e.Model, Tolerance, c.Iterations, c.KKT)
	if !math.IsNaN(c.Gap) {
		text += fmt.Sprintf(", relative duality gap %.2g", c.Gap)
	}
	return text
}

// ErrSingular says that the least squares problem of the Lasso with α = 0 has
// no unique solution for the weights.
var ErrSingular = errors.New("least squares without a penalty is singular: features are linearly dependent on the samples of positive weight")

// ErrOneClass says that the samples of positive weight all have one label, so
// that logistic regression with an intercept has no minimum: the intercept
// would go to infinity. It is a fact about the weights, not about the solver.
// Alternate convex search, whose age discards the other class, keeps its last
// solution (the solver does too) and goes to the next age, which readmits
// samples by their losses under that solution; if no age does, the path ends.
var ErrOneClass = errors.New("all samples of positive weight have one label: logistic regression with an intercept has no minimum")
