package rehline

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestUsedMemory: what earlier solves left in memory changes no number of a solve.
func TestUsedMemory(t *testing.T) {
	const n, d = 300, 7
	r := rand.New(rand.NewPCG(31, 1))
	x, y, class := newMatrix(n, d), make([]float64, n), make([]float64, n)
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	for i := range y {
		y[i] = x.Data[i*d] + r.NormFloat64()
		class[i] = math.Copysign(1, y[i])
	}
	ones := slices.Repeat([]float64{1}, d)
	for name, loss := range map[string]Loss{
		"hinge": Hinge(class), "smoothed": SmoothedHinge(class), "squared": Squared(y), "median": Quantile(y, 0.5), "Huber": Huber(y, 0.5),
		"tube": EpsilonInsensitive(y, 0.2), "composite": {U: Hinge(class).U, V: Hinge(class).V, S: Huber(y, 1.0).S, T: Huber(y, 1.0).T, Tau: Huber(y, 1.0).Tau},
	} {
		for at, p := range []Problem{
			{C: 1.0 / n}, {C: 1}, {C: 100}, {C: 1, Intercept: FreeIntercept, L1: ones}, {C: 1, L1: ones, NoRidge: true},
			{C: 0.1, Constraints: Sum(d, 1)},
		} {
			t.Run(fmt.Sprint(name, at), func(t *testing.T) {
				p.X, p.Loss = x, loss
				var solutions [2]Solution
				for k := range solutions {
					from := new(arena)
					if k > 0 {
						from.numbers.whole = slices.Repeat([]float64{math.NaN()}, 1<<17)
						from.indices.whole = slices.Repeat([]int32{math.MaxInt32}, 1<<14)
						from.reset()
					}
					s, err := newSolver(p, from)
					if err != nil {
						t.Fatal(err)
					}
					if solutions[k], err = s.Solve(context.Background(), Options{}); err != nil {
						t.Fatal(err)
					}
				}
				if !reflect.DeepEqual(solutions[0], solutions[1]) {
					t.Errorf("%+v, in used memory %+v", solutions[0], solutions[1])
				}
			})
		}
	}
}
