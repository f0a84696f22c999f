package rehline_test

import (
	"context"
	"fmt"
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

func constraintsOf(x blas64.General, r *rand.Rand) map[string]rehline.Constraints {
	d := x.Cols
	private := general(x.Rows, 1, func(i, _ int) float64 { return x.Data[i*x.Stride] + 0.3*r.NormFloat64() })
	return map[string]rehline.Constraints{
		"none":         {},
		"non-negative": rehline.NonNegative(d),
		"box":          rehline.Box(vector(d, func(int) float64 { return -0.1 }), vector(d, func(int) float64 { return 0.2 })),
		"increasing":   rehline.Monotone(d, true),
		"decreasing":   rehline.Monotone(d, false),
		"exactly fair": rehline.Fairness(x, private, 0),
		"fixed":        rehline.Box(append([]float64{0.1}, vector(d-1, func(int) float64 { return math.Inf(-1) })...), append([]float64{0.1}, vector(d-1, func(int) float64 { return 0.3 })...)),
		"fairness":     rehline.Fairness(x, private, 0.01),
		"sum":          rehline.Sum(d, 0.5),
		"shifted":      rehline.Custom(general(2, d, func(i, j int) float64 { return float64((i+j)%2) + 0.1 }), []float64{-0.3, -0.2}),
		"redundant":    rehline.And(rehline.NonNegative(d), rehline.NonNegative(d), rehline.Sum(d, 0.4), rehline.Sum(d, 0.4)),
	}
}

// TestAccuracy solves every loss with every constraint and penalty, dense and
// sparse, with and without weights and with each kind of intercept. It compares
// with the interior-point method and checks the certificate by itself.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	const n, d = 16, 4
	r := rand.New(rand.NewPCG(3, 4))
	x := general(n, d, func(int, int) float64 {
		if r.IntN(4) == 0 {
			return 0
		}
		return r.NormFloat64()
	})
	clear(x.Data[5*d : 6*d]) // a row of zeros
	y := vector(n, func(i int) float64 { return x.Data[i*d] - 0.5*x.Data[i*d+1] + 0.4*r.NormFloat64() + 0.3 })
	class := vector(n, func(i int) float64 { return math.Copysign(1, y[i]) })
	weights := vector(n, func(i int) float64 { return float64(i%4) * r.Float64() })
	lasso := []float64{0.2, 0.05, 0, 1}
	for loss, l := range losses(class, y) {
		for name, c := range constraintsOf(x, r) {
			t.Run(loss+"/"+name, func(t *testing.T) {
				t.Parallel()
				for k := range 24 {
					p := rehline.Problem{X: x, Loss: l, Constraints: c, Ridge: 0.5, C: 0.05, Intercept: rehline.Intercept(k % 3)}
					if k/3%2 == 1 {
						p.L1 = lasso
					}
					if k/6%2 == 1 {
						p.C = 5
					}
					if k >= 12 {
						p.Weights = weights
					}
					want := reference(t, p)
					compare(t, fmt.Sprintf("case %d", k), p, want)
					p.Sparse, p.X = compress(p.X), blas64.General{}
					compare(t, fmt.Sprintf("sparse case %d", k), p, want)
				}
			})
		}
	}
}

// TestAccuracyOfFeatures does the same for losses that come with features of
// their own: several quantiles at once, and total variation.
func TestAccuracyOfFeatures(t *testing.T) {
	t.Parallel()
	const n, d = 12, 3
	r := rand.New(rand.NewPCG(6, 4))
	x := general(n, d, func(int, int) float64 { return r.NormFloat64() })
	y := vector(n, func(i int) float64 { return x.Data[i*d] + r.NormFloat64() })
	levels := []float64{0.2, 0.5, 0.9}
	composite, err := rehline.CompositeFeatures(x, len(levels), 10)
	if err != nil {
		t.Fatal(err)
	}
	ordered := general(2, d+3, func(k, j int) float64 { // intercepts that do not cross
		return []float64{0, -1, 1}[max(0, min(2, j-d-k+1))]
	})
	for name, p := range map[string]rehline.Problem{
		"composite quantile":              {X: composite, Loss: rehline.CompositeQuantile(y, levels...)},
		"composite quantile, ordered":     {X: composite, Loss: rehline.CompositeQuantile(y, levels...), Constraints: rehline.Custom(ordered, make([]float64, 2))},
		"composite quantile, pure L1":     {X: composite, Loss: rehline.CompositeQuantile(y, levels...), NoRidge: true},
		"total variation":                 {X: expanded(rehline.DifferenceFeatures(n)), Loss: rehline.TotalVariation(y)},
		"total variation, box":            {X: expanded(rehline.DifferenceFeatures(n)), Loss: rehline.TotalVariation(y), Constraints: rehline.Box(nil, vector(n, func(int) float64 { return 0.3 }))},
		"total variation, pure L1":        {X: expanded(rehline.DifferenceFeatures(n)), Loss: rehline.TotalVariation(y), NoRidge: true},
		"total variation, increasing, L1": {X: expanded(rehline.DifferenceFeatures(n)), Loss: rehline.TotalVariation(y), Constraints: rehline.Monotone(n, true)},
	} {
		for _, c := range []float64{0.1, 1, 20} {
			for k := range 4 {
				p.C, p.Weights, p.L1 = c, nil, nil
				if k%2 == 1 {
					p.Weights = vector(p.X.Rows, func(i int) float64 { return float64(1+i%3) / 2 })
				}
				if k/2 == 1 || p.NoRidge {
					p.L1 = vector(p.X.Cols, func(j int) float64 { return 0.1 + float64(j%3) })
				}
				what := fmt.Sprintf("%s, C = %g, case %d", name, c, k)
				want := reference(t, p)
				compare(t, what, p, want)
				q := p
				q.Sparse, q.X = compress(p.X), blas64.General{}
				compare(t, what+", sparse", q, want)
			}
		}
	}
}

func expanded(m *rehline.CSR) blas64.General {
	x := general(m.Rows, m.Cols, func(int, int) float64 { return 0 })
	for i := range m.Rows {
		for k := m.Start[i]; k < m.Start[i+1]; k++ {
			x.Data[i*x.Stride+m.Index[k]] = m.Data[k]
		}
	}
	return x
}

func compare(t *testing.T, what string, p rehline.Problem, want float64) {
	t.Helper()
	for _, method := range []rehline.Method{rehline.Automatic, rehline.NewtonOnly} {
		sol, err := rehline.Solve(context.Background(), p, rehline.Options{Tol: 1e-10, Method: method})
		if err != nil {
			t.Errorf("%s, method %d: %v", what, method, err)
			continue
		}
		if sol.Status != rehline.Solved || !(sol.Gap <= 1e-10) || !(sol.PrimalInfeasibility <= 1e-9) {
			t.Errorf("%s, method %d: %v with gap %g, infeasibility %g after %+v", what, method, sol.Status, sol.Gap, sol.PrimalInfeasibility, sol.Iterations)
		}
		if !(math.Abs(sol.Objective-want) <= 1e-8*(1+math.Abs(want))) {
			t.Errorf("%s, method %d: objective %.12g, the reference has %.12g", what, method, sol.Objective, want)
		}
		if p.Sparse == nil {
			certify(t, what, p, sol, 1e-10)
		}
	}
}
