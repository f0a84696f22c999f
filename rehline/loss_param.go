package rehline

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// Parameter is a parameter of a loss or constraint by name: one number for all,
// or a slice with one number each.
type Parameter interface{ float64 | int | []float64 }

// parameter is a Parameter of n samples, read through at.
type parameter struct {
	common float64
	each   []float64 // nil where common holds for all
}

func (p parameter) at(i int) float64 {
	if p.each == nil {
		return p.common
	}
	return p.each[i]
}

// newParameter returns p for n samples or columns, or an *InputError where it
// has another length or a value that allowed refuses; rule says what allowed
// wants.
func newParameter[P Parameter](what string, p P, n int, allowed func(float64) bool, rule string) (parameter, error) {
	var out parameter
	switch v := any(p).(type) {
	case float64:
		out.common = v
	case int:
		out.common = float64(v)
	case []float64:
		if len(v) != n || v == nil {
			return out, shapeError(what, "%d values; there is one for all or one for each of %d", len(v), n)
		}
		for i, x := range v {
			if !allowed(x) {
				return out, rangeError(what, i, -1, "%g; %s", x, rule)
			}
		}
		out.each = v
		return out, nil
	}
	if !allowed(out.common) {
		return out, rangeError(what, -1, -1, "%g; %s", out.common, rule)
	}
	return out, nil
}

const (
	levelRule     = "a quantile level is in [0, 1]"
	toleranceRule = "a tolerance is finite and >= 0"
	thresholdRule = "a threshold is > 0 and may be +Inf"
)

func isLevel(q float64) bool     { return q >= 0 && q <= 1 }
func isTolerance(e float64) bool { return e >= 0 && !math.IsInf(e, 1) }
func isThreshold(d float64) bool { return d > 0 }

// withParameter returns the loss that build makes for the parameter p of the samples y, or
// one whose Check reports what is wrong with it.
func withParameter[P Parameter](what string, y []float64, p P, allowed func(float64) bool, rule string,
	build func(parameter) Loss) Loss {
	q, err := newParameter(what, p, len(y), allowed, rule)
	if err != nil {
		return failedLoss(len(y), err)
	}
	return build(q)
}

// relus returns the loss of n samples with the given terms.
func relus(n int, terms ...func(i int) ReLU) Loss {
	l := Loss{U: newMatrix(len(terms), n), V: newMatrix(len(terms), n)}
	for r, term := range terms {
		u, v := row(l.U, r), row(l.V, r)
		for i := range n {
			t := term(i)
			u[i], v[i] = t.U, t.V
		}
	}
	return l
}

// rehus is relus for the other kind of terms.
func rehus(n int, terms ...func(i int) ReHU) Loss {
	l := Loss{S: newMatrix(len(terms), n), T: newMatrix(len(terms), n), Tau: newMatrix(len(terms), n)}
	for r, term := range terms {
		s, at, tau := row(l.S, r), row(l.T, r), row(l.Tau, r)
		for i := range n {
			t := term(i)
			s[i], at[i], tau[i] = t.S, t.T, t.Tau
		}
	}
	return l
}

// failedLoss returns a loss of n samples whose Check reports err.
func failedLoss(n int, err error) Loss {
	return Loss{U: blas64.General{Cols: n}, err: err}
}

func newMatrix(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}
