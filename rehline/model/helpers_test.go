package model_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

func general(rows, cols int, f func(i, j int) float64) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
	for i := range rows {
		for j := range cols {
			m.Data[i*cols+j] = f(i, j)
		}
	}
	return m
}

func vector(n int, f func(i int) float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

// compress returns x without its zeros.
func compress(x blas64.General) *rehline.CSR {
	m := &rehline.CSR{Rows: x.Rows, Cols: x.Cols, Start: []int{0}}
	for i := range x.Rows {
		for j := range x.Cols {
			if v := x.Data[i*x.Stride+j]; v != 0 {
				m.Index = append(m.Index, j)
				m.Data = append(m.Data, v)
			}
		}
		m.Start = append(m.Start, len(m.Index))
	}
	return m
}

// losses are all that have a name, and one with several terms that turn at
// different scores.
func losses(class, y []float64) map[string]rehline.Loss {
	quadratics, err := rehline.DecomposeMax([]rehline.Quadratic{{A: 1, B: 0, C: 0}, {A: 0, B: 2, C: 0.5}, {A: 0, B: -1, C: 0.25}})
	if err != nil {
		panic(err)
	}
	return map[string]rehline.Loss{
		"hinge":                        rehline.Hinge(class),
		"squared hinge":                rehline.SquaredHinge(class),
		"smoothed hinge":               rehline.SmoothedHinge(class),
		"quantile":                     rehline.Quantile(y, 0.3),
		"epsilon-insensitive quantile": rehline.EpsilonInsensitiveQuantile(y, 0.7, 0.1),
		"epsilon-insensitive":          rehline.EpsilonInsensitive(y, 0.2),
		"squared epsilon-insensitive":  rehline.SquaredEpsilonInsensitive(y, 0.2),
		"huber":                        rehline.Huber(y, 0.5),
		"absolute":                     rehline.Absolute(y),
		"squared":                      rehline.Squared(y),
		"raw terms":                    rawTerms(y),
		"maximum of quadratics":        rehline.Samples(quadratics, len(y), 1.0, vector(len(y), func(i int) float64 { return -y[i] }), 1.0),
	}
}

// rawTerms is a loss given by its matrices: terms that do not turn together,
// thresholds of all kinds and terms that do not depend on the score.
func rawTerms(y []float64) rehline.Loss {
	n := len(y)
	flat := func(i int) float64 { return float64(min(1, i%7)) } // 0 for every seventh sample
	return rehline.Loss{
		U:   general(3, n, func(r, i int) float64 { return []float64{1, -0.5, 2}[r] * flat(i) }),
		V:   general(3, n, func(r, i int) float64 { return []float64{-y[i], 0.5*y[i] - 0.1, 0.3 - 2*y[i]}[r] }),
		S:   general(2, n, func(r, i int) float64 { return []float64{-1, 0.7}[r] * flat(i+1) }),
		T:   general(2, n, func(r, i int) float64 { return []float64{y[i] + 0.2, -y[i]}[r] }),
		Tau: general(2, n, func(r, i int) float64 { return []float64{math.Inf(1), 0, 0.4}[(i+r)%3] }),
	}
}

// data are n standard normal samples of d features and noisy targets.
func data(seed uint64, n, d int) (x blas64.General, class, y []float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	x = general(n, d, func(int, int) float64 { return r.NormFloat64() })
	y = vector(n, func(i int) float64 {
		return x.Data[i*d] - 0.5*x.Data[i*d+d-1] + 0.5*r.NormFloat64()
	})
	return x, vector(n, func(i int) float64 { return math.Copysign(1, y[i]) }), y
}

func solve(t *testing.T, p rehline.Problem, o rehline.Options) rehline.Solution {
	t.Helper()
	sol, err := rehline.Solve(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return sol
}

// dot allows for rows that were made when there were fewer variables.
func dot(row, x []float64) float64 {
	var s float64
	for j, v := range row {
		s += v * x[j]
	}
	return s
}

// features returns n rows of d columns.
func features(d int, values ...float64) blas64.General {
	return blas64.General{Rows: len(values) / d, Cols: d, Stride: d, Data: values}
}
