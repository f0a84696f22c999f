package nsga3_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/nsga3"
)

func TestDasDennis(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ m, divisions, want int }{{2, 149, 150}, {3, 12, 91}, {5, 6, 210}, {2, 1, 2}} {
		points := nsga3.DasDennis(c.m, c.divisions)
		if len(points) != c.want {
			t.Errorf("%d objectives, %d divisions: %d points, want %d", c.m, c.divisions, len(points), c.want)
		}
		checkSimplex(t, points)
	}
	// Table I of Deb and Jain: 8 objectives have 156 points in two layers.
	layers := twoLayers(8, 3, 2)
	if len(layers) != 156 {
		t.Errorf("%d points in two layers, want 156", len(layers))
	}
	checkSimplex(t, layers)
}

func checkSimplex(t *testing.T, points [][]float64) {
	t.Helper()
	for k, point := range points {
		var sum float64
		for _, w := range point {
			sum += w
		}
		if math.Abs(sum-1) > 1e-12 || slices.Min(point) < 0 {
			t.Errorf("point %v is not on the unit simplex", point)
		}
		for _, other := range points[:k] {
			if slices.Equal(point, other) {
				t.Errorf("point %v is there twice", point)
			}
		}
	}
}

// TestDeterministic wants the same numbers from the same seed, and others from
// another one.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) []float64 {
		e := search(t, function(dtlz2), nsga3.Settings{Variables: 12, Objectives: 3, Points: nsga3.DasDennis(3, 6), Seed: seed}, 30)
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

func TestStepDoesNotAllocate(t *testing.T) { // not parallel: it counts allocations
	e := search(t, function(zdt1), nsga3.Settings{Variables: 30, Objectives: 2, Points: nsga3.DasDennis(2, 50)}, 5)
	if n := testing.AllocsPerRun(20, e.Step); n != 0 {
		t.Errorf("a generation allocates %v times", n)
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
	e, err := nsga3.New(w, nsga3.Settings{
		Variables: 2, Objectives: 2, Points: nsga3.DasDennis(2, 6), Population: 7, Initial: first,
	})
	if err != nil {
		t.Fatal(err)
	}
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
	e := search(t, p, nsga3.Settings{Variables: 10, Objectives: 2, Points: nsga3.DasDennis(2, 99)}, 200)
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

func TestRefuses(t *testing.T) {
	t.Parallel()
	good := func() nsga3.Settings {
		return nsga3.Settings{Variables: 2, Objectives: 2, Points: nsga3.DasDennis(2, 9)}
	}
	for want, spoil := range map[string]func(*nsga3.Settings){
		"0 variables":             func(s *nsga3.Settings) { s.Variables = 0 },
		"1 objectives":            func(s *nsga3.Settings) { s.Objectives = 1 },
		"no reference points":     func(s *nsga3.Settings) { s.Points = nil },
		"3 coordinates":           func(s *nsga3.Settings) { s.Points = nsga3.DasDennis(3, 9) },
		"not on the unit simplex": func(s *nsga3.Settings) { s.Points[1][0] = 0.9 },
		"population of 3":         func(s *nsga3.Settings) { s.Population = 3 },
		"5 first individuals":     func(s *nsga3.Settings) { s.Population, s.Initial = 4, make([][]float64, 5) },
		"0 variables, need 2":     func(s *nsga3.Settings) { s.Initial = make([][]float64, 5) },
		"allowed is 0 to 1":       func(s *nsga3.Settings) { s.Initial = [][]float64{{0, 1.5}} },
	} {
		s := good()
		spoil(&s)
		if _, err := nsga3.New(function(zdt1), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// BenchmarkStep is a generation of 150 individuals with two objectives; the
// evaluation is the cheapest possible.
func BenchmarkStep(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run("variables="+strconv.Itoa(n), func(b *testing.B) {
			e := search(b, function(zdt1), nsga3.Settings{Variables: n, Objectives: 2, Points: nsga3.DasDennis(2, 149)}, 10)
			b.ReportAllocs()
			for b.Loop() {
				e.Step()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/variable")
		})
	}
}

// BenchmarkSort sorts random points.
func BenchmarkSort(b *testing.B) {
	for _, size := range []int{150, 1500, 15_000} {
		b.Run("population="+strconv.Itoa(size), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			initial := make([][]float64, size)
			for k := range initial {
				initial[k] = []float64{rng.Float64(), rng.Float64()}
			}
			copyout := function(func(f, x []float64) { copy(f, x) })
			e, err := nsga3.New(copyout, nsga3.Settings{Variables: 2, Objectives: 2, Points: nsga3.DasDennis(2, 9), Population: size, Initial: initial})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				e.Step()
			}
			b.ReportMetric(float64(e.Times.Sorting.Nanoseconds())/float64(b.N)/float64(size), "ns/individual")
		})
	}
}

// twoLayers returns the boundary-heavy points that Deb and Jain use for many
// objectives: those of [nsga3.DasDennis] with outer divisions, and those with inner
// divisions drawn halfway to the simplex's centre.
func twoLayers(m, outer, inner int) [][]float64 {
	points := nsga3.DasDennis(m, outer)
	for _, point := range nsga3.DasDennis(m, inner) {
		for j := range point {
			point[j] = 0.5*point[j] + 0.5/float64(m)
		}
		points = append(points, point)
	}
	return points
}
