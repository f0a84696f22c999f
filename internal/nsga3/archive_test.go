package nsga3_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/agepath/agepath/internal/nsga3"
)

func TestArchive(t *testing.T) {
	t.Parallel()
	var a nsga3.Archive
	for k, f := range [][]float64{{1, 5}, {5, 1}, {1, 5}, {2, 6}, {3, 3}, {1, 4}, {0, 9}} {
		want := k != 2 && k != 3
		if got := a.Add(f, k); got != want {
			t.Errorf("point %d, %v: added is %v", k, f, got)
		}
	}
	var tags []int
	for _, member := range a.Members() {
		tags = append(tags, member.Tag)
	}
	if !slices.Equal(tags, []int{1, 4, 5, 6}) {
		t.Errorf("members %v", tags)
	}
}

// TestHypervolume shows an archive every individual of a search: what its
// points dominate below the reference point never shrinks.
func TestHypervolume(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name        string
		problem     function
		variables   int
		divisions   int
		generations int
		reference   []float64
	}{
		{"ZDT1", zdt1, 30, 99, 150, []float64{1, 6}},
		{"ZDT3", zdt3, 30, 99, 150, []float64{1, 6}},
		{"DTLZ1", dtlz1, 7, 6, 60, []float64{400, 400, 400}},
		{"DTLZ2", dtlz2, 12, 6, 60, []float64{2, 2, 2}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := len(c.reference)
			e := search(t, c.problem, nsga3.Settings{Variables: c.variables, Objectives: m, Points: nsga3.DasDennis(m, c.divisions), Seed: 3}, 0)
			var archive nsga3.Archive
			var last, first float64
			for g := range c.generations {
				for _, slot := range e.Living() {
					archive.Add(e.F(slot), slot)
				}
				var points [][]float64
				for _, member := range archive.Members() {
					points = append(points, member.F)
				}
				volume := hypervolume(points, c.reference)
				if volume < last*(1-1e-12) {
					t.Fatalf("generation %d: the hypervolume falls from %v to %v", g, last, volume)
				}
				if g == 0 {
					first = volume
				}
				last = volume
				e.Step()
			}
			if !(last > first) {
				t.Errorf("the hypervolume stays at %v", last)
			}
		})
	}
}

// hypervolume is the volume that points dominate below a reference point:
// slices along the last objective, each the volume of those before it.
func hypervolume(points [][]float64, reference []float64) float64 {
	last := len(reference) - 1
	points = slices.DeleteFunc(slices.Clone(points), func(f []float64) bool {
		for j, v := range f {
			if j <= last && v >= reference[j] {
				return true
			}
		}
		return false
	})
	if len(points) == 0 {
		return 0
	}
	if last == 0 {
		least := reference[0]
		for _, f := range points {
			least = min(least, f[0])
		}
		return reference[0] - least
	}
	slices.SortFunc(points, func(a, b []float64) int { return cmp.Compare(a[last], b[last]) })
	var volume float64
	if last == 1 { // the least first objective so far is the width of the slice
		least := reference[0]
		for k, f := range points {
			least = min(least, f[0])
			volume += (reference[0] - least) * (upper(points, k, last, reference) - f[last])
		}
		return volume
	}
	for k, f := range points {
		if height := upper(points, k, last, reference) - f[last]; height > 0 {
			volume += height * hypervolume(points[:k+1], reference[:last])
		}
	}
	return volume
}

// upper is where the slice of point k ends: where the next one's begins.
func upper(points [][]float64, k, last int, reference []float64) float64 {
	if k+1 < len(points) {
		return points[k+1][last]
	}
	return reference[last]
}
