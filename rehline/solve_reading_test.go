package rehline

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestLateCheck: what is wrong with X is found, and comes before what else is wrong, also where a
// solve begins with some of the samples, which may be without fault.
func TestLateCheck(t *testing.T) {
	const n, d = 3000, 50
	r := rand.New(rand.NewPCG(41, 1))
	y := make([]float64, n)
	for i := range y {
		y[i] = r.NormFloat64()
	}
	for name, loss := range map[string]Loss{"Huber": Huber(y, 1.0), "squared": Squared(y), "median": Quantile(y, 0.5)} {
		for _, i := range []int{0, 1, n / 2, n - 1} {
			for _, bad := range []float64{math.NaN(), math.Inf(-1), 1e300, -1e101, 1e100, 1e90, 2} {
				for _, ridge := range []float64{1, -1} {
					p := Problem{X: newMatrix(n, d), Loss: loss, C: 0.1 / n, Ridge: ridge}
					for k := range p.X.Data {
						p.X.Data[k] = r.NormFloat64()
					}
					p.X.Data[i*d+1] = bad
					want := p.Check()
					if math.Abs(bad) > 10 && math.Abs(bad) <= largest && ridge > 0 {
						continue // a solve may end with another error
					}
					sol, err := Solve(context.Background(), p, Options{})
					if fmt.Sprint(err) != fmt.Sprint(want) {
						t.Errorf("%s, %g in row %d: %v, want %v", name, bad, i, err, want)
					}
					if want == nil && sol.Status != Solved {
						t.Errorf("%s: %v", name, sol.Status)
					}
				}
			}
		}
	}
}

// TestLateNumbers solves where the squares of X's numbers say nothing of them.
func TestLateNumbers(t *testing.T) {
	const n, d = 3000, 50
	r := rand.New(rand.NewPCG(42, 1))
	p := Problem{X: newMatrix(n, d), C: 1e-100, Ridge: 1e100}
	y := make([]float64, n)
	for i := range y {
		y[i] = r.NormFloat64()
	}
	for i := range p.X.Data {
		p.X.Data[i] = 1e98 * r.NormFloat64()
	}
	for name, loss := range map[string]Loss{"Huber": Huber(y, 1.0), "median": Quantile(y, 0.5)} {
		p.Loss = loss
		got, err := Solve(context.Background(), p, Options{})
		s, other := New(p)
		if other != nil {
			t.Fatal(other)
		}
		want, other := s.Solve(context.Background(), Options{})
		if fmt.Sprint(err) != fmt.Sprint(other) || math.Abs(got.Objective-want.Objective) > 1e-4*want.Objective {
			t.Errorf("%s: %g, %v, want %g, %v", name, got.Objective, err, want.Objective, other)
		}
	}
}
