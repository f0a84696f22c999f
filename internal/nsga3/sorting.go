package nsga3

import "slices"

// sorter is the efficient non-dominated sort of Zhang, Tian, Cheng and Jin (2015): in lexicographic
// order a point can be dominated only by an earlier one, and bisection finds its front, because a
// point dominated by a front is dominated by all earlier ones. With two objectives comparing with a
// front's last point, whose second objective is smallest, suffices: O(N log N).
type sorter struct {
	m      int
	f      []float64
	order  []int // lexicographic
	latest []int // last slot per front
	before []int // the previous slot in the front, or -1
	front  []int
	ranked []int              // slots by front, then lexicographically
	ends   []int              // ends of fronts in ranked
	less   func(a, b int) int // compare, bound once because binding allocates
}

func newSorter(slots, m int) *sorter {
	s := &sorter{
		m: m, order: make([]int, slots), latest: make([]int, 0, slots), before: make([]int, slots),
		front: make([]int, slots), ranked: make([]int, slots), ends: make([]int, 0, slots),
	}
	s.less = s.compare
	return s
}

func (s *sorter) sort(f []float64) []int {
	s.f = f
	for k := range s.order {
		s.order[k] = k
	}
	slices.SortFunc(s.order, s.less)
	s.latest, s.ends = s.latest[:0], s.ends[:0]
	for _, slot := range s.order {
		low, high := 0, len(s.latest) // fronts below low dominate it, fronts from high on do not
		for low < high {
			mid := (low + high) / 2
			if s.dominatedBy(slot, mid) {
				low = mid + 1
			} else {
				high = mid
			}
		}
		if low == len(s.latest) {
			s.latest, s.ends = append(s.latest, -1), append(s.ends, 0)
		}
		s.front[slot], s.before[slot], s.latest[low] = low, s.latest[low], slot
		s.ends[low]++
	}
	// Sizes become beginnings, then ends as the fronts are filled.
	begin := 0
	for k, count := range s.ends {
		s.ends[k] = begin
		begin += count
	}
	for _, slot := range s.order {
		k := s.front[slot]
		s.ranked[s.ends[k]] = slot
		s.ends[k]++
	}
	return s.ranked
}

func (s *sorter) compare(a, b int) int {
	fa, fb := s.f[a*s.m:(a+1)*s.m], s.f[b*s.m:(b+1)*s.m]
	for j, v := range fa {
		if v != fb[j] {
			if v < fb[j] {
				return -1
			}
			return 1
		}
	}
	return a - b
}

// dominatedBy requires that slot comes after all of front.
func (s *sorter) dominatedBy(slot, front int) bool {
	f := s.f[slot*s.m : (slot+1)*s.m]
	for other := s.latest[front]; other >= 0; other = s.before[other] {
		if dominates(s.f[other*s.m:(other+1)*s.m], f) {
			return true
		}
		if s.m == 2 {
			return false
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
