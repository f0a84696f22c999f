package nsga3

import (
	"math"
	"math/rand/v2"
)

// niches are the lines from the ideal point through the reference points (section IV-D).
type niches struct {
	lines     [][2]float64 // unit vectors, by reference point
	rng       *rand.Rand
	counts    []int // chosen members per niche
	members   []int // candidates, niche by niche
	begins    []int // of candidates per niche
	ends      []int // of remaining candidates per niche
	open      []int // niches with candidates left
	niche     []int
	distances []float64
}

// newNiches spreads z >= 2 reference points evenly over the unit simplex (Das and Dennis, 1998).
func newNiches(z, slots int, rng *rand.Rand) niches {
	s := niches{
		rng: rng, counts: make([]int, z), members: make([]int, slots),
		begins: make([]int, z), ends: make([]int, z), open: make([]int, 0, z),
		niche: make([]int, slots), distances: make([]float64, slots),
	}
	for k := range z {
		a, b := float64(k)/float64(z-1), float64(z-1-k)/float64(z-1)
		norm := math.Hypot(a, b)
		s.lines = append(s.lines, [2]float64{a / norm, b / norm})
	}
	return s
}

// associate finds a slot's nearest line, which has the largest projection.
func (s *niches) associate(slot int, f [2]float64) {
	best, at := math.Inf(-1), 0
	for k, line := range s.lines {
		if along := line[0]*f[0] + line[1]*f[1]; along > best {
			best, at = along, k
		}
	}
	x, y := f[0]-best*s.lines[at][0], f[1]-best*s.lines[at][1]
	s.niche[slot], s.distances[slot] = at, x*x+y*y
}

// choose puts the want chosen slots first, of which kept are already chosen (algorithm 4).
func (s *niches) choose(unit [][2]float64, slots []int, kept, want int) {
	for k := range s.counts {
		s.counts[k], s.ends[k] = 0, 0
	}
	for _, slot := range slots {
		s.associate(slot, unit[slot])
	}
	for _, slot := range slots[:kept] {
		s.counts[s.niche[slot]]++
	}
	candidates := slots[kept:]
	s.group(candidates)
	chosen := 0
	for kept+chosen < want {
		at := s.emptiest()
		niche := s.open[at]
		candidate := s.pick(niche)
		candidates[chosen] = s.members[candidate]
		chosen++
		s.counts[niche]++
		s.ends[niche]--
		s.members[candidate] = s.members[s.ends[niche]]
		if s.ends[niche] == s.begins[niche] {
			s.open[at] = s.open[len(s.open)-1]
			s.open = s.open[:len(s.open)-1]
		}
	}
	for _, niche := range s.open {
		chosen += copy(candidates[chosen:], s.members[s.begins[niche]:s.ends[niche]])
	}
}

func (s *niches) group(candidates []int) {
	for _, slot := range candidates {
		s.ends[s.niche[slot]]++
	}
	s.open = s.open[:0]
	begin := 0
	for k, count := range s.ends {
		s.begins[k], s.ends[k] = begin, begin
		begin += count
		if count > 0 {
			s.open = append(s.open, k)
		}
	}
	for _, slot := range candidates {
		k := s.niche[slot]
		s.members[s.ends[k]] = slot
		s.ends[k]++
	}
}

// emptiest returns the place in open of a niche with the fewest members, at random among several.
func (s *niches) emptiest() int {
	least, at, ties := math.MaxInt, 0, 0
	for k, niche := range s.open {
		switch count := s.counts[niche]; {
		case count < least:
			least, at, ties = count, k, 1
		case count == least:
			ties++
			if s.rng.IntN(ties) == 0 {
				at = k
			}
		}
	}
	return at
}

// pick returns the place of the candidate that a niche takes: the nearest if it has no member yet,
// else a random one.
func (s *niches) pick(niche int) int {
	begin, end := s.begins[niche], s.ends[niche]
	if s.counts[niche] > 0 {
		return begin + s.rng.IntN(end-begin)
	}
	at := begin
	for k := begin + 1; k < end; k++ {
		if s.distances[s.members[k]] < s.distances[s.members[at]] {
			at = k
		}
	}
	return at
}
