package convex

import (
	"errors"
	"fmt"
	"math"
)

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
