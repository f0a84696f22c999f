package landing

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/search"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// trial compares a descent with plain alternate convex search, from points beside the fit
// to all samples.
type trial struct {
	problem   *model.Problem
	starts    int
	tolerance float64
	age       func() float64 // of the next start
	factor    func() float64 // of the next coefficient
}

// settle has a search alternate at an age until it stands still.
func settle(t *testing.T, s *search.Search, age float64) {
	t.Helper()
	for range 100_000 {
		change, err := s.Step(context.Background(), age)
		if err != nil {
			t.Fatalf("age %v: %v", age, err)
		}
		if change <= 1e-13 {
			return
		}
	}
	t.Fatalf("age %v: search does not settle", age)
}

// run returns how many descents of a kind ended, and their steps.
func (c *trial) run(t *testing.T, what string, way func(l *Lander) descent) (ended, steps int) {
	t.Helper()
	p := c.problem
	plain := search.New(p, solverOf(p))
	l, _ := landerOf(p, Options{})
	pt := model.NewPoint(p)
	for range c.starts {
		age := c.age()
		if err := plain.FitAll(context.Background()); err != nil {
			t.Fatal(err)
		}
		theta := append([]float64(nil), plain.Theta()...)
		for j := range p.X.Cols {
			theta[j] *= c.factor()
		}
		plain.SetTheta(theta)
		if plain.Unfit(age) {
			continue
		}
		d := &departure{age: age, theta: theta[:p.P], most: l.options.MaxAlternations}
		l.start(d)
		k, err := way(l).run(context.Background(), d, pt)
		if _, ok := errors.AsType[*unfinished](err); ok {
			continue
		}
		if err != nil {
			t.Fatalf("%s, age %v: %v", what, age, err)
		}
		settle(t, plain, age)
		if off := far(pt.Theta, plain.Theta()[:p.P]); off > c.tolerance {
			t.Errorf("%s, age %v: %v after %d steps, search ends at %v", what, age, pt.Theta, k, plain.Theta())
		}
		ended++
		steps += k
	}
	return ended, steps
}

// A descent in Gram form ends where alternate convex search does, which sums over all
// samples.
func TestGram(t *testing.T) {
	t.Parallel()
	ended, steps := 0, 0
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 31))
		n := 2 * tolerance.WindowMany
		c := trial{
			problem: twoPopulations(random, n, 2+int(seed%4)).problem(squared{}, linearly, 0.04*float64(n), 0, seed%2 == 0),
			starts:  6, tolerance: 1e-8,
			age:    func() float64 { return 0.05 * math.Pow(100, random.Float64()) },
			factor: random.Float64,
		}
		e, k := c.run(t, "gram", func(l *Lander) descent { return l.descents[0] })
		ended, steps = ended+e, steps+k
	}
	if ended < 40 {
		t.Errorf("only %d descents ended", ended)
	}
	t.Logf("%d descents, %d steps", ended, steps)
}

// A descent over a near set lands where alternate convex search ends, which fits all
// samples each time.
func TestNearSet(t *testing.T) {
	t.Parallel()
	ended, steps := 0, 0
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 33))
		n := 60
		if seed%3 == 0 {
			n = 2 * tolerance.WindowMany // more than a neighbourhood has
		}
		r := everyone[seed%5]
		c := trial{
			problem: overlapping(random, n, 2+int(seed%4)).problem(hinge{math.Exp(random.NormFloat64())}, r, 0, 1, seed%2 == 0),
			starts:  4, tolerance: 1e-7,
			age:    func() float64 { return 0.3 * math.Pow(30, random.Float64()) },
			factor: func() float64 { return 1.2 - 0.4*random.Float64() },
		}
		e, k := c.run(t, r.name, func(l *Lander) descent { return l.descents[0] })
		ended, steps = ended+e, steps+k
	}
	if ended < 90 {
		t.Errorf("only %d descents landed", ended)
	}
	t.Logf("%d descents, %d steps", ended, steps)
}

// Where the weights of all samples vary all are watched, in a neighbourhood, too.
func TestNearSetAllVarying(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 34))
	p := overlapping(random, 2*tolerance.WindowMany, 3).problem(hinge{1}, powerfully, 0, 1, true)
	l, c := landerOf(p, Options{})
	n, ok := newNearSet(l.site, c)
	if !ok {
		t.Fatal("no near set")
	}
	theta := []float64{1, 1, 1, 0}
	var most float64
	for i, y := range p.Y {
		most = math.Max(most, y*c.PredictOne(i, theta))
	}
	for j := range theta {
		theta[j] *= 0.99 / most // all are below the margin
	}
	n.begin(theta, 20)
	if len(n.Watch) != n.N || math.IsInf(n.radius, 1) {
		t.Fatalf("%d of %d samples are watched, radius %v: the test needs all in a neighbourhood", len(n.Watch), n.N, n.radius)
	}
	_, samples, scores := n.solution()
	for slot, i := range samples {
		if want := c.PredictOne(i, theta); math.Abs(scores[slot]-want) > 1e-12 {
			t.Fatalf("sample %d in slot %d: predictor %v, want %v", i, slot, scores[slot], want)
		}
	}
}

// A step that raises the objective is an error where that is checked.
func TestAscent(t *testing.T) {
	t.Parallel()
	p := twoPopulations(rand.New(rand.NewPCG(1, 36)), 50, 2).problem(squared{}, linearly, 1, 0, false)
	l, _ := landerOf(p, Options{})
	low, high := []float64{0, 0}, []float64{1e3, 1e3}
	l.start(&departure{age: 5, theta: low})
	if err := l.lowers("rest", 5, low); err != nil {
		t.Errorf("staying: %v", err)
	}
	var ascent *Ascent
	if err := l.lowers("test step", 5, high); !errors.As(err, &ascent) || !(ascent.After > ascent.Before) || ascent.Age != 5 {
		t.Errorf("rising: %v", err)
	}
	if err := l.lowers("test step", 5, low); err != nil {
		t.Errorf("falling: %v", err)
	}
}
