package nsga3

import (
	"cmp"
	"slices"
)

// sorter is a non-dominated sort: in lexicographic order a point can be dominated only by an
// earlier one (Zhang, Tian, Cheng and Jin, 2015).
type sorter struct {
	m      int
	f      []float64
	order  []int // lexicographic
	fronts [][]int
	ranked []int              // slots by front, then lexicographically
	ends   []int              // ends of fronts in ranked
	less   func(a, b int) int // compare, bound once because binding allocates
}

func newSorter(slots, m int) *sorter {
	s := &sorter{m: m, order: make([]int, slots), ranked: make([]int, 0, slots), ends: make([]int, 0, slots)}
	s.less = s.compare
	return s
}

func (s *sorter) sort(f []float64) []int {
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

func (s *sorter) point(slot int) []float64 { return s.f[slot*s.m : (slot+1)*s.m] }

func (s *sorter) compare(a, b int) int {
	return cmp.Or(slices.Compare(s.point(a), s.point(b)), a-b)
}

// dominated looks at the latest points first: with two objectives the last one, whose second
// objective is smallest, decides.
func (s *sorter) dominated(slot int, front []int) bool {
	for _, other := range slices.Backward(front) {
		if dominates(s.point(other), s.point(slot)) {
			return true
		}
		if s.m == 2 {
			break
		}
	}
	return false
}

func dominates(a, b []float64) bool {
	below := false
	for j, v := range a {
		if v > b[j] {
			return false
		}
		below = below || v < b[j]
	}
	return below
}
