package rehline

import "gonum.org/v1/gonum/blas/blas64"

// Constraints are K linear constraints A β + b >= 0 on the d coefficients. Rows
// flagged in Equality hold with equality, A_k·β + b_k = 0. They bind the
// coefficients, not the intercept. The zero value is no constraint.
type Constraints struct {
	A        blas64.General // K x d, row-major.
	B        []float64      // K.
	Equality []bool         // K, or nil where none is an equality.

	err error // of the arguments they were built from, kept for Check
}
