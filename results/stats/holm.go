package stats

import (
	"cmp"
	"slices"
)

// Holm returns the p-values of one family, adjusted by Holm's step-down
// procedure ("A Simple Sequentially Rejective Multiple Test Procedure",
// Scand. J. Statist. 6, 1979): rejecting where they are at most α keeps the
// probability of any wrong rejection at most α, whatever depends on what.
// The result is in the order of p.
func Holm(p []float64) []float64 {
	mustBeFinite(p)
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	most := 0.0
	for done, i := range order {
		most = max(most, float64(len(p)-done)*p[i])
		adjusted[i] = min(1, most)
	}
	return adjusted
}
