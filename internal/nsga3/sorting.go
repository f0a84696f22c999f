package nsga3

import (
	"cmp"
	"slices"
)

// sorter is a non-dominated sort: in lexicographic order a point can be dominated only by an
// earlier one (Zhang, Tian, Cheng and Jin, 2015).
type sorter struct {
	f      [][2]float64
	order  []int // lexicographic
	fronts [][]int
	ranked []int              // slots by front, then lexicographically
	ends   []int              // ends of fronts in ranked
	less   func(a, b int) int // compare, bound once because binding allocates
}

func newSorter(slots int) *sorter {
	s := &sorter{order: make([]int, slots), ranked: make([]int, 0, slots), ends: make([]int, 0, slots)}
	s.less = s.compare
	return s
}

func (s *sorter) sort(f [][2]float64) []int {
	s.f = f
	for k := range s.order {
		s.order[k] = k
	}
	slices.SortFunc(s.order, s.less)
	for k := range s.fronts {
		s.fronts[k] = s.fronts[k][:0]
	}
	for _, slot := range s.order {
		k := 0
		for k < len(s.fronts) && s.dominated(slot, s.fronts[k]) {
			k++
		}
		if k == len(s.fronts) {
			s.fronts = append(s.fronts, make([]int, 0, len(s.order)))
		}
		s.fronts[k] = append(s.fronts[k], slot)
	}
	s.ranked, s.ends = s.ranked[:0], s.ends[:0]
	for _, front := range s.fronts {
		if len(front) > 0 {
			s.ranked = append(s.ranked, front...)
			s.ends = append(s.ends, len(s.ranked))
		}
	}
	return s.ranked
}

func (s *sorter) compare(a, b int) int {
	return cmp.Or(slices.Compare(s.f[a][:], s.f[b][:]), a-b)
}

// dominated looks at the last point, whose second objective is smallest.
func (s *sorter) dominated(slot int, front []int) bool {
	return len(front) > 0 && dominates(s.f[front[len(front)-1]], s.f[slot])
}

func dominates(a, b [2]float64) bool { return a[0] <= b[0] && a[1] <= b[1] && a != b }
