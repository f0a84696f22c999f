// Package tolerance has every number by which the engine decides: tolerances, derived from those of
// this file, and budgets, which bound work and never correctness.
package tolerance

const (
	Unit = 0x1p-52 // unit roundoff of float64
	KKT  = 1e-9    // promised relative residual of the optimality condition
	// Negligible is what the promise does not notice, a tenth of it: a residual or displacement
	// after a change of partition, a weight or pivot that may be none, the error of a sign test. A
	// sample is examined if its event function is as small.
	Negligible = 0.1 * KKT
	// Roundoff is the relative size of what can be rounding at a solution: a residual, a step of the
	// age, an event function below zero, the change of a sample's term in H.
	Roundoff = 0.01 * KKT
	// SumRounding is the rounding of a sum without cancelling terms, relative to these: a rate, a
	// rise of the objective, a violation of the hinge's conditions, the gradient of moments.
	SumRounding = 1e-3 * KKT
	// Tight is the relative residual at which a corrector stops: some tens of roundings. TightSum is
	// that of an equation that sums over up to n samples, and the accuracy of an event.
	Tight    = 1e-14
	TightSum = 10 * Tight
	// TermRounding is the rounding of a predictor, relative to its terms.
	TermRounding = 4 * Unit
	// Singular is the pivot of a singular Hessian, relative to the diagonal's positive terms.
	Singular = 1e-12
	Nudge    = KKT // of a landing beyond its jump, relative to the age
	// Dependent is the part of a sample outside the span of others that is rounding.
	Dependent = 64 * Unit
	// LargestDeviation of a feature, in units of the distance of its quartiles, by which it is far
	// from 0 or not.
	LargestDeviation = 16
)
