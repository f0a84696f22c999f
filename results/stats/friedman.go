// Package stats compares methods. Over random splits of one data set it has the corrected resampled t
// test, which takes into account that the splits share their rows, and its Bayesian reading; for many
// tests the false discovery rate; over data sets the Wilcoxon signed-rank test and the Friedman test
// with Nemenyi's critical difference, as combined by Demšar, "Statistical Comparisons of Classifiers
// over Multiple Data Sets" (JMLR 7, 2006).
//
// Every function panics for samples that are not finite.
package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/agepath/agepath/internal/lists"
)

// FriedmanTest tests whether k methods rank the same over n blocks, such as data sets.
type FriedmanTest struct {
	Blocks, Methods int
	MeanRanks       []float64 // 1 is the best
	Chi2            float64   // Friedman's statistic, corrected for ties
	P               float64   // of Chi2, with k-1 degrees of freedom
	F               float64   // Iman and Davenport's statistic; +Inf if all blocks rank the same
	// FP is the p-value of F, with k-1 and (k-1)(n-1) degrees of freedom, less conservative than P.
	// For infinite F it is the exact probability that all blocks rank the same by chance.
	FP float64
}

// agreement returns the probability that n blocks rank as the given one if all orders of its ranks
// are equally likely; the first may have any.
func agreement(block []float64, n int) float64 {
	_, groups := ranks(block)
	logFactorial := func(m int) float64 {
		value, _ := math.Lgamma(float64(m) + 1)
		return value
	}
	orders := logFactorial(len(block)) // log of their number
	for _, size := range groups {
		orders -= logFactorial(size)
	}
	return math.Exp(-float64(n-1) * orders)
}

// Friedman ranks the methods in every block and tests their mean ranks. scores[b][m] is the score
// of method m in block b, lower is better. Equal scores share the mean of their ranks, and the
// statistic is corrected for ties. If the scores are equal within every block, the statistics are 0
// and the p-values 1. It panics for fewer than 2 blocks or methods and for blocks of different
// lengths.
//
// Friedman 1937; Iman and Davenport 1980, "Approximations of the Critical Region of the Friedman
// Statistic".
func Friedman(scores [][]float64) FriedmanTest {
	n := len(scores)
	if n < 2 || len(scores[0]) < 2 {
		panic("stats: Friedman's test needs 2 blocks and 2 methods")
	}
	k := len(scores[0])
	t := FriedmanTest{Blocks: n, Methods: k, MeanRanks: make([]float64, k)}
	ties := 0.0
	for b, block := range scores {
		if len(block) != k {
			panic(fmt.Sprintf("stats: block %d has %d methods, not %d", b, len(block), k))
		}
		mustBeFinite(block)
		of, groups := ranks(block)
		for _, size := range groups {
			ties += float64(size) * (float64(size)*float64(size) - 1) // Σ (t³ - t) reduces the variance of rank sums
		}
		for m, rank := range of {
			t.MeanRanks[m] += rank / float64(n)
		}
	}
	nf, kf := float64(n), float64(k)
	spread := 0.0
	for _, rank := range t.MeanRanks {
		spread += (rank - (kf+1)/2) * (rank - (kf+1)/2)
	}
	untied := nf*kf*(kf*kf-1) - ties // 0 if no block separates methods
	if t.P, t.FP = 1, 1; untied <= 0 || spread == 0 {
		return t
	}
	t.Chi2 = 12 * nf * nf * (kf - 1) * spread / untied
	t.P = distuv.ChiSquared{K: kf - 1}.Survival(t.Chi2)
	rest := nf*(kf-1) - t.Chi2
	if rest <= 1e-12*nf*kf {
		t.F, t.FP = math.Inf(1), agreement(scores[0], n)
		return t
	}
	t.F = (nf - 1) * t.Chi2 / rest
	t.FP = distuv.F{D1: kf - 1, D2: (kf - 1) * (nf - 1)}.Survival(t.F)
	return t
}

// CriticalDifference returns the minimum difference of the mean ranks of two of k methods over n
// blocks that is significant at level alpha, for all pairs together (Nemenyi 1963; Demšar 2006,
// section 3.2.2). It panics unless k >= 2, n >= 1 and 0 < alpha < 1.
func CriticalDifference(k, n int, alpha float64) float64 {
	return RangeQuantile(1-alpha, k) / math.Sqrt2 * rankError(k, n)
}

// Nemenyi returns the p-value of the difference between the mean ranks of two of k methods over n
// blocks, for all pairs together.
func Nemenyi(difference float64, k, n int) float64 {
	return RangeSurvival(math.Abs(difference)/rankError(k, n)*math.Sqrt2, k)
}

func rankError(k, n int) float64 {
	return math.Sqrt(float64(k*(k+1)) / (6 * float64(n)))
}

// The range of k standard normal variables, which is the studentized range with infinitely many
// degrees of freedom, exceeds q with the probability
//
//	1 - k ∫ φ(z) (Φ(z) - Φ(z-q))^(k-1) dz.
//
// The integrand is analytic and decays like a normal density, so equal steps converge faster than
// any power of the step: with 1/16 only rounding remains for k up to thousands.
const (
	rangeStep  = 1.0 / 16
	rangeReach = 9.0 // beyond it the density is below 1e-18
)

// RangeSurvival returns the probability that the range of k independent standard normal variables
// is larger than q, to about 1e-14. It panics unless k >= 2.
func RangeSurvival(q float64, k int) float64 {
	mustBeRange(k)
	if q <= 0 {
		return 1
	}
	// Below z, the largest variable, the others lie in (z-q, z) with the probability a-b; summing
	// the complement keeps small tails.
	sum := 0.0
	for z := -rangeReach; z <= rangeReach+math.Sqrt(2*math.Log(float64(k))); z += rangeStep {
		a, b := normalCDF(z), normalCDF(z-q)
		inside := math.Pow(a, float64(k-1))
		outside := -math.Expm1(float64(k-1) * math.Log1p(-b/a)) // 1 - ((a-b)/a)^(k-1)
		sum += math.Exp(-z*z/2) * inside * outside
	}
	return min(1, float64(k)*sum*rangeStep/math.Sqrt(2*math.Pi))
}

// RangeQuantile is the inverse: the range does not exceed its result with probability p. It panics
// unless k >= 2 and 0 < p < 1.
func RangeQuantile(p float64, k int) float64 {
	mustBeRange(k)
	if !(p > 0 && p < 1) {
		panic("stats: the probability of a quantile must be in (0, 1)")
	}
	low, high := 0.0, 1.0
	for RangeSurvival(high, k) > 1-p {
		low, high = high, 2*high
	}
	for {
		middle := (low + high) / 2
		if middle <= low || middle >= high {
			return middle
		}
		if RangeSurvival(middle, k) > 1-p {
			low = middle
		} else {
			high = middle
		}
	}
}

func mustBeRange(k int) {
	if k < 2 {
		panic("stats: a range needs 2 variables")
	}
}

func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// Order returns the positions 0 to n-1 in ascending order by compare; equal ones keep their order.
func Order(n int, compare func(a, b int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}

// ranks gives equal values the mean of their ranks. It also returns the sizes of the groups,
// ascending by value.
func ranks(xs []float64) (ranks []float64, groups []int) {
	order := Order(len(xs), func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })
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

// SignedRank returns the p-value, in (0, 1], of the two-sided Wilcoxon signed-rank test of the
// hypothesis that paired differences are symmetric about 0; 1 if all are 0. Zeros are ranked with the
// others, then their ranks are dropped (Pratt 1959, "Remarks on Zeros and Ties in the Wilcoxon Signed
// Rank Procedures"). Equal sizes share the mean of their ranks. The distribution is exact given the
// ranks, ties included: all signs of them are equally likely, and a convolution counts their sums. The
// p-value is twice the smaller tail, at most 1.
func SignedRank(differences []float64) float64 {
	mustBeFinite(differences)
	all, _ := ranks(lists.Map(differences, math.Abs))
	kept, plus, minus := all[:0], 0.0, 0.0
	for i, rank := range all {
		switch d := differences[i]; {
		case d == 0:
			continue
		case d > 0:
			plus += rank
		default:
			minus += rank
		}
		kept = append(kept, rank)
	}
	return exactSignedRank(kept, min(plus, minus))
}

// exactSignedRank returns twice the probability, at most 1, of a positive rank sum of at most low.
// Ranks are multiples of ½, so the convolution uses their doubles.
func exactSignedRank(ranks []float64, low float64) float64 {
	most := int(math.Round(2 * low))
	probability := make([]float64, most+1)
	probability[0] = 1
	for _, rank := range ranks {
		step := int(math.Round(2 * rank))
		for sum := most; sum >= 0; sum-- {
			p := probability[sum] / 2
			if sum >= step {
				p += probability[sum-step] / 2
			}
			probability[sum] = p
		}
	}
	tail := 0.0
	for _, p := range probability {
		tail += p
	}
	return min(1, 2*tail)
}

func mustBeFinite(xs []float64) {
	for i, x := range xs {
		if !Finite(x) {
			panic(fmt.Sprintf("stats: value %d is %v", i, x))
		}
	}
}

// Finite reports whether x is neither infinite nor NaN.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
