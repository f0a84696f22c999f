package rehline_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

func losses(class, y []float64) map[string]rehline.Loss {
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
		"maximum of quadratics":        largestQuadratic(y),
	}
}

// largestQuadratic is the largest of r², 2r + 1/2 and -r + 1/4 with r = z - y.
func largestQuadratic(y []float64) rehline.Loss {
	n := len(y)
	left, middle, right := -(1+math.Sqrt2)/2, -1.0/12, 1+math.Sqrt(1.5) // where two of these meet
	slopes, kinks := []float64{2, -1, 2*right - 2, 2*left + 1}, []float64{middle, middle, right, left}
	ends := []float64{right, left}
	return rehline.Loss{
		U:      general(4, n, func(r, _ int) float64 { return slopes[r] }),
		V:      general(4, n, func(r, i int) float64 { return -slopes[r] * (y[i] + kinks[r]) }),
		S:      general(2, n, func(r, _ int) float64 { return math.Copysign(math.Sqrt2, ends[r]) }),
		T:      general(2, n, func(r, i int) float64 { return -math.Copysign(math.Sqrt2, ends[r]) * (y[i] + ends[r]) }),
		Tau:    general(2, n, func(int, int) float64 { return math.Inf(1) }),
		Offset: vector(n, func(int) float64 { return 1.0 / 3 }),
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

// both joins the rows of two constraints.
func both(a, b rehline.Constraints) rehline.Constraints {
	equal := func(k int) bool {
		of := a
		if k >= a.N() {
			of, k = b, k-a.N()
		}
		return of.Equality != nil && of.Equality[k]
	}
	return rehline.Constraints{A: blas64.General{Rows: a.N() + b.N(), Cols: a.A.Cols, Stride: a.A.Cols, Data: slices.Concat(a.A.Data, b.A.Data)},
		B: slices.Concat(a.B, b.B), Equality: list(a.N()+b.N(), equal)}
}

// exactly makes the first constraint an equality and leaves out the others.
func exactly(c rehline.Constraints) rehline.Constraints {
	c.A.Rows, c.B, c.Equality = 1, c.B[:1], []bool{true}
	return c
}

func constraintsOf(x blas64.General, r *rand.Rand) map[string]rehline.Constraints {
	d := x.Cols
	private := [][]float64{vector(x.Rows, func(i int) float64 { return x.Data[i*x.Stride] + 0.3*r.NormFloat64() })}
	return map[string]rehline.Constraints{
		"none":         {},
		"non-negative": rehline.NonNegative(d),
		"box":          rehline.Box(vector(d, func(int) float64 { return -0.1 }), vector(d, func(int) float64 { return 0.2 })),
		"increasing":   rehline.Monotone(d, true),
		"decreasing":   rehline.Monotone(d, false),
		"exactly fair": exactly(rehline.Fairness(x, nil, private, 0)),
		"fixed":        rehline.Box(append([]float64{0.1}, vector(d-1, func(int) float64 { return math.Inf(-1) })...), append([]float64{0.1}, vector(d-1, func(int) float64 { return 0.3 })...)),
		"fairness":     rehline.Fairness(x, nil, private, 0.01),
		"sum":          rehline.Sum(d, 0.5),
		"shifted":      rehline.Custom(general(2, d, func(i, j int) float64 { return float64((i+j)%2) + 0.1 }), []float64{-0.3, -0.2}),
		"redundant":    both(both(rehline.NonNegative(d), rehline.NonNegative(d)), both(rehline.Sum(d, 0.4), rehline.Sum(d, 0.4))),
	}
}

// TestAccuracy solves every loss with every constraint and penalty, with and without weights and with each kind of intercept. It compares
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
	step := 1
	if testing.Short() {
		step = 3
	}
	for loss, l := range losses(class, y) {
		for name, c := range constraintsOf(x, r) {
			t.Run(loss+"/"+name, func(t *testing.T) {
				t.Parallel()
				for k := 0; k < 16; k += step {
					p := rehline.Problem{X: x, Loss: l, Constraints: c, Ridge: 0.5, C: 0.05, Intercept: rehline.Intercept(k % 2)}
					if k/2%2 == 1 {
						p.L1 = lasso
					}
					if k/4%2 == 1 {
						p.C = 5
					}
					if k >= 8 {
						p.Weights = weights
					}
					compare(t, fmt.Sprintf("case %d", k), p, reference(t, p))
				}
			})
		}
	}
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
		certify(t, what, p, sol, 1e-10)
	}
}
