package stats

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// golden is testdata/golden_stats.json; golden_stats.py beside it says how its
// values were made.
type golden struct {
	SignedRank []struct {
		Name, Zeros, Method   string
		Differences           []float64
		P, Plus, Minus, Shift float64
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
			got := SignedRank(ranked)
			agree(t, "p", got.P, test.P)
			agree(t, "plus", got.Plus, test.Plus)
			agree(t, "minus", got.Minus, test.Minus)
			if got.Exact != (test.Method != "normal") || got.N+got.Zeros != len(ranked) {
				t.Errorf("%+v of %d differences", got, len(test.Differences))
			}
			effect := NewEffect(test.Differences, 0.95)
			agree(t, "shift", effect.Shift, test.Shift)
			if test.Zeros == "wilcox" {
				agree(t, "rank-biserial", effect.RankBiserial, got.RankBiserial())
				if want := (test.Plus - test.Minus) / max(1, test.Plus+test.Minus); got.N > 0 {
					agree(t, "rank-biserial", got.RankBiserial(), want)
				}
			}
		})
	}
	if methods["exact"] < 10 || methods["permutation"] < 12 || methods["normal"] < 6 {
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
