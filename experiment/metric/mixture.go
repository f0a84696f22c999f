package metric

import (
	"cmp"
	"math"
	"slices"

	"github.com/agepath/agepath/internal/kernel"
)

// Limits of the iterations of [fitMixture], by the gain of the mean log likelihood.
const (
	mixtureSteps = 200
	mixtureGain  = 1e-10
)

// mixture has two normal distributions of errors with mean 0; the wide one has the contaminated rows.
type mixture struct {
	share        float64 // of the narrow one
	narrow, wide float64 // variances; 0 where more than half of the errors are
	score        float64 // deviation of the normal distribution with the same mean log likelihood
}

// fitMixture fits a mixture to squared errors by expectation maximization.
func fitMixture(squares []float64) (m mixture) {
	n := float64(len(squares))
	median, mean := slices.Sorted(slices.Values(squares))[len(squares)/2], 0.0
	for _, x := range squares {
		mean += x / n
	}
	m = mixture{0.5, median, math.Max(mean, 4*median), mean}
	switch {
	case math.IsInf(mean, 1), math.IsNaN(mean):
		return m
	case median < 1e-300: // the inverses of variances overflow
		m.narrow, m.score = 0, 0
		return m
	}
	floor := 1e-4 * median // the likelihood is unbounded where a variance vanishes
	odds, sides := make([]float64, len(squares)), slices.Repeat([]float64{-1}, len(squares))
	gains, weights, bends := make([]float64, len(squares)), make([]float64, len(squares)), make([]float64, len(squares))
	var likelihood float64
	before := math.Inf(-1)
	for range mixtureSteps {
		peak, slope := math.Log1p(-m.share)-math.Log(m.wide)/2, 0.5/m.wide // the wide logarithm is peak - slope x
		of := m.odds()
		for i, x := range squares {
			odds[i] = of(x)
		}
		kernel.Logistic(odds, sides, gains, weights, bends)
		var gain, inside, sum float64
		for i, x := range squares {
			gain += gains[i]
			inside += weights[i]
			sum += float64(weights[i] * x)
		}
		likelihood = peak - float64(slope*mean) + gain/n
		if !(likelihood-before > mixtureGain) || inside < 1 || inside > n-1 {
			break
		}
		before = likelihood
		m.share, m.narrow, m.wide = inside/n, math.Max(sum/inside, floor), math.Max((mean*n-sum)/(n-inside), floor)
	}
	m.score = math.Exp(-likelihood - 0.5)
	return m
}

// odds returns the logarithm of the odds that an error with a square is of the narrow distribution.
func (m *mixture) odds() func(square float64) float64 {
	offset, slope := math.Log(m.share/(1-m.share))-math.Log(m.narrow/m.wide)/2, 0.5/m.narrow-0.5/m.wide
	return func(square float64) float64 {
		if m.narrow > 0 {
			return offset - float64(slope*square)
		}
		return math.Inf(cmp.Compare(1e-300, square))
	}
}

// farVariance is the ratio of the variances from which the wider distribution has errors of another
// kind: of 200 samples of 60 to 1000 normal errors none has one, of Laplace's 5 % or fewer.
const farVariance = 25

// Contaminated estimates the share of rows whose errors are far from those of the others: that of the
// wider distribution of a mixture, if one does not explain the errors as well by Schwarz's criterion
// with a margin of 3 (Kass and Raftery, 1995), and the variances differ by [farVariance]; else 0, also
// where more than half of the errors are 0.
func Contaminated(predicted, y []float64) float64 {
	r := Rows{Y: y, Predicted: predicted}
	one, _ := rmse(&r)
	two := fitMixture(r.fill(squared))
	if n := float64(len(y)); two.narrow > 0 && n*math.Log(one/two.score) > math.Log(n)+3 && two.wide >= farVariance*two.narrow {
		return 1 - two.share
	}
	return 0
}

// AtMost adds twice the standard error to a share of contaminated rows that is estimated from one part,
// for another: a single gross error more would decide its RMSE.
func AtMost(share float64, rows, others int) float64 {
	return math.Min(share+2*math.Sqrt(share*(1-share)*(1/float64(rows)+1/float64(others))), 0.9)
}
