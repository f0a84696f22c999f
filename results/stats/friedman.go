package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// FriedmanTest tests whether k methods rank the same over n blocks, such as
// data sets.
type FriedmanTest struct {
	Blocks, Methods int
	MeanRanks       []float64 // of each method; 1 is the best
	Chi2            float64   // Friedman's statistic, corrected for ties
	P               float64   // of Chi2, by the chi-squared distribution with k-1 degrees of freedom
	F               float64   // Iman and Davenport's statistic; +Inf where all blocks rank alike
	// FP is that of F, with k-1 and (k-1)(n-1) degrees of freedom, less
	// conservative than P. Where F is infinite it is the exact probability
	// that all blocks rank alike by chance.
	FP float64
}

// agreement returns the probability that n blocks rank as the given one does
// where every order of its ranks is equally likely: the first may have any.
func agreement(block []float64, n int) float64 {
	_, groups := ranks(block)
	logFactorial := func(m int) float64 {
		value, _ := math.Lgamma(float64(m) + 1)
		return value
	}
	orders := logFactorial(len(block)) // the logarithm of their number
	for _, size := range groups {
		orders -= logFactorial(size)
	}
	return math.Exp(-float64(n-1) * orders)
}

// Friedman ranks the methods in every block and tests their mean ranks.
// scores[b][m] is what method m reached in block b, lower is better. Equal
// scores share the mean of their ranks, for which the statistic is corrected.
// Where all scores of every block are equal, the statistics are 0 and the
// p-values 1. It panics on fewer than 2 blocks or methods and on blocks of
// different length.
//
// Friedman 1937; Iman and Davenport 1980, "Approximations of the Critical
// Region of the Friedman Statistic".
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
		ties += tieSum(groups)
		for m, rank := range of {
			t.MeanRanks[m] += rank / float64(n)
		}
	}
	nf, kf := float64(n), float64(k)
	spread := 0.0
	for _, rank := range t.MeanRanks {
		spread += (rank - (kf+1)/2) * (rank - (kf+1)/2)
	}
	untied := nf*kf*(kf*kf-1) - ties // 0 where no block tells methods apart
	if t.P, t.FP = 1, 1; untied <= 0 || spread == 0 {
		return t
	}
	t.Chi2 = 12 * nf * nf * (kf - 1) * spread / untied
	t.P = distuv.ChiSquared{K: kf - 1}.Survival(t.Chi2)
	// All blocks agree where χ² has its largest value, n(k-1).
	rest := nf*(kf-1) - t.Chi2
	if rest <= 1e-12*nf*kf {
		t.F, t.FP = math.Inf(1), agreement(scores[0], n)
		return t
	}
	t.F = (nf - 1) * t.Chi2 / rest
	t.FP = distuv.F{D1: kf - 1, D2: (kf - 1) * (nf - 1)}.Survival(t.F)
	return t
}
