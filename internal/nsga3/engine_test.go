package nsga3_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/agepath/agepath/internal/nsga3"
)

// TestDeterministic wants the same numbers from the same seed, and others from
// another one.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) []float64 {
		e := search(t, function(zdt1), nsga3.Settings{Variables: 12, Population: 28, Seed: seed}, 30)
		var all []float64
		for _, slot := range e.Living() {
			all = append(all, e.X(slot)...)
		}
		return all
	}
	if first := run(1); !slices.Equal(first, run(1)) {
		t.Error("the same seed gave other numbers")
	} else if slices.Equal(first, run(2)) {
		t.Error("another seed gave the same numbers")
	}
}

// witness checks what an engine promises a problem about slots.
type witness struct {
	t      *testing.T
	bounds [2]float64
	born   map[int]bool // slots evaluated since the last check
	living []int
}

func (w *witness) Evaluate(f, x []float64, slot, mother, father int) {
	for _, v := range x {
		if !(v >= w.bounds[0] && v <= w.bounds[1]) {
			w.t.Errorf("variable %v outside of %v", v, w.bounds)
		}
	}
	first := len(w.living) == 0
	for _, parent := range []int{mother, father} {
		if first != (parent == -1) || !first && !slices.Contains(w.living, parent) {
			w.t.Errorf("parent %d, alive are %v", parent, w.living)
		}
	}
	if slices.Contains(w.living, slot) || w.born[slot] {
		w.t.Errorf("slot %d is given away twice", slot)
	}
	w.born[slot] = true
	f[0], f[1] = x[0]*x[0], (x[0]-1)*(x[0]-1)+x[1]*x[1]
}

// TestSlots has an odd population, whose last pair has a parent twice.
func TestSlots(t *testing.T) {
	t.Parallel()
	w := &witness{t: t, bounds: [2]float64{0, 1}, born: map[int]bool{}}
	first := [][]float64{{0, 1}, {0.5, 0.25}}
	e := nsga3.New(w, nsga3.Settings{Variables: 2, Population: 7, Initial: first})
	if !slices.Equal(e.X(0), first[0]) || !slices.Equal(e.X(1), first[1]) {
		t.Errorf("the first individuals are %v and %v, want %v", e.X(0), e.X(1), first)
	}
	for range 50 {
		w.living, w.born = slices.Clone(e.Living()), map[int]bool{}
		e.Step()
		if len(w.born) != 7 {
			t.Fatalf("%d children of 7", len(w.born))
		}
		for k, slot := range e.Living() {
			if slices.Contains(e.Living()[:k], slot) {
				t.Fatalf("slot %d lives twice", slot)
			}
		}
	}
}

// scaled is a problem whose objectives the caller can stretch.
type scaled struct{ factor float64 }

func (s *scaled) Evaluate(f, x []float64, _, _, _ int) {
	zdt1(f, x)
	f[0] *= s.factor
	f[1] += s.factor
}

// TestRefresh moves the front away under the population: with the old ideal
// point it would crowd at one end.
func TestRefresh(t *testing.T) {
	t.Parallel()
	p := &scaled{1}
	e := search(t, p, nsga3.Settings{Variables: 10, Population: 100}, 200)
	p.factor = 1000
	e.Refresh()
	for range 100 {
		e.Step()
	}
	front := curve(func(f float64) float64 { return 1 - math.Sqrt(f) }, [2]float64{0, 1})
	found := objectives(e)
	for k, f := range found {
		found[k] = []float64{f[0] / 1000, f[1] - 1000}
	}
	if d := distance(front, found); !(d < 0.01) {
		t.Errorf("inverted generational distance %v after the front was moved", d)
	}
}

// BenchmarkStep is a generation of 150 individuals; the
// evaluation is the cheapest possible.
func BenchmarkStep(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run("variables="+strconv.Itoa(n), func(b *testing.B) {
			e := search(b, function(zdt1), nsga3.Settings{Variables: n, Population: 150}, 10)
			b.ReportAllocs()
			for b.Loop() {
				e.Step()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/variable")
		})
	}
}
