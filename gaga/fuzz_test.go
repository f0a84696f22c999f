package gaga

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Paths of small random problems, every event verified, must be complete or
// end with a status, at the ages asked for.
func TestRandomProblems(t *testing.T) {
	t.Parallel()
	problems := 2000
	if long() {
		problems = 100_000
	}
	events, degenerate := 0, 0
	for seed := range problems {
		path := checkRandom(t, uint64(seed), 7, Range{0.01, 20}, 0)
		events += path.events()
		if path.Status() == Degenerate {
			degenerate++
		}
	}
	t.Logf("%d problems, %d events, %d paths end where no optimum is strict", problems, events, degenerate)
	if degenerate*500 > problems {
		t.Errorf("%d of %d paths end degenerate", degenerate, problems)
	}
}

// events returns the number of critical points.
func (p *Path) events() int { return p.eventCount }

func FuzzTrack(f *testing.F) {
	f.Add(uint64(1), uint64(2), 0.1, 20.0, 0)
	f.Add(uint64(1887), uint64(7), 0.01, 20.0, 3)
	f.Add(uint64(3), uint64(4), 1e-9, 1e9, 0)
	f.Fuzz(func(t *testing.T, seed, stream uint64, low, high float64, limit int) {
		if !(low > 1e-12 && low < high && high < 1e12) {
			t.Skip()
		}
		checkRandom(t, seed, stream, Range{low, high}, max(0, limit))
	})
}

// checkRandom tracks a random problem and checks what every path promises.
func checkRandom(t *testing.T, seed, stream uint64, ages Range, limit int) *Path {
	t.Helper()
	p := randomProblem(rand.New(rand.NewPCG(seed, stream)))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	grid := []float64{ages.Min, 0.5 * (ages.Min + ages.Max), ages.Max}
	path, err := Track(ctx, p, Options{Age: ages, Grid: grid, MaxEvents: limit, MaxAlternations: 20_000})
	if err != nil {
		t.Fatalf("seed %d, %d: %v; %s", seed, stream, err, describeProblem(p))
	}
	switch {
	case path.Status() == Interrupted:
		t.Fatalf("seed %d, %d: no end; %s", seed, stream, describeProblem(p))
	case path.Status().Early() != (path.Reason() != ""):
		t.Fatalf("seed %d, %d: status %v for the reason %q", seed, stream, path.Status(), path.Reason())
	case limit > 0 && path.events() > limit:
		t.Fatalf("seed %d, %d: %d events, at most %d are allowed", seed, stream, path.events(), limit)
	}
	last := 0.0
	for _, k := range path.Knots() {
		if !(k.KKT <= 1e-9) || !(k.Age >= last) || math.IsNaN(k.Objective) || k.Easy+k.Middle+k.Discarded != p.X.Rows {
			t.Fatalf("seed %d, %d: knot %+v; %s", seed, stream, k, describeProblem(p))
		}
		last = k.Age
	}
	if path.Status() != Complete {
		return path
	}
	if r := path.Range(); r.Max != ages.Max {
		t.Fatalf("seed %d, %d: complete up to %v", seed, stream, r.Max)
	}
	for x := 0.0; x <= 1; x += 0.125 {
		age := ages.Min * math.Pow(ages.Max/ages.Min, x)
		theta, err := path.At(math.Min(age, ages.Max))
		var outside *AgeError
		if errors.As(err, &outside) && age < path.Range().Min {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d, %d: %v; %s", seed, stream, err, describeProblem(p))
		}
		for _, w := range theta {
			if math.IsNaN(w) {
				t.Fatalf("seed %d, %d: NaN at age %v; %s", seed, stream, age, describeProblem(p))
			}
		}
	}
	return path
}
