package stats

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestSignedRankAgainstSigns goes through all 2^n signs of the ranks.
func TestSignedRankAgainstSigns(t *testing.T) {
	t.Parallel()
	for _, d := range [][]float64{
		{0.5}, {1, 1}, {1, -1, 1, -1}, {3, 1, 2, -1, 4, 4, 4}, {0, 0, 2, -2, 2, 5, 6, 6, -6, 7}, {1, 2, 3, 4, 5, 6, 7, 8, 9, -10, 11, -12},
	} {
		for _, d := range [][]float64{d, withoutZeros(d)} {
			p, plus, minus := SignedRank(d), 0.0, 0.0
			var sizes []float64
			for _, x := range d {
				sizes = append(sizes, math.Abs(x))
			}
			all, _ := ranks(sizes)
			var kept []float64
			for i, rank := range all {
				switch {
				case d[i] == 0:
					continue
				case d[i] > 0:
					plus += rank
				default:
					minus += rank
				}
				kept = append(kept, rank)
			}
			atMost := 0
			for signs := range 1 << len(kept) {
				sum := 0.0
				for i, rank := range kept {
					sum += rank * float64(signs>>i&1)
				}
				if sum <= min(plus, minus) {
					atMost++
				}
			}
			want := min(1, 2*float64(atMost)/float64(int(1)<<len(kept)))
			if math.Abs(p-want) > 1e-15 {
				t.Errorf("%v: p = %v, want %v", d, p, want)
			}
		}
	}
}

// withoutZeros leaves what Wilcoxon (1945) ranks.
func withoutZeros(d []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(d), func(x float64) bool { return x == 0 })
}

// TestResampledByHand: differences 1, 2 and 3 have the mean 2 and the deviation 1. With the ratio 2/3
// the variance is 1/3 + 2/3, so that t is 2 with 2 degrees of freedom, whose distribution is
// 1/2 + t/(2 sqrt(2 + t²)).
func TestResampledByHand(t *testing.T) {
	t.Parallel()
	cdf := func(x float64) float64 { return 0.5 + x/(2*math.Sqrt(2+x*x)) }
	got := Resampled([]float64{1, 2, 3}, 2./3)
	agree(t, "p", got.P, 2*cdf(-2))
	agree(t, "error", got.Error(), 1)
	quantile := func(level float64) float64 { return level * math.Sqrt2 / math.Sqrt(1-level*level) } // of a tail (1+level)/2
	for _, level := range []float64{0.5, 0.95} {
		agree(t, "low", got.Interval(level).Low, 2-quantile(level))
		agree(t, "high", got.Interval(level).High, 2+quantile(level))
	}
	chances := got.Chances(0.5)
	agree(t, "above", chances.Above, cdf(1.5))
	agree(t, "below", chances.Below, cdf(-2.5))
	agree(t, "within", chances.Within, cdf(-1.5)-cdf(-2.5))
}

func TestResampledAtTheEdges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		differences []float64
		p           float64
	}{
		{[]float64{3}, math.NaN()}, {[]float64{0}, math.NaN()}, {[]float64{0, 0, 0}, 1}, {[]float64{1, 1}, math.NaN()}, {[]float64{-1, 1}, 1},
	} {
		got := Resampled(c.differences, 0.5)
		if got.P != c.p && !(math.IsNaN(got.P) && math.IsNaN(c.p)) {
			t.Errorf("%v: p = %v, want %v", c.differences, got.P, c.p)
		}
		if math.IsNaN(got.P) != math.IsNaN(got.Interval(0.9).High) || math.IsNaN(got.P) != math.IsNaN(got.Chances(1).Within) {
			t.Errorf("%v: %+v, %+v", c.differences, got.Interval(0.9), got.Chances(1))
		}
	}
	if got := Resampled([]float64{0, 0}, 1); got.Chances(0) != (Chances{Within: 1}) || got.Interval(0.9) != (Interval{}) {
		t.Errorf("%+v", got)
	}
}

// TestNeeded repeats a sample with its mean and deviation until the test finds them.
func TestNeeded(t *testing.T) {
	t.Parallel()
	base := []float64{-1, 1} // deviation sqrt(2 n/(2 n - 1)) of n copies
	for _, ratio := range []float64{0, 0.02} {
		for _, mean := range []float64{0.5, -0.9, 2} {
			sample := func(n int) ResampledTest { return ResampledTest{N: n, Mean: mean, Deviation: 1, Ratio: ratio} }
			some := sample(10)
			n := some.Needed(0.05, 1000)
			p := func(n int) float64 {
				of := sample(n)
				return 2 * of.student().CDF(-math.Abs(mean)/of.Error())
			}
			if n == 0 || p(n) > 0.05 || n > 2 && p(n-1) <= 0.05 {
				t.Errorf("mean %v, ratio %v: %d splits, p = %v and %v", mean, ratio, n, p(n), p(n-1))
			}
		}
	}
	small := ResampledTest{N: 10, Mean: 0.5, Deviation: 1, Ratio: 1. / 3} // at best 0.5/sqrt(1/3) = 0.87 errors
	if n := small.Needed(0.05, 100_000); n != 0 {
		t.Errorf("%d splits find what none can", n)
	}
	if test := Resampled(base, 0); test.Deviation != math.Sqrt2 {
		t.Errorf("%+v", test)
	}
}

// TestFalseDiscoveryRateIsStepUp compares with the definition: a hypothesis is rejected at the smallest
// q at which the step-up procedure rejects it, that of the largest k with p_(k) <= k q / m.
func TestFalseDiscoveryRateIsStepUp(t *testing.T) {
	t.Parallel()
	p := []float64{0.011, 0.002, math.NaN(), 0.2, 0.03, 0.0105, 0.6, 0.03}
	got := FalseDiscoveryRate(p)
	tests := 7.0
	for i := range p {
		if math.IsNaN(p[i]) {
			if !math.IsNaN(got[i]) {
				t.Errorf("no test has q = %v", got[i])
			}
			continue
		}
		rejected := func(q float64) bool {
			sorted := slices.DeleteFunc(slices.Clone(p), math.IsNaN)
			slices.Sort(sorted)
			for k := len(sorted); k > 0; k-- {
				if sorted[k-1] <= float64(k)*q/tests {
					return p[i] <= sorted[k-1]
				}
			}
			return false
		}
		if !rejected(got[i]*(1+1e-12)) || rejected(got[i]*(1-1e-12)) {
			t.Errorf("hypothesis %d: q = %v is not the smallest", i, got[i])
		}
	}
}

func TestFriedmanAtTheEdges(t *testing.T) {
	t.Parallel()
	same := Friedman([][]float64{{1, 2, 3}, {10, 20, 30}})
	if same.Chi2 != 4 || !math.IsInf(same.F, 1) || math.Abs(same.FP-1./6) > 1e-15 || !slices.Equal(same.MeanRanks, []float64{1, 2, 3}) {
		t.Errorf("blocks that agree: %+v", same)
	}
	agree(t, "p", same.P, math.Exp(-2)) // χ² with 2 degrees of freedom
	tied := Friedman([][]float64{{1, 1}, {2, 2}, {3, 3}})
	if tied.Chi2 != 0 || tied.P != 1 || tied.FP != 1 || !slices.Equal(tied.MeanRanks, []float64{1.5, 1.5}) {
		t.Errorf("blocks without order: %+v", tied)
	}
	opposite := Friedman([][]float64{{1, 2}, {2, 1}})
	if opposite.Chi2 != 0 || opposite.P != 1 {
		t.Errorf("blocks that contradict: %+v", opposite)
	}
}

// TestFriedmanAgreement compares the probability that all blocks rank alike
// with all orders of every block.
func TestFriedmanAgreement(t *testing.T) {
	t.Parallel()
	for _, block := range [][]float64{{1, 2}, {3, 1, 2}, {1, 1, 2}, {4, 4, 1, 1}, {1, 2, 2, 2}} {
		of, _ := ranks(block)
		seen := map[string]float64{}
		var permute func(k int)
		permute = func(k int) {
			if k == len(of) {
				seen[fmt.Sprint(of)]++
				return
			}
			for i := k; i < len(of); i++ {
				of[k], of[i] = of[i], of[k]
				permute(k + 1)
				of[k], of[i] = of[i], of[k]
			}
		}
		permute(0)
		for _, n := range []int{2, 3, 5} {
			got := Friedman(slices.Repeat([][]float64{block}, n))
			if want := math.Pow(float64(len(seen)), float64(1-n)); !math.IsInf(got.F, 1) || math.Abs(got.FP-want) > 1e-12*want {
				t.Errorf("%d blocks of %v: %+v, want p = %v", n, block, got, want)
			}
		}
	}
}

// TestFriedmanExample is the example of Demšar 2006, table 6: AUC of C4.5 and
// three variants on 14 data sets, with the mean ranks, statistics and critical
// difference of his section 3.2.3.
func TestFriedmanExample(t *testing.T) {
	t.Parallel()
	auc := [][]float64{
		{0.763, 0.768, 0.771, 0.798}, {0.599, 0.591, 0.590, 0.569}, {0.954, 0.971, 0.968, 0.967}, {0.628, 0.661, 0.654, 0.657},
		{0.882, 0.888, 0.886, 0.898}, {0.936, 0.931, 0.916, 0.931}, {0.661, 0.668, 0.609, 0.685}, {0.583, 0.583, 0.563, 0.625},
		{0.775, 0.838, 0.866, 0.875}, {1.000, 1.000, 1.000, 1.000}, {0.940, 0.962, 0.965, 0.962}, {0.619, 0.666, 0.614, 0.669},
		{0.972, 0.981, 0.9751, 0.975}, {0.957, 0.978, 0.946, 0.970},
	}
	for _, block := range auc {
		for m := range block {
			block[m] = -block[m] // lower is better
		}
	}
	got := Friedman(auc)
	for m, want := range []float64{3.143, 2.000, 2.893, 1.964} {
		if math.Abs(got.MeanRanks[m]-want) > 5e-4 {
			t.Errorf("mean rank %d: %v, want %v", m, got.MeanRanks[m], want)
		}
	}
	// He takes 9.28 and 3.69, without the correction for ties.
	if got.Chi2 < 9.28 || got.Chi2 > 10.3 || got.F < 3.69 || got.FP > 0.05 {
		t.Errorf("%+v", got)
	}
	if cd := CriticalDifference(4, 14, 0.05); math.Abs(cd-1.25) > 0.005 {
		t.Errorf("critical difference %v, want 1.25", cd)
	}
}

// TestCriticalValues compares with the published table of q_α (Demšar 2006,
// table 5a): the quantile of the studentized range over √2.
func TestCriticalValues(t *testing.T) {
	t.Parallel()
	published := map[float64][]float64{
		0.05: {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164},
		0.10: {1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920},
	}
	for alpha, values := range published {
		for i, want := range values {
			k := i + 2
			q := RangeQuantile(1-alpha, k)
			if got := q / math.Sqrt2; math.Abs(got-want) > 0.00105 { // some are cut, not rounded
				t.Errorf("k = %d, α = %v: %v, want %v", k, alpha, got, want)
			}
			agree(t, "tail at the quantile", RangeSurvival(q, k), alpha)
			n := 3 * k
			agree(t, "p at the critical difference", Nemenyi(-CriticalDifference(k, n, alpha), k, n), alpha)
		}
	}
}

// The range of two normal variables is a folded normal of variance 2.
func TestRangeOfTwo(t *testing.T) {
	t.Parallel()
	for _, q := range []float64{1e-9, 0.01, 1, 4, 9, 14} {
		got, want := RangeSurvival(q, 2), math.Erfc(q/2)
		if math.Abs(got-want) > 1e-14+1e-8*want*min(1, want) {
			t.Errorf("q = %v: %v, want %v", q, got, want)
		}
	}
	if RangeSurvival(0, 3) != 1 || RangeSurvival(-1, 3) != 1 {
		t.Error("a range is not negative")
	}
}

func TestMisusePanics(t *testing.T) {
	t.Parallel()
	for name, misuse := range map[string]func(){
		"NaN":             func() { SignedRank([]float64{1, math.NaN()}) },
		"infinite":        func() { Resampled([]float64{1, math.Inf(1)}, 0) },
		"no differences":  func() { Resampled(nil, 0) },
		"ratio":           func() { Resampled([]float64{1}, math.NaN()) },
		"one block":       func() { Friedman([][]float64{{1, 2}}) },
		"one method":      func() { Friedman([][]float64{{1}, {2}}) },
		"ragged":          func() { Friedman([][]float64{{1, 2}, {1}}) },
		"range of one":    func() { RangeSurvival(1, 1) },
		"quantile":        func() { RangeQuantile(1, 3) },
		"critical of one": func() { CriticalDifference(1, 5, 0.05) },
		"quantile of NaN": func() { RangeQuantile(math.NaN(), 3) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			misuse()
		})
	}
}

func BenchmarkSignedRank20(b *testing.B) {
	d := make([]float64, 20)
	for i := range d {
		d[i] = float64(i*7%20-6) / 4
	}
	for b.Loop() {
		SignedRank(d)
	}
}
