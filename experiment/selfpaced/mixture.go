package selfpaced

import (
	"math"
	"slices"
)

// Limits of the iterations of [mixture], by the gain of the mean log likelihood.
const (
	mixtureSteps = 200
	mixtureGain  = 1e-10
)

// mixture scores squared errors by the likelihood of a mixture of two normal distributions with
// mean 0, of which one has the contaminated rows: the standard deviation of the normal distribution
// with the same mean log likelihood, which is the RMSE if one is enough. It is fitted by expectation
// maximization. Absolute errors have Laplace distributions, and the score is then like the MAE. The
// standard error is that of the mean log likelihood. It sorts the losses.
//
// Unlike the trimmed share of [trimmedMean], the contaminated one need not be known, and may be more
// than half.
func mixture(losses []float64, absolute bool) (score, deviation float64) {
	power := 0.5 // the density is s^-power exp(-power x/s) up to a factor
	if absolute {
		power = 1
	}
	slices.Sort(losses)
	n := float64(len(losses))
	median, mean := losses[len(losses)/2], 0.0
	for _, x := range losses {
		mean += x / n
	}
	switch {
	case math.IsInf(mean, 1), math.IsNaN(mean):
		return mean, math.NaN()
	case median == 0:
		return 0, 0
	}
	floor := 1e-4 * median // the likelihood is unbounded where a scale vanishes
	narrow, wide, share := median, math.Max(mean, 4*median), 0.5
	before := math.Inf(-1)
	for range mixtureSteps {
		a, b := math.Log(share)-power*math.Log(narrow), math.Log1p(-share)-power*math.Log(wide)
		var likelihood, squares, inside, sum float64
		for _, x := range losses {
			u, v := a-power*x/narrow, b-power*x/wide
			l := math.Max(u, v) + math.Log1p(math.Exp(-math.Abs(u-v)))
			likelihood += l
			squares += l * l
			w := math.Exp(u - l)
			inside += w
			sum += w * x
		}
		likelihood /= n
		score = math.Exp(-likelihood - power)
		deviation = score * math.Sqrt(math.Max(0, squares/n-likelihood*likelihood)/math.Max(n-1, 1))
		if !(likelihood-before > mixtureGain) || inside < 1 || inside > n-1 {
			break
		}
		before = likelihood
		share, narrow, wide = inside/n, math.Max(sum/inside, floor), math.Max((mean*n-sum)/(n-inside), floor)
	}
	return score, deviation
}
