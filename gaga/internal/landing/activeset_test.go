package landing

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/internal/kernel"
)

// Fits to weights that change a little, or altogether, are those of package convex.
func TestActiveSet(t *testing.T) {
	t.Parallel()
	fits := 0
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 7))
		n, d := 20+random.IntN(100), 1+random.IntN(25)
		set, intercept := overlapping(random, n, d), seed%2 == 0
		if seed%4 >= 2 {
			outliers(random, set)
		}
		p := set.problem(hinge{math.Exp(random.NormFloat64())}, hardly, 0, 1, intercept)
		m, ok := newMachine(condition.NewPrimal(p).State())
		if !ok {
			t.Fatal("no machine")
		}
		s := newActiveSet(m)
		s.look(s.All, p.Rows)
		solver := solverOf(p)
		top, weights, scaled := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range weights {
			weights[i] = random.Float64()
		}
		for round := range 30 {
			for i := range weights {
				switch {
				case round%10 == 9: // another problem
					weights[i] = max(0, 1.5*random.Float64()-0.5)
				case random.IntN(5) == 0:
					weights[i] = min(1, max(0, weights[i]+0.1*random.NormFloat64()))
				}
				scaled[i] = p.M[i] * weights[i]
				top[i] = p.Cost * scaled[i]
			}
			clear(s.c)
			for i := range n {
				if s.below(i) {
					kernel.Axpy(-s.Y[i]*top[i], s.Row(i), s.c)
				}
			}
			if !s.fits(func(i int) float64 { return top[i] }) {
				for i := range s.Place {
					s.Place[i] = s.Zero(i)
				}
				continue
			}
			fits++
			if _, err := solver.Solve(context.Background(), scaled); err != nil {
				t.Fatal(err)
			}
			want := append([]float64(nil), solver.Theta()...)
			if len(s.Free()) == 0 || !intercept {
				want[d] = 0 // an interval, or none
			}
			got := append(append([]float64(nil), s.theta...), 0)[:d+1]
			if len(s.Free()) == 0 {
				got[d] = 0
			}
			if off := far(got, want); off > 1e-8 {
				t.Errorf("seed %d, round %d, %d x %d: %v, want %v", seed, round, n, d, got, want)
			}
		}
	}
	if fits < 1100 {
		t.Errorf("only %d of 1200 fits came to an end", fits)
	}
	t.Logf("%d of 1200 fits", fits)
}
