package rehline

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// Constraints are K linear constraints A β + b >= 0 on the d coefficients, or = 0 in the rows
// flagged in Equality. They do not bind the intercept. The zero value has none.
type Constraints struct {
	A        blas64.General // K x d, row-major.
	B        []float64
	Equality []bool // nil without equalities.

	err error // of the constructor, for Check
}

// N returns the number of constraints.
func (c Constraints) N() int { return c.A.Rows }

// Check returns an *InputError, also for a row of zeros that no coefficients satisfy
// (ErrInfeasible).
func (c Constraints) Check() error {
	if c.err != nil {
		return c.err
	}
	if err := checkNumbers("Constraints.A", c.A, c.A.Cols, largest); err != nil {
		return err
	}
	switch rows := c.A.Rows; {
	case rows > 0 && c.A.Cols <= 0:
		return shapeError("Constraints.A", "%d columns; there is one for each coefficient", c.A.Cols)
	case len(c.B) != rows:
		return shapeError("Constraints.B", "%d values for %d rows of A", len(c.B), rows)
	case c.Equality != nil && len(c.Equality) != rows:
		return shapeError("Constraints.Equality", "%d flags for %d rows of A; it is nil or has one per row", len(c.Equality), rows)
	}
	if err := checkVector("Constraints.B", c.B, largest); err != nil {
		return err
	}
	for k, b := range c.B {
		equal := c.equal(k)
		if zero(row(c.A, k)) && (b < 0 || equal && b != 0) {
			relation := map[bool]string{true: "=", false: ">="}[equal]
			return &InputError{"Constraints", k, -1, fmt.Sprintf("row of zeros with 0 + %g %s 0", b, relation), ErrInfeasible}
		}
	}
	return nil
}

func (c Constraints) equal(k int) bool { return c.Equality != nil && c.Equality[k] }

func zero(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != 0 })
}

// Custom is A β + b >= 0 with A of K x d, row-major.
func Custom(a blas64.General, b []float64) Constraints { return Constraints{A: a, B: b} }

func newConstraints(rows, cols int) Constraints {
	if rows == 0 {
		return Constraints{}
	}
	return Constraints{A: newMatrix(rows, cols), B: make([]float64, rows)}
}

func coefficients(name string, d int) error {
	if d < 1 {
		return shapeError(name+": d", "%d coefficients; there is at least one", d)
	}
	return nil
}
