package stats

import "math"

// CriticalDifference returns by how much the mean ranks of two of k methods
// over n blocks must differ at least to be told apart at the level alpha, all
// pairs taken together (Nemenyi 1963; Demšar 2006, section 3.2.2). It panics
// unless k >= 2, n >= 1 and 0 < alpha < 1.
func CriticalDifference(k, n int, alpha float64) float64 {
	return RangeQuantile(1-alpha, k) / math.Sqrt2 * rankError(k, n)
}

// Nemenyi returns the p-value of the difference between the mean ranks of two
// of k methods over n blocks, all pairs taken together.
func Nemenyi(difference float64, k, n int) float64 {
	return RangeSurvival(math.Abs(difference)/rankError(k, n)*math.Sqrt2, k)
}

// rankError is the standard error of a difference of two mean ranks.
func rankError(k, n int) float64 {
	return math.Sqrt(float64(k*(k+1)) / (6 * float64(n)))
}

// The range of k standard normal variables, which is the studentized range
// with infinitely many degrees of freedom, exceeds q with the probability
//
//	1 - k ∫ φ(z) (Φ(z) - Φ(z-q))^(k-1) dz.
//
// The integrand is analytic and falls off like a normal density, for which
// equal steps converge faster than any power of the step: 1/16 leaves nothing
// but rounding for k up to thousands.
const (
	rangeStep  = 1.0 / 16
	rangeReach = 9.0 // beyond it the density is below 1e-18
)

// RangeSurvival returns the probability that the range of k independent
// standard normal variables is larger than q, to about 1e-14. It panics unless
// k >= 2.
func RangeSurvival(q float64, k int) float64 {
	mustBeRange(k)
	if q <= 0 {
		return 1
	}
	// Below z of the largest variable the others lie in (z-q, z) with the
	// probability a-b; the complement is summed to keep small tails.
	sum := 0.0
	for z := -rangeReach; z <= rangeReach+math.Sqrt(2*math.Log(float64(k))); z += rangeStep {
		a, b := normalCDF(z), normalCDF(z-q)
		inside := math.Pow(a, float64(k-1))
		outside := -math.Expm1(float64(k-1) * math.Log1p(-b/a)) // 1 - ((a-b)/a)^(k-1)
		sum += math.Exp(-z*z/2) * inside * outside
	}
	return min(1, float64(k)*sum*rangeStep/math.Sqrt(2*math.Pi))
}

// RangeQuantile returns the q that the range of k independent standard normal
// variables does not exceed with probability p. It panics unless k >= 2 and
// 0 < p < 1.
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
