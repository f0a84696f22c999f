package nsga3

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// niches are the lines from the ideal point through the reference points (section IV-D): unit
// vectors, by reference point.
type niches [][2]float64

// newNiches spreads z >= 2 reference points evenly over the unit simplex (Das and Dennis, 1998).
func newNiches(z int) (lines niches) {
	for k := range z {
		a, b := float64(k)/float64(z-1), float64(z-1-k)/float64(z-1)
		norm := math.Hypot(a, b)
		lines = append(lines, [2]float64{a / norm, b / norm})
	}
	return lines
}

// candidate is a slot with its squared distance from its niche's line.
type candidate struct {
	slot     int
	distance float64
}

// associate finds the nearest line, which has the largest projection.
func (lines niches) associate(slot int, f [2]float64) (niche int, c candidate) {
	best := math.Inf(-1)
	for k, line := range lines {
		if along := line[0]*f[0] + line[1]*f[1]; along > best {
			best, niche = along, k
		}
	}
	x, y := f[0]-best*lines[niche][0], f[1]-best*lines[niche][1]
	return niche, candidate{slot, x*x + y*y}
}

// choose puts the want chosen slots first, of which kept are already chosen (algorithm 4).
func (lines niches) choose(unit [][2]float64, slots []int, kept, want int, rng *rand.Rand) {
	counts, members := make([]int, len(lines)), make([][]candidate, len(lines)) // chosen, and candidates
	for i, slot := range slots {
		if niche, c := lines.associate(slot, unit[slot]); i < kept {
			counts[niche]++
		} else {
			members[niche] = append(members[niche], c)
		}
	}
	var open []int // niches with candidates left
	for niche, of := range members {
		if len(of) > 0 {
			open = append(open, niche)
		}
	}
	for ; kept < want; kept++ {
		at := emptiest(open, counts, rng)
		niche := open[at]
		of := members[niche]
		k := pick(of, counts[niche], rng)
		slots[kept] = of[k].slot
		of[k] = of[len(of)-1]
		members[niche] = of[:len(of)-1]
		if counts[niche]++; len(of) == 1 {
			open[at] = open[len(open)-1]
			open = open[:len(open)-1]
		}
	}
	for _, niche := range open {
		for _, c := range members[niche] {
			slots[kept] = c.slot
			kept++
		}
	}
}

// emptiest returns the place in open of a niche with the fewest members, at random among several.
func emptiest(open, counts []int, rng *rand.Rand) int {
	least, at, ties := math.MaxInt, 0, 0
	for k, niche := range open {
		switch count := counts[niche]; {
		case count < least:
			least, at, ties = count, k, 1
		case count == least:
			ties++
			if rng.IntN(ties) == 0 {
				at = k
			}
		}
	}
	return at
}

// pick returns the place of the candidate that a niche takes: the nearest if it has no member yet,
// else a random one.
func pick(of []candidate, count int, rng *rand.Rand) (at int) {
	if count > 0 {
		return rng.IntN(len(of))
	}
	for k := range of {
		if of[k].distance < of[at].distance {
			at = k
		}
	}
	return at
}

// sorted is a non-dominated sort: in lexicographic order a point can be dominated only by an
// earlier one (Zhang, Tian, Cheng and Jin, 2015). It returns the slots by front, each
// lexicographically, and the ends of the fronts.
func sorted(f [][2]float64) (ranked, ends []int) {
	order := make([]int, len(f))
	for slot := range order {
		order[slot] = slot
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(slices.Compare(f[a][:], f[b][:]), a-b) })
	var fronts [][]int
	for _, slot := range order {
		// The last point of a front has the smallest second objective.
		k := slices.IndexFunc(fronts, func(front []int) bool { return !dominates(f[front[len(front)-1]], f[slot]) })
		if k < 0 {
			k, fronts = len(fronts), append(fronts, nil)
		}
		fronts[k] = append(fronts[k], slot)
	}
	for _, front := range fronts {
		ranked = append(ranked, front...)
		ends = append(ends, len(ranked))
	}
	return ranked, ends
}

func dominates(a, b [2]float64) bool { return a[0] <= b[0] && a[1] <= b[1] && a != b }
