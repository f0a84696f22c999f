package selfpaced

import (
	"math"
	"slices"

	"github.com/agepath/agepath/internal/kernel"
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
	case median < 1e-300: // the inverses of scales overflow
		return 0, 0
	}
	floor := 1e-4 * median // the likelihood is unbounded where a scale vanishes
	narrow, wide, share := median, math.Max(mean, 4*median), 0.5
	memory := make([]float64, 5*len(losses))
	cut := func() []float64 {
		part := memory[:len(losses)]
		memory = memory[len(losses):]
		return part
	}
	odds, sides, gains, weights, bends := cut(), cut(), cut(), cut(), cut()
	for i := range sides {
		sides[i] = -1
	}
	var peak, slope, likelihood float64 // the wide density's logarithm is peak - slope x
	before := math.Inf(-1)
	for range mixtureSteps {
		peak, slope = math.Log1p(-share)-power*math.Log(wide), power/wide
		ratio, tilt := math.Log(share)-power*math.Log(narrow)-peak, power/narrow-slope
		for i, x := range losses {
			odds[i] = ratio - float64(tilt*x)
		}
		kernel.Logistic(odds, sides, gains, weights, bends)
		var gain, inside, sum float64
		for i, x := range losses {
			gain += gains[i]
			inside += weights[i]
			sum += float64(weights[i] * x)
		}
		likelihood = peak - float64(slope*mean) + gain/n
		if !(likelihood-before > mixtureGain) || inside < 1 || inside > n-1 {
			break
		}
		before = likelihood
		share, narrow, wide = inside/n, math.Max(sum/inside, floor), math.Max((mean*n-sum)/(n-inside), floor)
	}
	variance := 0.0
	for i, x := range losses {
		l := peak - float64(slope*x) + gains[i] - likelihood
		variance += float64(l*l) / n
	}
	score = math.Exp(-likelihood - power)
	return score, score * math.Sqrt(variance/math.Max(n-1, 1))
}
