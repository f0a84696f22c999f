// Package condition is the optimality condition on a partition of the samples, with its
// linear algebra: [Primal] for predictors that are linear in θ, [Kernel] for the hinge
// loss in a kernel's space. It evaluates and solves; it does not choose where to go.
//
// The residual of the system, its scale and its derivative in the age are those of
// [model.Equations]. A partial optimum on the partition is a solution. Its rate dθ/dλ
// solves J rate = -∂residual/∂λ. A crossing goes on smoothly exactly when the Hessian
// stays positive definite behind it, of which the leverages tell.
//
// A Condition has one owner, as has its state. It takes samples to watch, and events,
// from its callers.
package condition

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
)

// Condition is the optimality condition on a partition of the samples: a system of
// equations in the unknowns of the partition, and its linear algebra. J is the Jacobian
// of the system in its unknowns. A solution is a strict minimum when the Hessian H of
// the implicit objective, on the directions that keep pinned samples pinned, is positive
// definite, which the inertia of J tells.
type Condition interface { //nolint:interfacebloat // its parts share the partition and the factor
	// State returns the problem, the partition, and the equations where Assemble was
	// last called.
	State() *model.State

	// Place takes the zones of all samples and counts their members. With u, the
	// predictors of all samples, the least scale of the equations is taken anew; u is
	// nil where that stays and no terms depend on it. Entries of theta that are constant
	// on their zones get their values; theta may be nil. Choose follows.
	Place(zones []uint8, u, theta []float64)
	// Shift moves sample i to the neighbouring zone; theta is current, or nil where it
	// is not known. Choose follows where the unknowns are others then.
	Shift(i int, up bool, theta []float64)
	// Choose chooses the unknowns for the current zones and signs.
	Choose()

	// Predict writes the predictors of the watched samples at theta, or their rates at
	// the rates of theta, into dst.
	Predict(dst, theta []float64)
	// PredictAll is Predict for all samples.
	PredictAll(dst, theta []float64)
	// PredictOne returns the predictor of sample i at theta.
	PredictOne(i int, theta []float64) float64
	// Extrapolate moves pt's unknowns to those on the tangent of from, h ages further,
	// and with a kernel its predictors, too. The age of pt stays.
	Extrapolate(pt, from *model.Point, h float64)
	// Interpolate moves pt's unknowns to those of the cubic Hermite interpolant between a
	// and b, at the fraction x of the way, and with a kernel its predictors, too. The age
	// of pt stays. pt may be a or b.
	Interpolate(pt, a, b *model.Point, x float64)

	// Assemble evaluates the system at pt, where age, unknowns and, unless
	// Policy().Summed, predictors are set: the equations of the state. Unless Summed it
	// evaluates the losses of pt.
	Assemble(pt *model.Point)
	// Factorize reports whether the point where Assemble was last called is a strict
	// minimum on its partition, away from singularity, by a factor of J there.
	Factorize() bool
	// Renew makes the next Factorize make a new factor.
	Renew()
	// Solve overwrites b, over the unknowns, with J⁻¹b by the factor that is held.
	Solve(b []float64)
	// Image overwrites b, for which Solve gave a step, with the step's image: what Follow needs
	// of it. Sums of steps have the sum of their images. It reports false where predictors are
	// to be predicted.
	Image(b, step []float64) bool
	// Along makes step and image those of the way back along pt's tangent, in units of the age:
	// J⁻¹ times the derivative of the equations in the age. It reports false where they are to
	// be solved for.
	Along(step, image []float64, pt *model.Point) bool
	// Follow takes the predictors that Assemble needs along where pt's unknowns have made -step.
	Follow(pt *model.Point, image []float64)
	// Tangent fills in the rates at pt, where J was just assembled and factorized:
	// Rate, DDual, DU, Threshold, DThreshold, and where coordinates can become active
	// Grad and DGrad. With Policy().Summed it first predicts U and evaluates the losses.
	Tangent(pt *model.Point)

	// Secant fills in at pt, where J was just assembled and factorized, what Tangent does, where
	// rates only tell which samples cross on the way from left: with a kernel they are those
	// of the parabola from left's tangent to pt.
	Secant(pt, left *model.Point)

	// Anticipate prepares the rates behind the crossing of sample i to another zone, with which
	// Tangent may begin there, at pt behind Secant and the crossing's sign test, where
	// Predict follows.
	Anticipate(pt *model.Point, i int, to uint8)

	// UnknownOf returns the position of pinned sample i's multiplier among the unknowns.
	UnknownOf(i int) int
	// Row writes the derivative of sample i's predictor in the unknowns into dst.
	Row(dst []float64, i int)
	// Leverage returns x_iᵀH⁻¹x_i on the directions that keep pinned samples pinned.
	Leverage(i int) float64
	// Release returns the leverage that pinned sample i would have without its pin:
	// positive exactly when H stays positive definite without it.
	Release(i int) float64

	// Weakest writes into direction, of length P, that of least curvature in which sample i's
	// predictor changes: H⁻¹x_i, or where it is pinned the one in which it alone leaves its pin.
	Weakest(direction []float64, i int)

	// Products returns those of samples' derivatives of y u in the unknowns, but for multipliers, a
	// square matrix: a combination of samples on which it is zero moves no solution.
	Products(samples []int) []float64
	// Lowest writes into direction, of length P, that of least curvature of the implicit
	// objective that keeps pinned samples pinned, where Assemble was last called, and returns its
	// curvature, relative to the size of its terms. It reports false where there is none.
	Lowest(direction []float64) (curvature float64, ok bool)

	// Penalty returns R(θ), with u the predictors of all samples at theta.
	Penalty(theta, u []float64) float64
	// Value returns the implicit objective at pt, where Assemble was last called.
	Value(pt *model.Point) float64
	// Residual returns the largest relative violation of the whole optimality condition
	// at pt, where Assemble was last called.
	Residual(pt *model.Point) float64
	// Rounding returns what rounding of the predictors may leave of the residual where Assemble
	// was last called, relative to its scale: where the terms of a predictor cancel, far more than
	// rounding of the predictor itself. It is 0 where the scale counts all terms.
	Rounding() float64
	// Policy says how a corrector uses factors of J.
	Policy() Policy
}

// Policy says how a corrector uses factors of J.
type Policy struct {
	Tight float64 // relative residual at which a correction is done
	Limit int     // steps of a correction
	Quick int     // steps up to which a correction is an easy one
	// Slow is the part of the residual that a step by a held factor may leave; 0 for a new
	// factor at every step, +Inf where one factor serves all points of the same age.
	Slow    float64
	Held    bool // a factor is held that may serve from the start
	Trusted bool // Factorize tests whether the factor that is held still serves
	Summed  bool // Assemble needs no predictors
}

// Objective returns the implicit objective G_λ(θ), with u the predictors of all samples
// at theta.
func Objective(c Condition, theta, u []float64, age float64) float64 {
	return c.Penalty(theta, u) + c.State().Integrals(u, age)
}

func zeros(k int) []float64 { return make([]float64, k) }

func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

func symmetric(n int, data []float64) blas64.Symmetric {
	return blas64.Symmetric{N: n, Stride: n, Data: data, Uplo: blas.Upper}
}

func vector(data []float64) blas64.Vector { return blas64.Vector{N: len(data), Inc: 1, Data: data} }

// thresholds writes the regularizer's thresholds at pt and their rates.
func thresholds(s *model.State, pt *model.Point) {
	for k := range pt.Threshold {
		pt.Threshold[k], pt.DThreshold[k] = s.Regularizer.Threshold(k, pt.Age)
	}
}
