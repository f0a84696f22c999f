package rehline

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

const (
	levelRule     = "a quantile level is in [0, 1]"
	toleranceRule = "a tolerance is finite and >= 0"
	thresholdRule = "a threshold is > 0 and may be +Inf"
)

func isLevel(q float64) bool     { return q >= 0 && q <= 1 }
func isTolerance(e float64) bool { return e >= 0 && !math.IsInf(e, 1) }
func isThreshold(d float64) bool { return d > 0 }

func checked(what string, n int, parameter float64, allowed func(float64) bool, rule string, build func() Loss) Loss {
	if !allowed(parameter) {
		return Loss{U: blas64.General{Cols: n}, err: rangeError(what, -1, -1, "%g; %s", parameter, rule)}
	}
	return build()
}

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

func newMatrix(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}
