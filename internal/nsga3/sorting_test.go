package nsga3

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSort compares with the definition: the front of a point is one more than
// the largest front of a point that dominates it. Few different values make
// many points equal in an objective or in both.
func TestSort(t *testing.T) {
	t.Parallel()
	for _, values := range []int{2, 5, 1000} {
		t.Run(fmt.Sprintf("%d values", values), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(2, uint64(values)))
			const slots = 60
			for range 50 {
				f := make([][2]float64, slots)
				for k := range f {
					f[k] = [2]float64{float64(rng.IntN(values)), float64(rng.IntN(values))}
				}
				ranked, ends := sorted(f)
				front := make([]int, slots)
				begin := 0
				for k, end := range ends {
					for _, slot := range ranked[begin:end] {
						front[slot] = k
					}
					begin = end
				}
				if begin != slots {
					t.Fatalf("%d of %d slots are ranked", begin, slots)
				}
				for a := range slots {
					want := 0
					for b := range slots {
						if dominates(f[b], f[a]) {
							want = max(want, front[b]+1)
						}
					}
					if front[a] != want {
						t.Fatalf("slot %d is in front %d, want %d", a, front[a], want)
					}
				}
			}
		})
	}
}

// BenchmarkSort sorts random points.
func BenchmarkSort(b *testing.B) {
	for _, size := range []int{300, 3000, 30_000} {
		b.Run(fmt.Sprintf("points=%d", size), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			f := make([][2]float64, size)
			for k := range f {
				f[k] = [2]float64{rng.Float64(), rng.Float64()}
			}
			for b.Loop() {
				sorted(f)
			}
		})
	}
}

// TestIntercepts recovers a line's intercepts, and falls back to ranges where
// the extreme points do not span one that cuts both axes.
func TestIntercepts(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		points [][2]float64
		want   [2]float64
	}{
		{"line", [][2]float64{{2, 0}, {0, 4}, {1, 3}}, [2]float64{2, 4}},
		{"off the axes", [][2]float64{{3, 1}, {1, 2}, {0, 8}, {16, 0}}, [2]float64{16, 8}},
		{"one point", [][2]float64{{1, 2}, {1, 2}}, [2]float64{1, 1}},
		{"one value", [][2]float64{{1, 2}, {1, 5}}, [2]float64{1, 3}},
		{"falling", [][2]float64{{0, 0}, {3, 3}, {2, 2}}, [2]float64{3, 3}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			z := normalizer{}
			z.reset()
			var slots []int
			for k, point := range c.points {
				slots = append(slots, k)
				z.lower(point[:])
			}
			z.apply(c.points, slots, 1)
			if z.intercepts != c.want {
				t.Errorf("intercepts %v, want %v", z.intercepts, c.want)
			}
		})
	}
}

// TestExtremesOffTheAxes has extreme points with both coordinates above the ideal
// point: they lie on the unit simplex.
func TestExtremesOffTheAxes(t *testing.T) {
	t.Parallel()
	points := [][2]float64{{2, 0.1}, {0.1, 4}, {0.1, 0.1}}
	z := normalizer{} // an ideal point of 0
	for k, u := range z.apply(points, []int{0, 1, 2}, 1)[:2] {
		if math.Abs(u[0]+u[1]-1) > 1e-12 {
			t.Errorf("point %v becomes %v", points[k], u)
		}
	}
}

// TestNiches has three lines, at 0, 45 and 90 degrees. The first niche has a
// member; the others take their nearest candidates before anyone takes a second.
func TestNiches(t *testing.T) {
	t.Parallel()
	unit := [][2]float64{
		{1, 0.01},               // 0: chosen, on the first line
		{0.5, 0.52}, {0.5, 0.6}, // 1, 2: the second
		{0.1, 1}, {0.01, 1}, // 3, 4: the third
		{0.9, 0.05}, // 5: the first
	}
	for seed := range uint64(20) {
		slots := []int{0, 1, 2, 3, 4, 5}
		newNiches(3).choose(unit, slots, 1, 3, rand.New(rand.NewPCG(seed, 1)))
		if !slices.Contains(slots[1:3], 1) || !slices.Contains(slots[1:3], 4) {
			t.Errorf("chosen are %v, want 0, 1 and 4", slots[:3])
		}
		all := slices.Sorted(slices.Values(slots))
		if !slices.Equal(all, []int{0, 1, 2, 3, 4, 5}) {
			t.Errorf("slots became %v", slots)
		}
	}
}
