package gaga

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/landing"
	"github.com/agepath/agepath/gaga/internal/newton"
	"github.com/agepath/agepath/gaga/internal/window"
	"github.com/agepath/agepath/internal/testing/needs"
)

// manyColumns is a number of columns of which a sweep follows the Hessian.
const manyColumns = 32

// randomLogistic draws a small problem of logistic regression.
func randomLogistic(rng *rand.Rand) *Problem {
	n, d := 10+rng.IntN(60), 1+rng.IntN(4)
	if rng.IntN(10) == 0 {
		n, d = n+40, manyColumns+rng.IntN(8)
	}
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range y {
		sum := 0.3 * rng.NormFloat64()
		for j := range d {
			x[i*d+j] = rng.NormFloat64()
			sum += x[i*d+j]
		}
		y[i] = math.Copysign(1, sum)
		if rng.IntN(6) == 0 {
			y[i] = -y[i]
		}
	}
	y[0], y[1] = 1, -1
	p := LogisticRegression(blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y, nil, math.Pow(10, rng.Float64()-0.5))
	p.Intercept = rng.IntN(3) > 0
	p.Regularizer = randomRegularizer(rng)
	return p
}

// sweep is Track by a sweep that, where asked, goes down by trust regions behind jumps as
// one over many samples does.
func sweep(p *Problem, ages Range, regions bool) (*Path, error) {
	o := Options{Age: ages, Sweep: true}
	t, err := newTracker(p, o)
	if err != nil {
		return nil, err
	}
	if regions {
		t.lander = landing.New(t.condition, newton.New(t.condition), t.search, window.Everything{}, landing.Options{
			MaxAlternations: o.maxAlternations(), TrustSamples: 1, Last: ages.Max, Verify: o.verifying(),
		})
	}
	err = t.run(context.Background())
	return t.path, err
}

// A sweep must find the jumps that the exact mode finds, but for one in 200 (it
// may step over a fold to a branch close by), and the same coefficients at any age.
func TestSweepAgreesWithExactPath(t *testing.T) {
	t.Parallel()
	problems := 100
	if needs.Long() {
		problems = 5000
	}
	rng := rand.New(rand.NewPCG(9, 3))
	compared, jumps, passed, events, steps, differ := 0, 0, 0, 0, 0, 0
	for k := range problems {
		p := randomLogistic(rng)
		if k%2 == 1 {
			p = randomProblem(rng)
		}
		ages := Range{0.05, 20}
		exact, err := Track(context.Background(), p, Options{Age: ages})
		if err != nil {
			t.Fatalf("problem %d: %v; %s", k, err, describeProblem(p))
		}
		swept, err := sweep(p, ages, k%4 < 2)
		if err != nil {
			t.Errorf("problem %d: %v; %s", k, err, describeProblem(p))
			continue
		}
		if exact.Status() != swept.Status() {
			t.Errorf("problem %d: status %v (%s), exact %v (%s); %s", k, swept.Status(), swept.Reason(), exact.Status(), exact.Reason(), describeProblem(p))
			continue
		}
		want, got := jumpsOf(exact), jumpsOf(swept)
		passed, events, jumps = passed+swept.Passed(), events+len(exact.Events()), jumps+len(want)
		for _, k := range swept.Knots() {
			if k.Kind == Step {
				steps++
			}
		}
		same := len(want) == len(got)
		for i := 0; same && i < len(want); i++ {
			same = want[i].Cause == got[i].Cause && want[i].Index == got[i].Index && math.Abs(want[i].Age-got[i].Age) <= 1e-7*want[i].Age
		}
		if !same {
			differ++
			t.Logf("problem %d: %d jumps, exact %d; %s", k, len(got), len(want), describeProblem(p))
			for i := range max(len(want), len(got)) {
				if i < len(want) {
					t.Logf("  exact %+v", want[i])
				}
				if i < len(got) {
					t.Logf("  sweep %+v", got[i])
				}
			}
			continue
		}
		if exact.Status() != Complete {
			continue
		}
		for range 10 {
			age := ages.Min * math.Pow(ages.Max/ages.Min, rng.Float64())
			a, errA := exact.At(age)
			b, errB := swept.At(age)
			if (errA == nil) != (errB == nil) {
				t.Errorf("problem %d, age %v: %v, exact %v; %s", k, age, errB, errA, describeProblem(p))
				break
			}
			if errA == nil {
				compared++
				limit := 1e-9
				if active(a) == 0 {
					limit = 1e-7 // an intercept that nothing determines stays where the last fit left it
				}
				if off := apart(a, b); off > limit {
					t.Errorf("problem %d, age %v: %v, exact %v, off by %v; %s", k, age, b, a, off, describeProblem(p))
					break
				}
			}
		}
	}
	if differ*200 > jumps {
		t.Errorf("%d problems have other jumps, of %d jumps", differ, jumps)
	}
	t.Logf("%d ages compared, %d jumps; %d events, %d of them passed in steps, %d steps", compared, jumps, events, passed, steps)
}

// apart returns the largest difference of two vectors' entries, relative to the
// larger vector or to 1.
func apart(a, b []float64) float64 {
	off, size := 0.0, 1.0
	for j := range a {
		off = math.Max(off, math.Abs(a[j]-b[j]))
		size = math.Max(size, math.Abs(a[j]))
	}
	return off / size
}

// jumpsOf returns a path's jumps, without restarts where it made no progress.
func jumpsOf(p *Path) []Event {
	var jumps []Event
	for _, e := range p.Events() {
		if e.Kind == Jump && e.Cause != Stall {
			jumps = append(jumps, e)
		}
	}
	return jumps
}
