package gaga

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

// A jump must land where plain alternate convex search goes from the last
// point: the tracker leaves the point by a push and in strides, which may end
// in another basin where several meet. That must stay rare: below 1 % of the
// jumps in general position (with tied samples the direction is arbitrary).
// A push a thousand times shorter, or along the generalized eigenvector, or no
// strides, do not make it rarer; plain steps alone take forty times as many.
func TestLandingsArePlainAlternation(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	problems := 300
	if needs.Long() {
		problems = 3000
	}
	alternations, same, slow, tied, other := 0, 0, 0, 0, map[Cause]int{}
	for seed := range problems {
		p := randomProblem(rand.New(rand.NewPCG(uint64(seed), 11)))
		path, err := Track(context.Background(), p, Options{Age: Range{0.01, 20}, MaxAlternations: 20000})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		knots := path.Knots()
		for _, r := range path.Restarts() {
			alternations += r.Iterations
		}
		for i, k := range knots[:max(0, len(knots)-1)] {
			landing := knots[i+1]
			if k.Kind != Jump || landing.Kind != Start || k.Cause == Stall {
				continue
			}
			plain := plainLanding(t, p, &k, landing.Age)
			switch {
			case plain == nil:
				slow++
			case far(plain, landing.Theta) > 1e-6:
				if integers(p.Y) {
					tied++
					continue
				}
				other[k.Cause]++
				if testing.Verbose() {
					t.Logf("seed %d, age %v, %v: %v, plain %v, from %v; %s", seed, k.Age, k.Detail, landing.Theta, plain, k.Theta, describeProblem(p))
				}
			default:
				same++
			}
		}
	}
	elsewhere := 0
	for _, n := range other {
		elsewhere += n
	}
	if elsewhere*100 > same {
		t.Errorf("%d of %d jumps land elsewhere", elsewhere, same+elsewhere)
	}
	t.Logf("%d jumps land where plain alternation does, %d were too slow to tell, elsewhere %v and %d with tied samples; %d alternations", same, slow, other, tied, alternations)
}

// plainLanding alternates from a knot at an age; nil if that takes too long.
func plainLanding(t *testing.T, p *Problem, from *Knot, age float64) []float64 {
	a, err := NewAlternation(p)
	if err != nil {
		t.Fatal(err)
	}
	a.SetTheta(from.Theta)
	_, err = a.Converge(context.Background(), age, 1e-12, 20000)
	if _, ok := errors.AsType[*NotConverged](err); ok {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return a.Theta()
}

// far returns the distance of two vectors relative to the larger.
func far(a, b []float64) float64 {
	off, size := 0.0, 0.0
	for j := range a {
		off = math.Max(off, math.Abs(a[j]-b[j]))
		size = math.Max(size, math.Max(math.Abs(a[j]), math.Abs(b[j])))
	}
	if size == 0 {
		return 0
	}
	return off / size
}

// integers reports whether all values are whole numbers, so that samples tie.
func integers(x []float64) bool {
	for _, v := range x {
		if v != math.Trunc(v) {
			return false
		}
	}
	return true
}
