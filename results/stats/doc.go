// Package stats compares methods scored on the same splits and data sets: the Wilcoxon signed-rank
// test with its exact distribution, Holm's correction, effect sizes with bootstrap intervals, and
// over data sets the Friedman test with Nemenyi's critical difference, as combined by Demšar,
// "Statistical Comparisons of Classifiers over Multiple Data Sets" (JMLR 7, 2006).
//
// The bootstrap draws from a fixed stream: equal samples give equal intervals. Every function
// panics for samples that are not finite.
package stats

import (
	"fmt"
	"math"
)

func mustBeFinite(xs []float64) {
	for i, x := range xs {
		if !Finite(x) {
			panic(fmt.Sprintf("stats: value %d is %v", i, x))
		}
	}
}

// Finite reports whether x is neither infinite nor NaN.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
