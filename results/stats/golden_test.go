package stats

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// golden is testdata/golden_stats.json; golden_stats.py next to it says how its
// values were made.
type golden struct {
	SignedRank []struct {
		Name, Zeros, Method string
		Differences         []float64
		P                   float64
	} `json:"signed_rank"`
	Friedman []struct {
		Name           string
		Scores         [][]float64
		Chi2, P, F, FP float64
		Ranks          []float64
	}
	Range []struct {
		K    int
		Q, P float64
	}
	Resampled []struct {
		Differences, Interval, Chances []float64
		Ratio, P                       float64
	}
	Rates []struct{ P, Q []float64 }
}

func readGolden(t *testing.T) *golden {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "golden_stats.json"))
	if err != nil {
		t.Fatal(err)
	}
	g := &golden{}
	if err := json.Unmarshal(data, g); err != nil {
		t.Fatal(err)
	}
	return g
}

// tolerance is what the values must agree to.
const tolerance = 1e-10

func agree(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s: %.17g, want %.17g", what, got, want)
	}
}

func TestSignedRankGolden(t *testing.T) {
	t.Parallel()
	g := readGolden(t)
	methods := map[string]int{}
	for _, test := range g.SignedRank {
		methods[test.Method]++
		t.Run(test.Name+"/"+test.Zeros, func(t *testing.T) {
			t.Parallel()
			ranked := test.Differences
			if test.Zeros == "wilcox" {
				ranked = withoutZeros(ranked)
			}
			agree(t, "p", SignedRank(ranked), test.P)
		})
	}
	if methods["exact"] < 10 || methods["permutation"] < 12 {
		t.Errorf("cases by method: %v", methods)
	}
}

func TestFriedmanGolden(t *testing.T) {
	t.Parallel()
	for _, test := range readGolden(t).Friedman {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			got := Friedman(test.Scores)
			agree(t, "chi2", got.Chi2, test.Chi2)
			agree(t, "p", got.P, test.P)
			agree(t, "F", got.F, test.F)
			agree(t, "p of F", got.FP, test.FP)
			for m, rank := range test.Ranks {
				agree(t, "mean rank", got.MeanRanks[m], rank)
			}
		})
	}
}

func TestRangeGolden(t *testing.T) {
	t.Parallel()
	for _, test := range readGolden(t).Range {
		agree(t, "tail of the range", RangeSurvival(test.Q, test.K), test.P)
	}
}

func TestResampledGolden(t *testing.T) {
	t.Parallel()
	for _, test := range readGolden(t).Resampled {
		got := Resampled(test.Differences, test.Ratio)
		agree(t, "p", got.P, test.P)
		interval, chances := got.Interval(0.95), got.Chances(0.1)
		for i, end := range []float64{interval.Low, interval.High} {
			if math.Abs(end-test.Interval[i]) > 1e-9*(test.Interval[1]-test.Interval[0]) { // SciPy's quantiles differ from R's by as much
				t.Errorf("end %d: %.17g, want %.17g", i, end, test.Interval[i])
			}
		}
		for i, p := range []float64{chances.Above, chances.Within, chances.Below} {
			agree(t, "chance", p, test.Chances[i])
		}
	}
}

func TestFalseDiscoveryRateGolden(t *testing.T) {
	t.Parallel()
	for _, test := range readGolden(t).Rates {
		for i, q := range FalseDiscoveryRate(test.P) {
			agree(t, "q", q, test.Q[i])
		}
	}
}
