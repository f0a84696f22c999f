// Package tolerance has every number by which the engine decides: tolerances, derived from those of
// this file, and budgets, which bound work and never correctness. Each block says whether a change
// alters results, even if only in the last digits: the version of the method must then rise.
package tolerance

// A change alters results.
const (
	Unit  = 0x1p-52    // unit roundoff of float64
	KKT   = 1e-9       // promised relative residual of the optimality condition
	Tight = 1e-14      // relative residual at which a corrector stops: some tens of roundings
	Loose = 0.01 * KKT // relative residual that can be rounding
	// Roundoff is the relative amount by which an event function that counts as zero may be below
	// it.
	Roundoff = 0.01 * KKT
	// Singular is the pivot of a singular Hessian, relative to the diagonal's positive terms.
	Singular = 1e-12
	Nudge    = KKT // of a landing beyond its jump, relative to the age
)
