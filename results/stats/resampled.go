package stats

import (
	"cmp"
	"math"
	"sort"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval.
type Interval struct{ Low, High float64 }

// ResampledTest is a two-sided t test that paired differences over random splits have the mean 0,
// with the variance corrected for what the splits share.
type ResampledTest struct {
	N         int     // differences
	Mean      float64 // of them
	Deviation float64 // of n-1; NaN if N < 2
	Ratio     float64 // of test to training rows
	P         float64 // NaN, not tested, if N < 2 or if all differences are equal but not 0
}

// Resampled tests differences from n random splits of one sample into ratio test rows for each
// training row. The splits overlap, so the variance of the mean is not s²/n but s²(1/n + ratio)
// (Nadeau and Bengio 2003, "Inference for the Generalization Error", Machine Learning 52). With ratio
// 0 it is the paired t test of independent differences. It panics for an empty sample and for a ratio
// below 0.
func Resampled(differences []float64, ratio float64) ResampledTest {
	mustBeFinite(differences)
	if len(differences) == 0 || !(ratio >= 0) {
		panic("stats: the resampled t test needs a difference and a ratio from 0")
	}
	t := ResampledTest{N: len(differences), Ratio: ratio, P: math.NaN()}
	t.Mean, t.Deviation = stat.MeanStdDev(differences, nil)
	switch e := t.Error(); {
	case e > 0:
		t.P = 2 * t.student().CDF(-math.Abs(t.Mean)/e)
	case t.N > 1 && t.Mean == 0:
		t.P = 1
	}
	return t
}

// Error returns the standard error of the mean; NaN if N < 2.
func (t *ResampledTest) Error() float64 { return t.Deviation * math.Sqrt(1/float64(t.N)+t.Ratio) }

func (t *ResampledTest) student() distuv.StudentsT {
	return distuv.StudentsT{Sigma: 1, Nu: float64(t.N - 1)}
}

// Interval returns the confidence interval of the mean of a level such as 0.95, NaN if not tested.
func (t *ResampledTest) Interval(level float64) Interval {
	if math.IsNaN(t.P) {
		return Interval{math.NaN(), math.NaN()}
	}
	reach := t.student().Quantile((1+level)/2) * t.Error()
	return Interval{t.Mean - reach, t.Mean + reach}
}

// Chances are probabilities of the mean difference; NaN if not tested.
type Chances struct{ Above, Within, Below float64 }

// Chances returns the posterior probabilities that the mean is above margin, within ±margin or below
// -margin, by the Bayesian correlated t test (Corani and Benavoli 2015, Machine Learning 100): a
// Student t about Mean with the scale Error.
func (t *ResampledTest) Chances(margin float64) Chances {
	switch e := t.Error(); {
	case math.IsNaN(t.P):
		return Chances{math.NaN(), math.NaN(), math.NaN()}
	case e == 0:
		return Chances{Within: 1}
	default:
		posterior := t.student()
		c := Chances{Above: posterior.CDF((t.Mean - margin) / e), Below: posterior.CDF((-margin - t.Mean) / e)}
		c.Within = max(0, 1-c.Above-c.Below)
		return c
	}
}

// Needed returns the number of splits, up to most, with which a mean and a deviation as found are
// significant at a level such as 0.05; 0 if none is enough, as the splits share their rows.
func (t *ResampledTest) Needed(level float64, most int) int {
	n := 2 + sort.Search(most-1, func(i int) bool { // falls with n
		more := ResampledTest{N: i + 2, Deviation: t.Deviation, Ratio: t.Ratio}
		return math.Abs(t.Mean) >= more.student().Quantile(1-level/2)*more.Error()
	})
	if n > most {
		return 0
	}
	return n
}

// FalseDiscoveryRate adjusts p-values by Benjamini and Hochberg (1995, J. R. Statist. Soc. B 57):
// rejecting those of at most q keeps the expected share of wrong rejections at most q, if the tests
// are independent or positively dependent. NaN is no test and stays.
func FalseDiscoveryRate(p []float64) []float64 {
	adjusted, tests := make([]float64, len(p)), 0
	descending := Order(len(p), func(a, b int) int { return cmp.Compare(p[b], p[a]) }) // NaN last
	for _, x := range p {
		if !math.IsNaN(x) {
			tests++
		}
	}
	least := 1.0
	for done, i := range descending {
		if adjusted[i] = p[i]; done < tests {
			least = min(least, p[i]*float64(tests)/float64(tests-done))
			adjusted[i] = least
		}
	}
	return adjusted
}

// Quantile returns the quantile p, in [0, 1], of an ascending sample: linear between order
// statistics, type 7 of Hyndman and Fan (1996). It panics for an empty sample.
func Quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 1 {
		return sorted[0]
	}
	position := p * float64(len(sorted)-1)
	i := min(int(position), len(sorted)-2)
	return sorted[i] + (position-float64(i))*(sorted[i+1]-sorted[i])
}
