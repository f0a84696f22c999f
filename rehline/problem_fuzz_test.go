package rehline_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

// genes makes parts of problems from bytes; when they end, all is zero.
type genes struct{ bytes []byte }

func (g *genes) next(n int) int {
	if len(g.bytes) == 0 {
		return 0
	}
	b := g.bytes[0]
	g.bytes = g.bytes[1:]
	return int(b) % n
}

// number is mostly small, and now and then what no one expects.
func (g *genes) number() float64 {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 1e300, -1e300, 1e-300, 5e-324, 1e154, 1e-160, math.MaxFloat64, math.Copysign(0, -1)}
	k := g.next(256)
	if k >= 256-len(odd) {
		return odd[k-(256-len(odd))]
	}
	return float64(k%17-8) / 4
}

func (g *genes) vector(n int) []float64 {
	if g.next(40) == 1 {
		n = max(0, n+g.next(3)-1)
	}
	return vector(n, func(int) float64 { return g.number() })
}

// matrix is mostly rows x cols, with a stride of its own.
func (g *genes) matrix(rows, cols int) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: cols + g.next(2)}
	if g.next(40) == 1 {
		m.Rows += g.next(5) - 2
	}
	if g.next(40) == 1 {
		m.Cols += g.next(5) - 2
	}
	if g.next(40) == 1 {
		m.Stride -= g.next(3)
	}
	m.Data = g.vector(max(0, m.Rows*m.Stride))
	return m
}

func (g *genes) loss(n int) rehline.Loss {
	y := g.vector(n)
	switch g.next(11) {
	case 0:
		return rehline.Hinge(y)
	case 1:
		return rehline.SquaredHinge(y)
	case 2:
		return rehline.SmoothedHinge(y)
	case 3:
		return rehline.Quantile(y, g.number())
	case 4:
		return rehline.EpsilonInsensitiveQuantile(y, g.number(), g.number())
	case 5:
		return rehline.EpsilonInsensitive(y, g.number())
	case 6:
		return rehline.SquaredEpsilonInsensitive(y, g.number())
	case 7:
		return rehline.Huber(y, g.number())
	}
	l, h := g.next(3), g.next(3)
	loss := rehline.Loss{U: g.matrix(l, n), V: g.matrix(l, n), S: g.matrix(h, n), T: g.matrix(h, n), Tau: g.matrix(h, n)}
	if g.next(2) == 1 {
		loss.Offset = g.vector(n)
	}
	return loss
}

func (g *genes) constraints(x blas64.General, d int) rehline.Constraints {
	switch g.next(8) {
	case 1:
		return rehline.NonNegative(d)
	case 2:
		return rehline.Box(g.vector(d), g.vector(d))
	case 3:
		return rehline.Monotone(d, g.next(2) == 1)
	case 4:
		return rehline.Sum(d, g.number())
	case 5:
		return rehline.Fairness(x, nil, list(1+g.next(2), func(int) []float64 { return g.vector(x.Rows) }), g.number())
	case 6:
		k := g.next(5)
		c := rehline.Custom(g.matrix(k, d), g.vector(k))
		if g.next(2) == 1 {
			c.Equality = list(g.next(6), func(int) bool { return g.next(2) == 1 })
		}
		return c
	}
	return rehline.Constraints{}
}

func list[T any](n int, f func(i int) T) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

func (g *genes) problem() rehline.Problem {
	n, d := g.next(7), g.next(5)
	p := rehline.Problem{X: g.matrix(n, d), Loss: g.loss(n), C: math.Abs(g.number()), Ridge: math.Abs(g.number()), Intercept: rehline.Intercept(g.next(80) % 3)}
	p.Constraints = g.constraints(p.X, d)
	if g.next(3) == 1 {
		p.Weights = g.vector(n)
	}
	if g.next(3) == 1 {
		p.L1 = g.vector(d)
	}
	if g.next(4) == 1 {
		p.NoRidge, p.Ridge = true, 0
	}
	return p
}

// FuzzProblem makes a problem of bytes: raw shapes, sizes from the smallest to
// the largest number, what is no number, and every constructor. Whatever comes
// out is an error that names the part, or a solution in numbers.
func FuzzProblem(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x04\x02 one of several seeds: letters are as good as any other bytes"))
	f.Fuzz(func(t *testing.T, bytes []byte) {
		p := (&genes{bytes}).problem()
		sol, err := rehline.Solve(context.Background(), p, rehline.Options{Tol: 1e-6, MaxPasses: 300})
		if err != nil {
			var input *rehline.InputError
			if !errors.As(err, &input) || input.What == "" {
				t.Fatalf("error %v", err)
			}
			return
		}
		for _, v := range append([]float64{sol.Intercept, sol.Objective, sol.DualObjective, sol.Gap, sol.PrimalInfeasibility}, sol.Beta...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("not a finite number: %+v\nof %+v", sol, p)
			}
		}
		if sol.Status < rehline.Solved || sol.Status > rehline.Stalled || sol.Gap < 0 {
			t.Fatalf("%v with gap %g", sol.Status, sol.Gap)
		}
	})
}
