package cubic

import (
	"math"
	"math/rand/v2"
	"testing"
)

// An event function within the slack of zero is a crossing now where it gets to zero at
// once, and else where it does get there, on its tangent or on its cubic.
func TestRoots(t *testing.T) {
	t.Parallel()
	const slack, soon, h = 1e-11, 1e-13, 0.5
	close := func(got, want float64) bool { return got == want || math.Abs(got-want) <= 1e-6*math.Abs(want) }
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
		l := End{c.value, c.rate}
		if got := l.Root(slack, soon); !close(got, c.tangent) {
			t.Errorf("%s: zero of the tangent after %v, want %v", c.name, got, c.tangent)
		}
		r := End{c.value + h*c.rate, c.rate}
		if got := Root(l, r, h, slack, soon); !close(got, c.cubic) {
			t.Errorf("%s: zero of the cubic at %v, want %v", c.name, got, c.cubic)
		}
	}
}

// A cubic that falls below zero and rises again within the step has its first root.
func TestRootBetweenPositiveEnds(t *testing.T) {
	t.Parallel()
	value := func(x float64) float64 { return (x - 0.25) * (x - 0.75) * (x + 2) }
	const e = 1e-6
	rate := func(x float64) float64 { return (value(x+e) - value(x-e)) / (2 * e) }
	got := Root(End{value(0), rate(0)}, End{value(1), rate(1)}, 1, 1e-11, 1e-13)
	if math.Abs(got-0.25) > 1e-8 {
		t.Errorf("root at %v, want 0.25", got)
	}
}

// A function that ends below zero with an infinite or unknown rate has its root on the chord.
func TestRootBeforeInfiniteRate(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{math.Inf(-1), math.Inf(1), math.NaN()} {
		if got := Root(End{1, -1}, End{-1, rate}, 1, 1e-11, 1e-13); !(got > 0 && got < 1) {
			t.Errorf("with the rate %v the root is at %v", rate, got)
		}
	}
}

// TestRootInDips compares with a scan, on steps that fall below zero between two ends above it.
func TestRootInDips(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const scan = 4000
	dips := 0
	for range 10000 {
		l, r := End{Value: math.Pow(random.Float64(), 4)}, End{Value: math.Pow(random.Float64(), 4)}
		l.Rate, r.Rate = -6*l.Value*random.Float64(), 6*r.Value*random.Float64()
		b := bernstein{l.Value, l.Value + l.Rate/3, r.Value - r.Rate/3, r.Value}
		want, least := math.Inf(1), 0.0
		for k := range scan {
			x := float64(k) / scan
			y := 1 - x
			value := b[0]*y*y*y + 3*b[1]*y*y*x + 3*b[2]*y*x*x + b[3]*x*x*x
			if least = min(least, value); value < 0 {
				want = min(want, x)
			}
		}
		if least > -1e-6 && least < 0 { // the scan may see more than the root, or less
			continue
		}
		if want < math.Inf(1) {
			if dips++; l.Begins(1) && r.Ends(1) {
				t.Fatalf("from %v to %v the interpolant falls below 0 at %v, of which neither end warns", l, r, want)
			}
		}
		if got := Root(l, r, 1, 0, 0); got != want && !(math.Abs(got-want) < 2.0/scan) {
			t.Fatalf("from %v to %v the first root is at %v, by a scan at %v", l, r, got, want)
		}
	}
	if dips < 300 {
		t.Errorf("only %d steps have a dip", dips)
	}
}
