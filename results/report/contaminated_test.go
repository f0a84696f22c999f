package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
)

// rowsOf writes rows of y = x·(3, -2, 1.5, 0, 1) + 2 + error, with change applied to each.
func rowsOf(b *strings.Builder, n int, part string, random *rand.Rand, noise func() float64, change func(x []float64, y float64) (float64, bool)) {
	for range n {
		x, y := make([]float64, 5), 2+noise()
		for j, w := range []float64{3, -2, 1.5, 0, 1} {
			x[j] = random.NormFloat64()
			y += w * x[j]
		}
		y, clean := change(x, y)
		for _, v := range x {
			fmt.Fprintf(b, "%.6g,", v)
		}
		fmt.Fprintf(b, "%.6g,%t,%s\n", y, clean, part)
	}
}

// evaluated computes all cells of a grid of a file and returns its evaluation.
func evaluated(t *testing.T, path, repeats, keys string) *analysis.Run {
	t.Helper()
	grid, err := experiment.Parse([]byte("regularizers: [linear]\nmodels: [{lasso: {alpha: 0.001}}]\nmethods: [original, gaga, {sparse-lts: {starts: 100}}]\n"+
		"repeats: "+repeats+"\ndata: [{path: "+path+", name: own, target: y, "+keys+"\n"), filepath.Join(filepath.Dir(path), "grid.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	kind := testrun.Kind(t)
	standing := analysis.NewStanding(kind)
	for task, err := range plan.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		outcome := run.Compute(t.Context(), []experiment.Kind{kind}, &task, plan)
		if outcome.Status != experiment.OK {
			t.Fatalf("%s: %s", outcome.Status, outcome.Error)
		}
		if err := standing.Add(outcome); err != nil {
			t.Fatal(err)
		}
	}
	return standing.Run()
}

// TestContaminatedFiles makes files of four kinds of gross errors. The verdict says that test rows
// are far from every method, and with a column of clean rows it does not. In both cases it names
// the method that is best on 5,000 clean rows, or one within 1 % of its RMSE.
func TestContaminatedFiles(t *testing.T) {
	t.Parallel()
	for name, gross := range map[string]func(random *rand.Rand, x []float64, y float64) (float64, bool){
		"target": func(r *rand.Rand, _ []float64, y float64) (float64, bool) {
			if r.Float64() < 0.3 {
				return y + 20 + 40*r.Float64(), false
			}
			return y, true
		},
		"both sides": func(r *rand.Rand, _ []float64, y float64) (float64, bool) {
			if r.Float64() < 0.2 {
				return y + 25*r.NormFloat64(), false
			}
			return y, true
		},
		"leverage": func(r *rand.Rand, x []float64, y float64) (float64, bool) {
			if r.Float64() > 0.15 {
				return y, true
			}
			for j := range x {
				x[j] = 6 + 0.5*r.NormFloat64()
			}
			return -40 + 2*r.NormFloat64(), false
		},
		"cluster": func(r *rand.Rand, _ []float64, y float64) (float64, bool) {
			if r.Float64() < 0.25 {
				return -60 + 10*r.NormFloat64(), false
			}
			return y, true
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(7, uint64(len(name))))
			var own, clean strings.Builder
			rowsOf(&own, 300, "train", random, random.NormFloat64, func(x []float64, y float64) (float64, bool) { return gross(random, x, y) })
			rowsOf(&clean, 5000, "test", random, random.NormFloat64, func(_ []float64, y float64) (float64, bool) { return y, true })
			write := func(file, rows string) string {
				path := filepath.Join(t.TempDir(), file)
				if err := os.WriteFile(path, []byte("a,b,c,d,e,y,ok,part\n"+rows), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			path := write("own.csv", own.String())
			truth, best := map[string]float64{}, math.Inf(1)
			table := evaluated(t, write("truth.csv", own.String()+clean.String()), "5", "drop: ok}]\nsplit: {column: part}").Overall[0]
			for j, label := range analysis.MethodLabels(table.Methods) {
				truth[label] = table.Rows[0].Entries[j].Summary[table.Lead()].Mean
				best = math.Min(best, truth[label])
			}
			for _, c := range []struct {
				keys    string
				warning bool
			}{{"drop: [ok, part]}]", true}, {"drop: part, clean: ok}]", false}} {
				verdict := strings.Join(NewAnswer(evaluated(t, path, "6", c.keys)).Verdict, " ")
				if strings.Contains(verdict, "of own's test rows are far from every method that fits the others: RMSE rewards methods that fit them; ranked by trimmed RMSE, up to") != c.warning {
					t.Errorf("%s: %s", c.keys, verdict)
				}
				named := ""
				for label := range truth {
					if strings.Contains(verdict, label+" has the best") {
						named = label
					}
				}
				if !(truth[named] <= 1.01*best) {
					t.Errorf("%s: %q is named, RMSE on clean rows %v", c.keys, verdict, truth)
				}
			}
		})
	}
}

// TestCleanFilesHaveNoWarning makes 200 files of errors of ten shapes, of which at most 5 % may be
// taken for contaminated ones.
func TestCleanFilesHaveNoWarning(t *testing.T) {
	t.Parallel()
	same := func(y float64) float64 { return y }
	random := rand.New(rand.NewPCG(3, 4))
	n, files, warnings := random.NormFloat64, 0, []string{}
	for _, shape := range []struct {
		name   string
		noise  func() float64
		target func(y float64) float64
	}{
		{"normal", n, same},
		{"t5", func() float64 { return student(random, 5) }, same},
		{"t3", func() float64 { return student(random, 3) }, same},
		{"Laplace", func() float64 { return random.ExpFloat64() - random.ExpFloat64() }, same},
		{"exponential", func() float64 { return 3 * random.ExpFloat64() }, same},
		{"lognormal", func() float64 { return math.Exp(n()) }, same},
		{"scale varies", func() float64 { return n() * math.Exp(0.7*n()) }, same},
		{"60 % zeros", n, func(y float64) float64 { return math.Max(0, y-3) }},
		{"counts", n, func(y float64) float64 { return math.Floor(math.Exp(y / 3)) }},
		{"skewed target", n, func(y float64) float64 { return math.Exp(y / 4) }},
	} {
		for range 20 {
			var rows strings.Builder
			rowsOf(&rows, 200, "", random, shape.noise, func(_ []float64, y float64) (float64, bool) { return shape.target(y), true })
			path := filepath.Join(t.TempDir(), "clean.csv")
			if err := os.WriteFile(path, []byte("a,b,c,d,e,y,ok,part\n"+rows.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			files++
			if r := evaluated(t, path, "3", "drop: [ok, part]}]"); len(r.Contaminated) > 0 {
				warnings = append(warnings, shape.name)
			}
		}
	}
	if 20*len(warnings) > files {
		t.Errorf("%d of %d clean files have a warning: %s", len(warnings), files, strings.Join(warnings, ", "))
	}
}

func student(random *rand.Rand, freedom float64) float64 {
	return math.Sqrt(freedom*(math.Pow(1-random.Float64(), -2/freedom)-1)) * math.Cos(2*math.Pi*random.Float64())
}
