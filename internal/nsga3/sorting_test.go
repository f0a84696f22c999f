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
// many points equal in an objective or in all.
func TestSort(t *testing.T) {
	t.Parallel()
	for _, m := range []int{2, 3, 4} {
		for _, values := range []int{2, 5, 1000} {
			t.Run(fmt.Sprintf("%d objectives of %d values", m, values), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(uint64(m), uint64(values)))
				const slots = 60
				s := newSorter(slots, m)
				for range 50 {
					f := make([]float64, slots*m)
					for k := range f {
						f[k] = float64(rng.IntN(values))
					}
					ranked := s.sort(f)
					front := make([]int, slots)
					begin := 0
					for k, end := range s.ends {
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
							if dominates(f[b*m:(b+1)*m], f[a*m:(a+1)*m]) {
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
}

// TestIntercepts recovers a plane's intercepts, and falls back to ranges where
// the extreme points do not span one that cuts all axes.
func TestIntercepts(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		points [][]float64
		want   []float64
	}{
		{"plane", [][]float64{{2, 0.1, 0.1}, {0.1, 4, 0.1}, {0.1, 0.1, 8}, {0.1, 0.1, 0.1}}, nil},
		{"one point", [][]float64{{1, 2}, {1, 2}}, []float64{1, 1}},
		{"one value", [][]float64{{1, 2}, {1, 5}}, []float64{1, 3}},
		{"falling", [][]float64{{0, 0}, {3, 3}, {2, 2}}, []float64{3, 3}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := len(c.points[0])
			z := newNormalizer(len(c.points), m)
			z.reset()
			var f []float64
			var slots []int
			for k, point := range c.points {
				f, slots = append(f, point...), append(slots, k)
				z.lower(point)
			}
			unit := z.apply(f, slots, 1)
			if c.want == nil { // every extreme point lies on the unit simplex
				for k := range m {
					var sum float64
					for _, v := range unit[k*m : (k+1)*m] {
						sum += v
					}
					if math.Abs(sum-1) > 1e-12 {
						t.Errorf("point %v becomes %v", c.points[k], unit[k*m:(k+1)*m])
					}
				}
				return
			}
			if !slices.Equal(z.intercepts, c.want) {
				t.Errorf("intercepts %v, want %v", z.intercepts, c.want)
			}
		})
	}
}

// TestNiches has three lines, at 0, 45 and 90 degrees. The first niche has a
// member; the others take their nearest candidates before anyone takes a second.
func TestNiches(t *testing.T) {
	t.Parallel()
	unit := []float64{
		1, 0.01, // 0: chosen, on the first line
		0.5, 0.52, 0.5, 0.6, // 1, 2: the second
		0.1, 1, 0.01, 1, // 3, 4: the third
		0.9, 0.05, // 5: the first
	}
	for seed := range uint64(20) {
		s := newNiches(DasDennis(2, 2), 6, rand.New(rand.NewPCG(seed, 1)))
		slots := []int{0, 1, 2, 3, 4, 5}
		s.choose(unit, slots, 1, 3)
		if !slices.Contains(slots[1:3], 1) || !slices.Contains(slots[1:3], 4) {
			t.Errorf("chosen are %v, want 0, 1 and 4", slots[:3])
		}
		all := slices.Sorted(slices.Values(slots))
		if !slices.Equal(all, []int{0, 1, 2, 3, 4, 5}) {
			t.Errorf("slots became %v", slots)
		}
	}
}
