// Package condition is the optimality condition on a partition of the samples, with its linear
// algebra: [Primal] for predictors that are linear in θ, [Kernel] for the hinge loss in a kernel's
// space.
//
// [model.Equations] holds the residual of the system, its scale and its derivative in the age. A
// partial optimum on the partition is a solution. Its rate dθ/dλ solves J rate = -∂residual/∂λ. The
// path continues smoothly after a crossing exactly when the Hessian stays positive definite, which
// the leverages decide.
//
// A Condition and its state have one owner.
package condition

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
)

// Condition is a system of equations with the Jacobian J. A solution is a strict minimum when the
// Hessian H of the implicit objective, on the directions that keep pinned samples pinned, is
// positive definite; the inertia of J shows this.
type Condition interface { //nolint:interfacebloat // its parts share the partition and the factor
	State() *model.State

	// Place sets the zones of all samples and the entries of theta, if any, that are constant on
	// them. The predictors u of all samples give the minimum scale of the equations; u may be nil
	// if that stays and no terms depend on u. Choose must follow.
	Place(zones []uint8, u, theta []float64)
	// Shift moves sample i to the neighbouring zone. Theta is current, or nil if unknown. Choose
	// must follow if the unknowns change.
	Shift(i int, up bool, theta []float64)
	Choose()

	// Predict writes the predictors of the watched samples, or their rates for rates in theta.
	Predict(dst, theta []float64)
	PredictAll(dst, theta []float64)
	PredictOne(i int, theta []float64) float64
	// Extrapolate moves pt's unknowns, and with a kernel its predictors, but not its age, by h ages
	// along from's tangent.
	Extrapolate(pt, from *model.Point, h float64)
	// Interpolate moves the same to the fraction x of the cubic Hermite interpolant between a and
	// b. pt may be a or b.
	Interpolate(pt, a, b *model.Point, x float64)

	// Assemble evaluates the equations at pt, given its age, unknowns and, unless Policy().Summed,
	// predictors, whose losses it evaluates.
	Assemble(pt *model.Point)
	// Factorize factorizes J and reports whether the point of the last Assemble is a strict
	// minimum, away from singularity.
	Factorize() bool
	// Renew makes the next Factorize compute a new factor.
	Renew()
	// Solve overwrites b with J⁻¹b by the held factor.
	Solve(b []float64)
	// Image overwrites b, for which Solve gave a step, with the step's image, the input of Follow;
	// images of steps add up. It reports false if the predictors must be predicted instead.
	Image(b, step []float64) bool
	// Along sets step and image to those of the way back along pt's tangent, per unit of age: J⁻¹
	// times the derivative of the equations in the age. It reports false if not known.
	Along(step, image []float64, pt *model.Point) bool
	// Follow updates pt's predictors after its unknowns have changed by -step.
	Follow(pt *model.Point, image []float64)
	// Tangent sets the rates at pt, where J was just assembled and factorized: Rate, DDual, DU,
	// Threshold, DThreshold, and where coordinates can become active Grad and DGrad. With
	// Policy().Summed it first predicts U and evaluates the losses.
	Tangent(pt *model.Point)

	// Secant is Tangent for rates that only decide which samples cross on the way from left: with a
	// kernel, those of the parabola from left's tangent to pt.
	Secant(pt, left *model.Point)

	// UnknownOf returns the position of pinned sample i's multiplier among the unknowns.
	UnknownOf(i int) int
	// Row writes the derivative of sample i's predictor.
	Row(dst []float64, i int)
	// Leverage returns x_iᵀH⁻¹x_i on the directions that keep pinned samples pinned.
	Leverage(i int) float64
	// Release returns the leverage of pinned sample i without its pin: positive exactly when H then
	// stays positive definite.
	Release(i int) float64

	// Weakest writes the direction of least curvature in which sample i's predictor changes:
	// H⁻¹x_i, or if sample i is pinned, the direction in which it alone leaves its pin.
	Weakest(direction []float64, i int)

	// Products returns the products of the samples' derivatives of y u in the unknowns except
	// multipliers: combinations in the matrix's null space move no solution.
	Products(samples []int) []float64
	// Lowest writes the direction of least curvature of the implicit objective that keeps pinned
	// samples pinned, at the point of the last Assemble, and returns the curvature relative to its
	// terms; ok is false if there is no such direction.
	Lowest(direction []float64) (curvature float64, ok bool)

	Penalty(theta, u []float64) float64
	// Value returns the implicit objective at pt, the point of the last Assemble.
	Value(pt *model.Point) float64
	// Residual returns the largest relative violation of the whole condition at that point.
	Residual(pt *model.Point) float64
	// Rounding returns the part of the residual, relative to its scale, that rounding of the
	// predictors can cause, large where their terms cancel; 0 if the scale counts all terms.
	Rounding() float64
	Policy() Policy
}

// Policy says how a corrector uses factors of J.
type Policy struct {
	Tight float64 // relative residual of a solution
	Limit int
	Quick int // steps of an easy correction
	// Slow is the part of the residual that a step with a held factor may leave. 0 requires a new
	// factor at every step; with +Inf one factor is used for all points of the same age.
	Slow    float64
	Held    bool // a held factor can be used from the start
	Trusted bool // Factorize tests the held factor
	Summed  bool // Assemble needs no predictors
}

// Objective returns G_λ(θ), with u the predictors of all samples.
func Objective(c Condition, theta, u []float64, age float64) float64 {
	return c.Penalty(theta, u) + c.State().Integrals(u, age)
}

func symmetric(n int, data []float64) blas64.Symmetric {
	return blas64.Symmetric{N: n, Stride: n, Data: data, Uplo: blas.Upper}
}

func thresholds(s *model.State, pt *model.Point) {
	for k := range pt.Threshold {
		pt.Threshold[k], pt.DThreshold[k] = s.Regularizer.Threshold(k, pt.Age)
	}
}
