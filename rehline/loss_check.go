package rehline

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// Kinds of wrong input; an InputError wraps one of them.
var (
	ErrShape      = errors.New("shapes do not fit")
	ErrNotFinite  = errors.New("not a finite number")
	ErrRange      = errors.New("out of range")
	ErrInfeasible = errors.New("no coefficients satisfy the constraints")
)

// InputError says which part of the input is wrong and what is allowed.
type InputError struct {
	What     string // such as "Loss.Tau" or "Box: lower".
	Row, Col int    // 0-based; -1 if there is none.
	Detail   string
	Err      error // ErrShape, ErrNotFinite, ErrRange or ErrInfeasible.
}

func (e *InputError) Error() string {
	var at strings.Builder
	for _, i := range []int{e.Row, e.Col} {
		if i >= 0 {
			fmt.Fprintf(&at, "[%d]", i)
		}
	}
	return fmt.Sprintf("rehline: %s%s: %s: %v", e.What, at.String(), e.Detail, e.Err)
}

func (e *InputError) Unwrap() error { return e.Err }

// Check returns an *InputError for the first wrong shape, NaN, infinity, number above 1e100 in size
// or negative threshold.
func (l Loss) Check() error {
	if l.err != nil {
		return l.err
	}
	n := l.N()
	for _, m := range []struct {
		name    string
		matrix  blas64.General
		like    blas64.General
		partner string
	}{
		{"Loss.U", l.U, l.U, ""}, {"Loss.V", l.V, l.U, "Loss.U"},
		{"Loss.S", l.S, l.S, ""}, {"Loss.T", l.T, l.S, "Loss.S"}, {"Loss.Tau", l.Tau, l.S, "Loss.S"},
	} {
		if m.matrix.Rows != m.like.Rows {
			return shapeError(m.name, "%d rows, but %s has %d", m.matrix.Rows, m.partner, m.like.Rows)
		}
		if err := checkMatrix(m.name, m.matrix, n); err != nil {
			return err
		}
		if m.name == "Loss.Tau" {
			continue // may be infinite
		}
		if err := checkNumbers(m.name, m.matrix, n, largest); err != nil {
			return err
		}
	}
	for r := range l.Tau.Rows {
		for i, v := range row(l.Tau, r) {
			if !(v >= 0) {
				return rangeError("Loss.Tau", r, i, "%g; a threshold is >= 0 or +Inf", v)
			}
		}
	}
	if l.Offset != nil && len(l.Offset) != n {
		return shapeError("Loss.Offset", "length %d for %d samples; it is nil or has one value per sample", len(l.Offset), n)
	}
	return checkVector("Loss.Offset", l.Offset, largest)
}

func shapeError(what, format string, args ...any) error {
	return &InputError{what, -1, -1, fmt.Sprintf(format, args...), ErrShape}
}

func rangeError(what string, row, col int, format string, args ...any) error {
	return &InputError{what, row, col, fmt.Sprintf(format, args...), ErrRange}
}

func checkMatrix(what string, m blas64.General, cols int) error {
	switch {
	case m.Rows < 0 || m.Cols < 0:
		return shapeError(what, "%d x %d", m.Rows, m.Cols)
	case m.Rows == 0:
		return nil
	case m.Cols != cols:
		return shapeError(what, "%d columns where %d are needed", m.Cols, cols)
	case m.Stride < m.Cols:
		return shapeError(what, "stride %d for %d columns", m.Stride, m.Cols)
	case len(m.Data) < (m.Rows-1)*m.Stride+m.Cols:
		return shapeError(what, "%d values for %d rows of stride %d and %d columns", len(m.Data), m.Rows, m.Stride, m.Cols)
	}
	return nil
}

// checkNumbers checks the shape, and that numbers are finite and at most [most] in size.
func checkNumbers(what string, m blas64.General, cols int, most float64) error {
	err := checkMatrix(what, m, cols)
	for r := 0; r < m.Rows && err == nil; r++ {
		err = checkRow(what, r, row(m, r), most)
	}
	return err
}

func checkVector(what string, values []float64, most float64) error {
	return checkRow(what, -1, values, most)
}

// checkRow passes numbers whose sum of squares proves them moderate, whatever the rounding. Row -1
// is a vector.
func checkRow(what string, r int, values []float64, most float64) error {
	if kernel.Dot(values, values) <= 1e-2*largest*largest {
		return nil
	}
	for c, v := range values {
		if math.Abs(v) <= most && finite(v) {
			continue
		}
		if r < 0 {
			r, c = c, -1
		}
		if !finite(v) {
			return &InputError{what, r, c, fmt.Sprint(v), ErrNotFinite}
		}
		return rangeError(what, r, c, "%g; its size is at most %g", v, most)
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
