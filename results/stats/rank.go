package stats

import (
	"cmp"
	"slices"
)

// ranks returns the rank of every value from 1, the smallest, on; equal values
// share the mean of their ranks. It also returns how many values there are in
// each group of equals, in rising order.
func ranks(xs []float64) (ranks []float64, groups []int) {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })
	ranks = make([]float64, len(xs))
	for begin := 0; begin < len(order); {
		end := begin + 1
		for end < len(order) && xs[order[end]] == xs[order[begin]] {
			end++
		}
		for _, i := range order[begin:end] {
			ranks[i] = float64(begin+1+end) / 2
		}
		groups = append(groups, end-begin)
		begin = end
	}
	return ranks, groups
}

// tieSum returns Σ (t³ - t) over the groups of equals, by which ties shrink the
// variance of rank sums.
func tieSum(groups []int) float64 {
	sum := 0.0
	for _, t := range groups {
		sum += float64(t) * (float64(t)*float64(t) - 1)
	}
	return sum
}
