package report

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
)

var update = flag.Bool("update", false, "write testdata/verdicts.txt")

// madeGrid makes cells of methods on data sets; each method adds its gain to the scores of the first.
type madeGrid struct {
	methods  []string
	gains    []float64 // of the score by method, better above 0; data sets take turns of them if there are more
	sets     int
	repeats  int
	noise    float64 // of the difference between repeats
	accuracy bool    // on every second data set, or on all of one
	floor    float64 // score of the constant; 0 for none
	change   func(row testrun.Row)
}

func (g *madeGrid) rows() []testrun.Row {
	source := rand.New(rand.NewPCG(58, 3))
	var rows []testrun.Row
	for d := range g.sets {
		higher := g.accuracy && (g.sets == 1 || d%2 == 1)
		base := testrun.Row{"dataset": fmt.Sprintf("set%d", d+1), "split_train": 3.0, "split_test": 1.0}
		sign := -1.0
		if higher {
			sign, base["model"], base["alpha"], base["c"], base["metric"] = 1, "svm", nil, 1.0, "accuracy"
		}
		for repeat := 1; repeat <= g.repeats; repeat++ {
			split := 0.02 * source.NormFloat64()
			for m, method := range g.methods {
				x := 0.5 + split + sign*(g.gains[(m+d*len(g.methods))%len(g.gains)]+g.noise*source.NormFloat64())
				row := testrun.Merge(base, testrun.Row{"method": method, "repeat": repeat, "test_at_best_validation": x, "test_at_best_test": x + sign*0.01,
					"best_validation": x, "age_of_best_validation": nil, "age_of_best_test": nil, "age_from": 0.0, "age_to": 9.0})
				if strings.HasPrefix(method, "acs") || method == "gaga" || method == "mospl" {
					row["age_of_best_validation"], row["age_of_best_test"], row["age_last_out"], row["regularizer"] = 2.0, 2.0, 8.0, "linear"
				}
				if g.change != nil {
					g.change(row)
				}
				rows = append(rows, row)
			}
			if g.floor > 0 {
				rows = append(rows, testrun.Merge(base, testrun.Row{"method": "constant", "repeat": repeat, "model": nil, "alpha": nil, "c": nil,
					"test_at_best_validation": g.floor, "test_at_best_test": g.floor, "age_of_best_validation": nil, "age_of_best_test": nil}))
			}
		}
	}
	return rows
}

var two, three = []string{"original", "gaga"}, []string{"original", "acs", "gaga"}

// twelve methods are as many as a figure of the paper never has.
var twelve = []string{"original", "acs", "acs-once", "acs-share", "mospl", "gaga", "huber-lasso", "sparse-lts", "rlssvm", "relssvm", "robust-svm", "mine"}

// parameters repeats rows for three values of a parameter, of which one is the best.
func parameters(rows []testrun.Row, name string, best float64, values ...float64) []testrun.Row {
	var all []testrun.Row
	for _, row := range rows {
		if row["method"] == "constant" {
			all = append(all, row)
			continue
		}
		for _, value := range values {
			changed := testrun.Merge(row, testrun.Row{name: value})
			if value != best {
				worse := 0.5
				if row["metric"] == "accuracy" {
					worse = -0.5
				}
				changed["best_validation"] = row["best_validation"].(float64) + worse
			}
			all = append(all, changed)
		}
	}
	return all
}

func graded(n int, step float64) (gains []float64) {
	for m := range n {
		gains = append(gains, step*float64(m))
	}
	return gains
}

// verdicts are of grids of 1 to 12 methods on 1 to 6 data sets.
var verdicts = []struct {
	name string
	rows []testrun.Row
}{
	{"one repeat", (&madeGrid{methods: two, gains: []float64{0, 0.1}, sets: 1, repeats: 1}).rows()},
	{"clear gain", (&madeGrid{methods: two, gains: []float64{0, 0.1}, sets: 1, repeats: 10, noise: 0.01, floor: 0.7}).rows()},
	{"small gain", (&madeGrid{methods: two, gains: []float64{0, 0.005}, sets: 1, repeats: 10, noise: 0.004, floor: 0.7}).rows()},
	{"no gain", (&madeGrid{methods: two, gains: []float64{0, 0.001}, sets: 1, repeats: 10, noise: 0.01, floor: 0.7}).rows()},
	{"clear loss", (&madeGrid{methods: two, gains: []float64{0, -0.1}, sets: 1, repeats: 10, noise: 0.01, accuracy: true, floor: 0.3}).rows()},
	{"loss to chance", (&madeGrid{methods: three, gains: []float64{0.01, -0.02, 0}, sets: 1, repeats: 10, noise: 0.005, accuracy: true, floor: 0.505}).rows()},
	{"worse than the constant", (&madeGrid{methods: three, gains: []float64{0, 0.02, 0.01}, sets: 2, repeats: 5, noise: 0.02, floor: 0.3}).rows()},
	{"three methods, three data sets", (&madeGrid{methods: three, gains: []float64{0, 0.05, 0.06}, sets: 3, repeats: 8, noise: 0.01, floor: 0.7}).rows()},
	{"mixed", (&madeGrid{methods: three, gains: []float64{0, 0.1, 0.12, 0, -0.1, -0.12, 0, 0.003, 0.002, 0.01, 0.1, -0.03}, sets: 4, repeats: 8, noise: 0.01, accuracy: true}).rows()},
	{"two methods, six data sets", (&madeGrid{methods: two, gains: []float64{0, 0.02, 0, 0.03, 0.001, 0.005}, sets: 6, repeats: 10, noise: 0.01, floor: 0.7}).rows()},
	{"a gain over data sets alone", (&madeGrid{methods: two, gains: []float64{0, 0.02}, sets: 6, repeats: 3, noise: 0.008, change: func(row testrun.Row) {
		if row["repeat"] == 2 && row["method"] == "gaga" {
			row["test_at_best_validation"] = row["test_at_best_validation"].(float64) + 0.02
		}
	}}).rows()},
	{"two methods, three data sets", (&madeGrid{methods: two, gains: []float64{0, 0.02}, sets: 3, repeats: 10, noise: 0.01}).rows()},
	{"six methods, three data sets", (&madeGrid{methods: twelve[:6], gains: graded(6, 0.02), sets: 3, repeats: 10, noise: 0.02, accuracy: true}).rows()},
	{"six methods, two data sets", (&madeGrid{methods: twelve[:6], gains: graded(6, 0.02), sets: 2, repeats: 10, noise: 0.02}).rows()},
	{"twelve methods, six data sets", (&madeGrid{methods: twelve, gains: graded(12, 0.02), sets: 6, repeats: 10, noise: 0.02, floor: 0.6}).rows()},
	{"twelve methods, one data set", (&madeGrid{methods: twelve, gains: []float64{0, 0.01, -0.01, 0.02, 0.03, 0.031, 0, 0, 0.01, 0.02, -0.4, 0}, sets: 1, repeats: 20, noise: 0.01, floor: 0.6}).rows()},
	{"largest α", parameters((&madeGrid{methods: two, gains: []float64{0, 0.1}, sets: 1, repeats: 10, noise: 0.01}).rows(), "alpha", 0.1, 0.001, 0.01, 0.1)},
	{"smallest C, smallest age", parameters((&madeGrid{methods: two, gains: []float64{0, 0.1}, sets: 1, repeats: 3, noise: 0.01, accuracy: true, change: func(row testrun.Row) {
		if row["method"] == "gaga" {
			row["age_from"] = 2.0
		}
	}}).rows(), "c", 0.1, 1, 10, 0.1)},
	{"all rows in", (&madeGrid{methods: two, gains: []float64{0, 0.001}, sets: 1, repeats: 6, noise: 0.003, change: func(row testrun.Row) {
		if row["method"] == "gaga" {
			row["age_last_out"] = 0.0
		}
	}}).rows()},
	{"the same difference", (&madeGrid{methods: two, gains: []float64{0, 0.125}, sets: 1, repeats: 5}).rows()},
	{"no repeat in common", (&madeGrid{methods: two, gains: []float64{0, 0.1}, sets: 1, repeats: 4, change: func(row testrun.Row) {
		if (row["repeat"].(int) > 2) == (row["method"] == "gaga") {
			row["status"], row["error"] = "failed", "singular"
		}
	}}).rows()},
	{"a loss by the largest errors", (&madeGrid{methods: three, gains: []float64{0, -0.03, -0.04}, sets: 2, repeats: 8, noise: 0.01, floor: 0.7, change: func(row testrun.Row) {
		if row["test_rmse_without_10"] = 0.2; row["method"] != "original" {
			row["test_rmse_without_10"] = 0.15
		}
	}}).rows()},
	{"one method", (&madeGrid{methods: []string{"gaga"}, gains: []float64{0}, sets: 1, repeats: 4, floor: 0.4}).rows()},
}

// TestVerdicts compares with testdata/verdicts.txt, which was read against the means, deviations and
// tests of the grids.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, v := range verdicts {
		r := loaded(t, v.rows)
		sentences := r.Answer().Verdict
		text := InLines(strings.Join(sentences, " "))
		if len(sentences) > 5 {
			t.Errorf("%s: %d sentences", v.name, len(sentences))
		}
		if n := len(strings.Fields(text)); n > 140 {
			t.Errorf("%s: %d words", v.name, n)
		}
		fmt.Fprintf(&all, "# %s\n%s\n\n", v.name, text)
	}
	path := filepath.Join("testdata", "verdicts.txt")
	if *update {
		if err := os.WriteFile(path, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if all.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s(go test ./results/report -run TestVerdicts -update writes it)", all.String(), want)
	}
}

// TestSignificance wants the level in the marks, the intervals and the words.
func TestSignificance(t *testing.T) {
	t.Parallel()
	dir := testrun.Write(t, testrun.Tables{Cells: verdicts[17].rows})
	texts := map[float64]string{}
	for _, level := range []float64{0.01, 0.2} {
		r, err := Load(t.Context(), dir, Options{Figures: -1, Tests: analysis.Tests{Significance: level, Rope: 0.01}})
		if err != nil {
			t.Fatal(err)
		}
		texts[level] = written(t, "html", r)
		for _, name := range []string{fmt.Sprintf("rate %g %%", 100*level), fmt.Sprintf("%g %% interval", 100*(1-level))} {
			if !strings.Contains(texts[level], name) {
				t.Errorf("%v: no %q in\n%s", level, name, texts[level])
			}
		}
	}
	if strings.Contains(texts[0.2], `"",2,"`) || !strings.Contains(texts[0.01], `"",2,"`) { // equal at 1 %, not at 20 %
		t.Error("the marks are the same")
	}
}
