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

// Check returns an *InputError for the first wrong shape, NaN, infinity or negative threshold.
func (l Loss) Check() error {
	_, err := l.check()
	return err
}

// check is Check; known reports that the terms' numbers are moderate.
func (l *Loss) check() (known bool, err error) {
	if l.err != nil {
		return false, l.err
	}
	n := l.N()
	known = true
	for _, m := range []struct {
		name    string
		matrix  blas64.General
		like    blas64.General
		partner string
		numbers bool
	}{
		{"Loss.U", l.U, l.U, "", true}, {"Loss.V", l.V, l.U, "Loss.U", true},
		{"Loss.S", l.S, l.S, "", true}, {"Loss.T", l.T, l.S, "Loss.S", true},
		{"Loss.Tau", l.Tau, l.S, "Loss.S", false},
	} {
		if m.matrix.Rows != m.like.Rows {
			return false, shapeError(m.name, "%d rows, but %s has %d", m.matrix.Rows, m.partner, m.like.Rows)
		}
		if err := checkMatrix(m.name, m.matrix, n); err != nil {
			return false, err
		}
		if m.numbers && !moderate(m.matrix) {
			known = false
			if err := checkFinite(m.name, m.matrix); err != nil {
				return false, err
			}
		}
	}
	return known, l.checkRest(n)
}

func (l *Loss) checkRest(n int) error {
	for r := range l.Tau.Rows {
		tau := row(l.Tau, r)
		for i, v := range tau {
			if !(v >= 0) {
				return rangeError("Loss.Tau", r, i, "%g; a threshold is >= 0 or +Inf", v)
			}
		}
	}
	if l.Offset != nil && len(l.Offset) != n {
		return shapeError("Loss.Offset", "length %d for %d samples; it is nil or has one value per sample", len(l.Offset), n)
	}
	return checkFiniteSlice("Loss.Offset", l.Offset)
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

func checkNumbers(what string, m blas64.General, cols int) error {
	if err := checkMatrix(what, m, cols); err != nil {
		return err
	}
	return checkFinite(what, m)
}

// moderateSum is a sum of squares that proves every number in it finite and at most largest in
// size, whatever the rounding.
const moderateSum = 1e-2 * largest * largest

// moderate proves that all entries are finite and at most largest in size; false proves nothing.
func moderate(m blas64.General) bool {
	if m.Stride == m.Cols {
		m.Rows, m.Cols = min(m.Rows, 1), m.Rows*m.Cols
	}
	for r := range m.Rows {
		if values := row(m, r); !(kernel.Dot(values, values) <= moderateSum) {
			return false
		}
	}
	return true
}

func checkFinite(what string, m blas64.General) error {
	if moderate(m) {
		return nil
	}
	for r := range m.Rows {
		for i, v := range row(m, r) {
			if !finite(v) {
				return &InputError{what, r, i, fmt.Sprint(v), ErrNotFinite}
			}
		}
	}
	return nil
}

func checkFiniteSlice(what string, values []float64) error {
	if moderate(vector(values)) {
		return nil
	}
	for i, v := range values {
		if !finite(v) {
			return &InputError{what, i, -1, fmt.Sprint(v), ErrNotFinite}
		}
	}
	return nil
}

func vector(values []float64) blas64.General {
	return blas64.General{Rows: 1, Cols: len(values), Data: values}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
