package stats

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MaxExact is the largest number of nonzero differences with the exact distribution.
const MaxExact = 50

// SignedRankTest is a two-sided Wilcoxon signed-rank test of the hypothesis that paired differences
// are symmetric about 0.
type SignedRankTest struct {
	N     int // nonzero differences
	Zeros int
	Plus  float64 // rank sum of positive differences
	Minus float64 // of negative ones
	P     float64 // in (0, 1]; 1 if N is 0
	Exact bool    // otherwise P is from the normal approximation
}

// SignedRank tests paired differences. Zeros are ranked with the others, then their ranks are dropped
// (Pratt 1959, "Remarks on Zeros and Ties in the Wilcoxon Signed Rank Procedures"). Equal sizes share
// the mean of their ranks. Up to [MaxExact] nonzero differences the distribution is exact given the ranks, ties included: all 2^N signs are
// equally likely, and a convolution counts their sums. Beyond, it is normal with the variance
// corrected for ties and a continuity correction of ½. P is twice the smaller tail, at most 1.
func SignedRank(differences []float64) SignedRankTest {
	mustBeFinite(differences)
	sizes := make([]float64, len(differences))
	for i, d := range differences {
		sizes[i] = math.Abs(d)
	}
	t := SignedRankTest{P: 1}
	all, _ := ranks(sizes)
	kept := all[:0]
	for i, rank := range all {
		switch d := differences[i]; {
		case d == 0:
			t.Zeros++
			continue
		case d > 0:
			t.Plus += rank
		default:
			t.Minus += rank
		}
		t.N++
		kept = append(kept, rank)
	}
	if t.N == 0 {
		t.Exact = true
		return t
	}
	if t.Exact = t.N <= MaxExact; t.Exact {
		t.P = exactSignedRank(kept, min(t.Plus, t.Minus))
	} else {
		t.P = normalSignedRank(&t, kept)
	}
	return t
}

// RankBiserial returns the matched-pairs rank-biserial correlation, the share of the rank sum of
// positive differences minus that of negative ones, in [-1, 1] (Kerby 2014); 0 if all differences
// are 0.
func (t *SignedRankTest) RankBiserial() float64 {
	if t.N == 0 {
		return 0
	}
	return (t.Plus - t.Minus) / (t.Plus + t.Minus)
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

// normalSignedRank uses the normal approximation: given the ranks, with ties and Pratt's zeros, the
// positive rank sum has the mean Σ r / 2 and the variance Σ r² / 4.
func normalSignedRank(t *SignedRankTest, ranks []float64) float64 {
	squares := 0.0
	for _, r := range ranks {
		squares += r * r
	}
	distance := math.Abs(t.Plus-t.Minus) / 2 // from the mean
	z := max(0, distance-0.5) / (math.Sqrt(squares) / 2)
	return min(1, 2*distuv.UnitNormal.Survival(z))
}

// Holm returns the p-values of one family in the order of p, adjusted by Holm's step-down procedure
// ("A Simple Sequentially Rejective Multiple Test Procedure", Scand. J. Statist. 6, 1979):
// rejecting those at most α keeps the probability of any wrong rejection at most α under any
// dependence.
func Holm(p []float64) []float64 {
	mustBeFinite(p)
	adjusted := make([]float64, len(p))
	most := 0.0
	for done, i := range Order(len(p), func(a, b int) int { return cmp.Compare(p[a], p[b]) }) {
		most = max(most, float64(len(p)-done)*p[i])
		adjusted[i] = min(1, most)
	}
	return adjusted
}
