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
			got := SignedRank(d)
			var sizes []float64
			for _, x := range d {
				sizes = append(sizes, math.Abs(x))
			}
			all, _ := ranks(sizes)
			var kept []float64
			for i, rank := range all {
				if sizes[i] != 0 {
					kept = append(kept, rank)
				}
			}
			atMost := 0
			for signs := range 1 << len(kept) {
				sum := 0.0
				for i, rank := range kept {
					sum += rank * float64(signs>>i&1)
				}
				if sum <= min(got.Plus, got.Minus) {
					atMost++
				}
			}
			want := min(1, 2*float64(atMost)/float64(int(1)<<len(kept)))
			if math.Abs(got.P-want) > 1e-15 {
				t.Errorf("%v: p = %v, want %v", d, got.P, want)
			}
		}
	}
}

// withoutZeros leaves what Wilcoxon (1945) ranks.
func withoutZeros(d []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(d), func(x float64) bool { return x == 0 })
}

// The exact and the normal distribution meet where one takes over.
func TestSignedRankSwitch(t *testing.T) {
	t.Parallel()
	d := make([]float64, MaxExact+1)
	for i := range d {
		d[i] = float64(i%7-2) + float64(i)/100
	}
	exact, normal := SignedRank(d[:MaxExact]), SignedRank(d)
	if !exact.Exact || normal.Exact {
		t.Fatal("not one of each")
	}
	approximated := normalSignedRank(&exact, mustRanks(d[:MaxExact]))
	if math.Abs(exact.P-approximated) > 0.02*exact.P+1e-3 {
		t.Errorf("exact %v, normal %v", exact.P, approximated)
	}
}

func mustRanks(d []float64) []float64 {
	sizes := make([]float64, len(d))
	for i, x := range d {
		sizes[i] = math.Abs(x)
	}
	r, _ := ranks(sizes)
	return r
}

func TestHolm(t *testing.T) {
	t.Parallel()
	tests := []struct{ p, want []float64 }{
		{nil, nil},
		{[]float64{0.03}, []float64{0.03}},
		// Step by step: 4·0.005, 3·0.01, then 2·0.03 and 1·0.04 < 0.06.
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.5, 0.5, 0.9}, []float64{1, 1, 1}},
		{[]float64{0.02, 0.02}, []float64{0.04, 0.04}},
	}
	for _, test := range tests {
		got := Holm(test.p)
		for i := range test.want {
			if math.Abs(got[i]-test.want[i]) > 1e-15 {
				t.Errorf("Holm(%v) = %v, want %v", test.p, got, test.want)
			}
		}
	}
}

// TestHolmIsClosedTesting compares with the definition: an adjusted p-value is
// the largest Bonferroni p-value of all families that hold the hypothesis.
func TestHolmIsClosedTesting(t *testing.T) {
	t.Parallel()
	p := []float64{0.011, 0.002, 0.2, 0.03, 0.0105, 0.6}
	got := Holm(p)
	for i := range p {
		want := 0.0
		for family := 1; family < 1<<len(p); family++ {
			if family>>i&1 == 0 {
				continue
			}
			size, least := 0, 1.0
			for j := range p {
				if family>>j&1 == 1 {
					size, least = size+1, min(least, p[j])
				}
			}
			want = max(want, min(1, float64(size)*least))
		}
		if math.Abs(got[i]-want) > 1e-15 {
			t.Errorf("hypothesis %d: %v, want %v", i, got[i], want)
		}
	}
}

// TestEffectAgainstAllResamples compares the intervals of a tiny sample with
// the quantiles of all n^n resamples, each computed from its values.
func TestEffectAgainstAllResamples(t *testing.T) {
	t.Parallel()
	d := []float64{-1, 0, 2, 2, 5}
	var shifts, biserials []float64
	n := len(d)
	for code := range int(math.Pow(float64(n), float64(n))) {
		draw := make([]float64, n)
		for i := range draw {
			draw[i] = d[code%n]
			code /= n
		}
		var walsh []float64
		for i, a := range draw {
			for _, b := range draw[i:] {
				walsh = append(walsh, (a+b)/2)
			}
		}
		slices.Sort(walsh)
		shifts = append(shifts, (walsh[(len(walsh)-1)/2]+walsh[len(walsh)/2])/2)
		test := SignedRank(withoutZeros(draw))
		biserials = append(biserials, test.RankBiserial())
	}
	got := NewEffect(d, 0.9)
	// The bootstrap draws 2,000 of them; its quantiles have ranks that are off
	// by 3 standard errors at most.
	within := func(what string, got float64, all []float64, p float64) {
		slices.Sort(all)
		error := 3 * math.Sqrt(p*(1-p)/Resamples)
		at := func(p float64) float64 { return all[int(max(0, min(1, p))*float64(len(all)-1))] }
		if got < at(p-error) || got > at(p+error) {
			t.Errorf("%s: %v is not between %v and %v", what, got, at(p-error), at(p+error))
		}
	}
	within("low shift", got.ShiftRange.Low, shifts, 0.05)
	within("high shift", got.ShiftRange.High, shifts, 0.95)
	within("low rank-biserial", got.RankBiserialRange.Low, biserials, 0.05)
	within("high rank-biserial", got.RankBiserialRange.High, biserials, 0.95)
	if again := NewEffect(d, 0.9); again != got {
		t.Errorf("%+v, then %+v", got, again)
	}
}

func TestEffectOfOne(t *testing.T) {
	t.Parallel()
	e := NewEffect([]float64{-2}, 0.95)
	if e.Shift != -2 || e.RankBiserial != -1 || !math.IsNaN(e.ShiftRange.Low) || !math.IsNaN(e.RankBiserialRange.High) {
		t.Errorf("%+v", e)
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
		"infinite":        func() { Holm([]float64{math.Inf(1)}) },
		"no differences":  func() { NewEffect(nil, 0.95) },
		"level":           func() { NewEffect([]float64{1}, 1) },
		"one block":       func() { Friedman([][]float64{{1, 2}}) },
		"one method":      func() { Friedman([][]float64{{1}, {2}}) },
		"ragged":          func() { Friedman([][]float64{{1, 2}, {1}}) },
		"range of one":    func() { RangeSurvival(1, 1) },
		"quantile":        func() { RangeQuantile(1, 3) },
		"critical of one": func() { CriticalDifference(1, 5, 0.05) },
		"quantile of NaN": func() { RangeQuantile(math.NaN(), 3) },
		"infinite effect": func() { NewEffect([]float64{math.Inf(-1)}, 0.95) },
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

func BenchmarkEffect20(b *testing.B) {
	d := make([]float64, 20)
	for i := range d {
		d[i] = float64(i*7%20-6) / 4
	}
	for b.Loop() {
		NewEffect(d, 0.95)
	}
}
