package gaga

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/testing/needs"
)

// Where alternation loses a class the path has a gap: it says so at the jump
// before, refuses ages inside, and goes on where alternation from the fit with
// all weights 1 first keeps both classes.
func TestGaps(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 8))
	gaps, ends := 0, 0
	problems := 120
	if needs.Long() {
		problems = 400
	}
	for k := range problems {
		p := randomLogistic(rng)
		p.Intercept = true
		path, err := Track(context.Background(), p, Options{Age: Range{0.02, 20}})
		if err != nil {
			t.Fatalf("problem %d: %v; %s", k, err, describeProblem(p))
		}
		if path.Status() != Complete && len(path.Knots()) > 0 {
			t.Errorf("problem %d: %v: %s; %s", k, path.Status(), path.Reason(), describeProblem(p))
		}
		for _, r := range path.Restarts() {
			if r.Age > path.Range().Min && strings.Contains(r.Reason, "samples of one class only") && !slices.ContainsFunc(path.Gaps(), func(g Gap) bool { return g.To == r.Age }) {
				t.Errorf("problem %d: no gap ends at the restart %+v", k, r)
			}
		}
		for _, g := range path.Gaps() {
			gaps++
			var inside *GapError
			if _, err := path.At(0.5 * (g.From + g.To)); !errors.As(err, &inside) || inside.Gap != g {
				t.Errorf("problem %d: inside the gap %+v: %v", k, g, err)
			}
			if _, err := path.At(g.From); err != nil {
				t.Errorf("problem %d: where the gap begins: %v", k, err)
			}
			if g.To < 20 && g.To > 1.001*g.From && keeps(t, p, g.To*(1-3*tolerance.GapPrecision)) {
				t.Errorf("problem %d: alternation keeps both classes in the gap %+v; %s", k, g, describeProblem(p))
			}
			if g.To > path.Range().Max {
				ends++
				continue
			}
			if !keeps(t, p, g.To) {
				t.Errorf("problem %d: alternation does not keep both classes where the gap %+v ends; %s", k, g, describeProblem(p))
			}
			if _, err := path.At(g.To); err != nil {
				t.Errorf("problem %d: where the gap ends: %v", k, err)
			}
		}
	}
	t.Logf("%d gaps, %d up to the end", gaps, ends)
	if gaps < 10 {
		t.Errorf("only %d gaps", gaps)
	}
}

// keeps reports whether alternation at an age from the fit with all weights 1
// keeps samples of both classes.
func keeps(t *testing.T, p *Problem, age float64) bool {
	a, err := NewAlternation(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.FitAll(context.Background()); err != nil {
		t.Fatal(err)
	}
	if a.Discards(age) {
		return false
	}
	_, err = a.Converge(context.Background(), age, 1e-9, 20000)
	var slow *NotConverged
	switch {
	case errors.Is(err, ErrOneClass):
		return false
	case err != nil && !errors.As(err, &slow):
		t.Fatal(err)
	}
	return !a.Discards(age)
}
