package gaga

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// An event function within the slack of zero is a crossing now where it gets to zero at
// once, and else where it does get there, on its tangent or on its cubic.
func TestRoots(t *testing.T) {
	t.Parallel()
	const slack, soon, h = 1e-11, 1e-13, 0.5
	for _, c := range []struct {
		name        string
		value, rate float64
		tangent     float64 // age step
		cubic       float64 // part of h, for the function that goes on along its tangent
	}{
		{"far off", 0.1, -1, 0.1, 0.2},
		{"rising", 0.1, 1, math.Inf(1), math.Inf(1)},
		{"there, rising", 1e-15, 1, math.Inf(1), math.Inf(1)},
		{"at zero", 0, -1, 0, 0},
		{"beyond zero by rounding", -1e-12, -1, 0, 0},
		{"at zero at once", 1e-14, -1, 0, 0},
		{"within the slack, slow", 1e-12, -1e-9, 1e-3, 2e-3},
		{"within the slack, too slow for the step", 1e-12, -1e-13, 10, math.Inf(1)},
	} {
		l := boundary{c.value, c.rate}
		if got := tangentRoot(l, slack, soon); !near0(got, c.tangent) {
			t.Errorf("%s: zero of the tangent after %v, want %v", c.name, got, c.tangent)
		}
		r := boundary{c.value + h*c.rate, c.rate}
		if got := cubicRoot(l, r, h, slack, soon); !near0(got, c.cubic) {
			t.Errorf("%s: zero of the cubic at %v, want %v", c.name, got, c.cubic)
		}
	}
}

func near0(got, want float64) bool { return got == want || math.Abs(got-want) <= 1e-6*math.Abs(want) }

// The breadth of jumps that come right after landings grows, but only while they do.
func TestBreadth(t *testing.T) {
	t.Parallel()
	tr := &tracker{left: &point{age: 2}, landed: 2}
	for range patience {
		if b := tr.breadth(); b != hair {
			t.Errorf("breadth %v after few jumps, want %v", b, hair)
		}
	}
	for k := range 20 {
		if b, want := tr.breadth(), hair*math.Exp2(float64(k)); b != want {
			t.Errorf("breadth %v, want %v", b, want)
		}
	}
	tr.left.age = tr.landed * (1 + 1e-6) // less than the last breadth
	if b := tr.breadth(); b != hair {
		t.Errorf("breadth %v behind a branch that lasts, want %v", b, hair)
	}
}

// A window has few samples, but for those that are as good as at a boundary.
func TestWindowFit(t *testing.T) {
	t.Parallel()
	spread := func(n int, from, to float64) (near []float64) { // evenly on the logarithm
		for i := range n {
			near = append(near, from*math.Pow(to/from, (float64(i)+0.5)/float64(n)))
		}
		return near
	}
	for _, c := range []struct {
		name        string
		near        []float64
		least, most float64 // length
	}{
		{"even", spread(10000, 1e-3, 10), 5e-4, 2e-3},
		{"a tie", append(make([]float64, 5000), spread(10000, 1e-3, 10)...), 5e-4, 2e-3},
		{"a crowd nearby, then none", append(spread(5000, 1e-8, 1e-6), spread(10000, 0.1, 10)...), 0.05, 0.25},
	} {
		w := &window{near: c.near, age: 1, length: 0.5}
		w.fit(fewWatched, manyWatched, 20)
		if w.length < c.least || w.length > c.most {
			t.Errorf("%s: the window is %v long, want %v to %v", c.name, w.length, c.least, c.most)
		}
	}
}

// A step that has become shorter than the age can tell grows again.
func TestShortestStep(t *testing.T) {
	t.Parallel()
	p := twoPopulations(rand.New(rand.NewPCG(8, 3)), 60, 3, true, Mixture{Gamma: 0.5})
	for _, loss := range []Loss{Squared{}, Logistic{C: 1}} {
		if p.Loss = loss; loss != (Squared{}) {
			p.Penalty = Penalty{L2: 1}
			for i, y := range p.Y {
				p.Y[i] = math.Copysign(1, y)
			}
		}
		tr, err := newTracker(p, Options{Age: Range{0.4, 20}})
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		if err := tr.begin(ctx); err != nil {
			t.Fatal(err)
		}
		tr.step = 1e-18 * tr.left.age
		for range 60 {
			if err := tr.advance(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if tr.left.age < 0.4*(1+1e-3) || tr.idle > 40 {
			t.Errorf("%s: 60 steps from the shortest one end at age %v; %d of them without progress", loss.Name(), tr.left.age, tr.idle)
		}
	}
}
