package rehline

import (
	"fmt"
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
				return out, &InputError{what, i, -1, fmt.Sprintf("%g; %s", x, rule), ErrRange}
			}
		}
		out.each = v
		return out, nil
	}
	if !allowed(out.common) {
		return out, &InputError{what, -1, -1, fmt.Sprintf("%g; %s", out.common, rule), ErrRange}
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

// newLoss returns a loss of n samples with the given numbers of ReLU and ReHU
// terms, all zero and all thresholds +Inf.
func newLoss(n, relus, rehus int) Loss {
	var l Loss
	if relus > 0 {
		l.U, l.V = newMatrix(relus, n), newMatrix(relus, n)
	}
	if rehus > 0 {
		l.S, l.T, l.Tau = newMatrix(rehus, n), newMatrix(rehus, n), newMatrix(rehus, n)
		for i := range l.Tau.Data {
			l.Tau.Data[i] = math.Inf(1)
		}
	}
	return l
}

// failedLoss returns a loss of n samples whose Check reports err.
func failedLoss(n int, err error) Loss {
	return Loss{U: blas64.General{Cols: n}, err: err}
}

// setReLU sets the ReLU term r of sample i to ReLU(u z + v).
func (l Loss) setReLU(r, i int, u, v float64) {
	l.U.Data[r*l.U.Stride+i] = u
	l.V.Data[r*l.V.Stride+i] = v
}

// setReHU sets the ReHU term r of sample i to ReHU_τ(s z + t).
func (l Loss) setReHU(r, i int, s, t, tau float64) {
	l.S.Data[r*l.S.Stride+i] = s
	l.T.Data[r*l.T.Stride+i] = t
	l.Tau.Data[r*l.Tau.Stride+i] = tau
}

func newMatrix(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}
