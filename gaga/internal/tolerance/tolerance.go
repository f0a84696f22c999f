// Package tolerance has every number by which the engine decides: tolerances, all
// derived from the two of this file, and budgets, which bound work and never what
// counts as right. There is a file for each part of the engine. A number that was
// chosen by measurement names what chose it. Each block says whether a change alters
// results, if only their last digits: then the version of the method rises.
package tolerance

// A change alters results.
const (
	Unit  = 0x1p-52    // unit roundoff of float64
	KKT   = 1e-9       // relative residual of the optimality condition that the engine promises
	Tight = 1e-14      // relative residual at which a corrector stops: some tens of roundings
	Loose = 0.01 * KKT // relative residual up to which what a corrector leaves can be rounding
	// Roundoff is how far, relative to its terms, an event function may be below zero
	// and still count as zero.
	Roundoff = 0.01 * KKT
	// Singular is the pivot, relative to the diagonal of the positive terms, below which
	// the Hessian counts as not positive definite.
	Singular = 1e-12
	Nudge    = KKT // how far beyond a jump point, relative to the age, its landing point is looked for
)
