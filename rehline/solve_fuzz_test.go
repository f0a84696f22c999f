package rehline_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/rehline"
)

// FuzzSolve makes small problems from a seed, with sizes of features, costs and
// penalties over many orders and with rows, columns, weights and thresholds of
// zero, and puts one given number somewhere. Whatever comes out is an error of a
// known type, or a solution whose certificate holds.
func FuzzSolve(f *testing.F) {
	f.Add(uint64(1), uint16(0), 1.0)
	f.Add(uint64(2), uint16(0x1234), math.Inf(1))
	f.Add(uint64(3), uint16(0xffff), math.NaN())
	f.Add(uint64(4), uint16(0x0f0f), -1e-300)
	f.Fuzz(func(t *testing.T, seed uint64, kind uint16, odd float64) {
		r := rand.New(rand.NewPCG(seed, 9))
		n, d := 1+r.IntN(12), 1+r.IntN(5)
		size := math.Pow(10, float64(r.IntN(7)-3))
		x := general(n, d, func(int, int) float64 { return float64(r.IntN(3)) * size * r.NormFloat64() })
		y := vector(n, func(int) float64 { return float64(r.IntN(4)) * r.NormFloat64() })
		class := vector(n, func(int) float64 { return float64(2*r.IntN(2) - 1) })
		var list []rehline.Loss
		all := losses(class, y)
		for _, name := range []string{"hinge", "squared hinge", "smoothed hinge", "quantile", "epsilon-insensitive", "huber", "squared", "maximum of quadratics"} {
			list = append(list, all[name])
		}
		p := rehline.Problem{X: x, Loss: list[int(kind)%len(list)], C: math.Pow(10, float64(r.IntN(9)-4)), Ridge: math.Pow(10, float64(r.IntN(5)-2)),
			Intercept: rehline.Intercept(kind >> 3 % 2)}
		if kind>>5&1 == 1 {
			p.Weights = vector(n, func(int) float64 { return float64(r.IntN(3)) })
		}
		if kind>>6&1 == 1 {
			p.L1 = vector(d, func(int) float64 { return float64(r.IntN(3)) * p.C })
		}
		if kind>>9&1 == 1 {
			p.NoRidge, p.Ridge = true, 0
			p.L1 = vector(d, func(int) float64 { return math.Pow(10, float64(r.IntN(4)-2)) * p.C })
		}
		if kind>>7&1 == 1 {
			p.Constraints = rehline.Custom(general(2, d, func(int, int) float64 { return float64(r.IntN(3) - 1) }), []float64{float64(r.IntN(3) - 1), 1})
		}
		if kind>>8&1 == 1 {
			p.X.Data[r.IntN(len(p.X.Data))] = odd
		}
		sol, err := rehline.Solve(context.Background(), p, rehline.Options{Tol: 1e-6, MaxPasses: 20000})
		if err != nil {
			var input *rehline.InputError
			if !errors.As(err, &input) && !errors.Is(err, rehline.ErrInfeasible) {
				t.Fatalf("error %v", err)
			}
			return
		}
		for _, v := range append([]float64{sol.Intercept, sol.Objective, sol.DualObjective, sol.Gap, sol.PrimalInfeasibility}, sol.Beta...) {
			if math.IsNaN(v) {
				t.Fatalf("not a number: %+v", sol)
			}
		}
		if sol.Gap < 0 || sol.PrimalInfeasibility <= 0 && sol.DualObjective > sol.Objective+1e-9*math.Abs(sol.Objective)+1e-9 {
			t.Fatalf("gap %v of %v and %v", sol.Gap, sol.Objective, sol.DualObjective)
		}
		// Where the optimum is next to nothing beside the objective at zero, so is
		// the gap.
		atZero := make([]float64, n)
		p.Loss.Value(atZero, make([]float64, n))
		var origin float64
		for i, v := range atZero {
			if p.Weights != nil {
				v *= p.Weights[i]
			}
			origin += p.C * v
		}
		if kind>>8&1 == 0 && sol.Status != rehline.Solved && sol.Gap*math.Abs(sol.Objective) > 1e-14*origin {
			t.Fatalf("%v with gap %v, infeasibility %v after %+v", sol.Status, sol.Gap, sol.PrimalInfeasibility, sol.Iterations)
		}
	})
}
