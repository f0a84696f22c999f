package landing

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// Where a path stalls again and again, it lands further each time, and then ends; once the age
// has grown, it lands close by again.
func TestStallsLandFurther(t *testing.T) {
	t.Parallel()
	p := twoPopulations(rand.New(rand.NewPCG(1, 58)), 60, 2).problem(squared{}, linearly, 1, 0, false)
	l, _ := landerOf(p, Options{})
	pt := model.NewPoint(p)
	if err := l.solver.search.FitAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.At(t.Context(), pt, 5, "start"); err != nil {
		t.Fatal(err)
	}
	stall := model.Crossing{Cause: model.Stall, Index: -1}
	for at := 5.0; at < 10; at *= 1.5 {
		pt.Age = at
		for by := tolerance.WidenBy * tolerance.Nudge; by < 2*tolerance.Widest; by *= tolerance.WidenBy {
			from := pt.Age
			if _, err := l.Leave(t.Context(), pt, stall, "no progress"); err != nil {
				t.Fatalf("from age %v: %v", from, err)
			}
			if got := pt.Age/from - 1; !(got > 0.99*by && got < 1.01*by) {
				t.Errorf("from age %v: lands a relative %g further, want %g", from, got, by)
			}
		}
		var flat *Degenerate
		if _, err := l.Leave(t.Context(), pt, stall, "no progress"); !errors.As(err, &flat) {
			t.Errorf("at age %v: no end, %v", pt.Age, err)
		}
	}
}
