package selfpaced

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/format"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
)

// beyond is the status of a cell that took more time than it might.
const beyond = "beyond the limit"

// costs are cells measured by TestMeasureCosts.
const costs = "testdata/costs.jsonl"

// costCell is a cell with what it took in a process of its own.
type costCell struct {
	Grid                 string // of one cell
	Rows, D, Train, Test int
	Seconds              float64 // of the processor
	Bytes                int64   // of the process, resident at most
	Status               string  // "" if it ended
}

// group is what the planner makes of the cell.
func (c *costCell) group(t testing.TB) *group {
	grid := mustParse(t, c.Grid)
	s := &grid.Section.(*Section).Sweeps[0]
	settings := s.Settings
	data := &plannedData{
		PlannedData: &experiment.PlannedData{Name: s.Data[0].DatasetName(), N: c.Rows, D: c.D, Task: s.Models[0].task()},
		train:       c.Train, test: c.Test,
	}
	return s.groups(data, settings, []*methodInfo{s.Methods[0].method()}, 0)[0]
}

func readCosts(t testing.TB, name string) (list []costCell) {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var c costCell
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// TestEstimates compares the estimates with what cells took: 90 % within a factor of three, the
// memory of their processes too.
func TestEstimates(t *testing.T) {
	t.Parallel()
	list := readCosts(t, costs)
	compareCosts(t, list, 0.9)
}

// compareCosts logs how far estimates are off, by method and model, and fails if fewer than a share
// are within a factor of three.
func compareCosts(t *testing.T, list []costCell, share float64) {
	t.Helper()
	var all, memory []float64
	kinds := map[string][]float64{}
	for _, c := range list {
		g := c.group(t)
		ratio := (estimate(g) + 1e-3) / (c.Seconds + 1e-3) // below a millisecond nobody waits
		switch c.Status {
		case "":
			memory = append(memory, float64(g.Bytes())/float64(c.Bytes))
		case beyond: // at least so long
			ratio = min(ratio, 1)
		default:
			continue
		}
		all = append(all, ratio)
		kind := g.method.name + " " + g.models.family()
		kinds[kind] = append(kinds[kind], ratio)
		if factor(ratio) > 3 {
			t.Logf("%.2f of %.3g s: %s", ratio, c.Seconds, c.Grid)
		}
	}
	kinds["all"], kinds["memory"] = all, memory
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		list := kinds[kind]
		slices.Sort(list)
		within := 0
		for _, ratio := range list {
			if factor(ratio) <= 3 {
				within++
			}
		}
		at := func(q float64) float64 { return list[int(q*float64(len(list)-1))] }
		t.Logf("%-24s %3d cells, %3.0f %% within 3; estimate over measured: %.2g, median %.2g, %.2g", kind, len(list), 100*float64(within)/float64(len(list)), at(0.05), at(0.5), at(0.95))
		if (kind == "all" || kind == "memory") && float64(within) < share*float64(len(list)) {
			t.Errorf("%s: %d of %d estimates are within a factor of three, want %.0f %%", kind, within, len(list), 100*share)
		}
	}
}

func factor(ratio float64) float64 { return math.Exp(math.Abs(math.Log(ratio))) }

// TestFitCosts fits cost_fitted.go to the measured cells, and writes it with -update:
//
//	go test ./experiment/selfpaced -run TestFitCosts -update
//
// It is least squares of the logarithm of the time, with Huber's loss from a factor of two on, and
// exponents shrunk to what is usual, since few data sets share a number of features.
func TestFitCosts(t *testing.T) {
	if !*update {
		t.Skip("writes cost_fitted.go: -update")
	}
	families := []string{Lasso, ElasticNet, Ridge, Logistic, SVM, RBF}
	names := []string{"Lasso", "ElasticNet", "Ridge", "Logistic", "SVM", "RBF"}
	regularizers := []string{Hard, Polynomial, Mixture, LOG}
	methods := []string{Original, ACSOnce, ACS, GAGA}
	const each = len(power{})
	unknowns := each*len(families) + 2*len(regularizers) + 1
	list := readCosts(t, costs)
	var fits [][]float64
	for kind, method := range methods {
		var rows [][]float64
		var logs []float64
		var atLeast []bool
		for _, c := range list {
			g := c.group(t)
			if c.Status != "" && c.Status != beyond || g.method.name != method {
				continue
			}
			row := make([]float64, unknowns)
			at := slices.Index(families, g.models.family())
			copy(row[each*at:], []float64{1, math.Log(float64(c.Train) / 1000), math.Log(float64(c.D) / 10), g.logStrength(), g.level()})
			if k := slices.Index(regularizers, g.regularizer.Name); k >= 0 && kind > fitOf {
				copy(row[each*len(families)+2*k:], []float64{1, row[each*at+1]})
			}
			n, d := float64(c.Train), float64(c.D)
			seconds := max(c.Seconds-(cellWork+prepareWork*n*d)/1e9, 0.1*c.Seconds)
			if g.age.Auto == 0 && kind > fitOf {
				row[unknowns-1] = 1
				if kind != pathOf {
					seconds /= g.steps(g.age.Step) / autoAges
				}
			}
			rows, logs, atLeast = append(rows, row), append(logs, math.Log(1e9*seconds)), append(atLeast, c.Status == beyond)
		}
		priors, widths := make([]float64, unknowns), slices.Repeat([]float64{0.7}, unknowns)
		for k := range each * len(families) {
			priors[k] = []float64{[]float64{14, 16, 18, 18}[kind], 1.1, 0.8, 0, 1}[k%each]
			widths[k] = []float64{3, 0.3, 0.3, 0.2, 1.5}[k%each]
		}
		for k := range regularizers {
			widths[each*len(families)+2*k+1] = 0.3
		}
		rbf := each * slices.Index(families, RBF)
		priors[rbf], priors[rbf+1], priors[rbf+2] = priors[rbf]+1, 1.9, 0.2
		fits = append(fits, fitRobustly(rows, logs, atLeast, priors, widths))
		t.Logf("%s: %d cells", method, len(rows))
	}
	columns := func(k int) string {
		var texts []string
		for _, fit := range fits {
			factor := fit[each*len(families)+2*k:]
			if text := fmt.Sprintf("%.2g", math.Exp(factor[0])); len(factor) > 1 {
				texts = append(texts, fmt.Sprintf("{%s, %.2f}", text, factor[1]))
			} else {
				texts = append(texts, text)
			}
		}
		return "{" + strings.Join(texts, ", ") + "}"
	}
	text := "package selfpaced\n\n// Written by go test ./experiment/selfpaced -run TestFitCosts -update.\n\nvar powers = map[string][4]power{\n"
	for k, name := range names {
		text += "\t" + name + ": {"
		for _, fit := range fits {
			p := fit[each*k:]
			text += fmt.Sprintf("{%.2g, %.2f, %.2f, %.2f, %.2f}, ", math.Exp(p[0]), p[1], p[2], p[3], p[4])
		}
		text = strings.TrimSuffix(text, ", ") + "},\n"
	}
	text += "}\n\n// regularizerWork is relative to that of the linear regularizer, givenWork to derived ages and deriving\n// them.\nvar (\n\tregularizerWork = map[string][4][2]float64{\n"
	for k, name := range []string{"Hard", "Polynomial", "Mixture", "LOG"} {
		text += "\t\t" + name + ": " + columns(k) + ",\n"
	}
	text += "\t}\n\tgivenWork = [4]float64" + columns(len(regularizers)) + "\n)\n"
	formatted, err := format.Source([]byte(text))
	if err == nil {
		err = os.WriteFile("cost_fitted.go", formatted, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (m *Models) family() string {
	if m.Kernel == RBF {
		return RBF
	}
	return m.Name
}

func (g *group) level() (sum float64) {
	for _, noise := range g.noise {
		sum += noise.Level / float64(len(g.noise))
	}
	return sum
}

func (g *group) logStrength() float64 {
	if len(g.models.Choices) == 0 {
		return 0
	}
	return math.Log(g.models.Choices[0].Values[0].Number)
}

// fitRobustly returns the least squares fit with priors; residuals above log 2 have linear loss, those
// below a target that is a lower bound none.
func fitRobustly(rows [][]float64, targets []float64, atLeast []bool, priors, widths []float64) []float64 {
	const noise = 0.6
	n := len(priors)
	fit := slices.Clone(priors)
	for range 30 {
		a := make([][]float64, n) // normal equations, with the right-hand side
		for i := range a {
			a[i] = make([]float64, n+1)
			a[i][i] = noise * noise / (widths[i] * widths[i])
			a[i][n] = a[i][i] * priors[i]
		}
		for k, row := range rows {
			residual := targets[k]
			for i, x := range row {
				residual -= x * fit[i]
			}
			w := min(1, math.Ln2/math.Abs(residual))
			if atLeast[k] && residual < 0 {
				continue
			}
			for i, x := range row {
				for j, y := range row {
					a[i][j] += w * x * y
				}
				a[i][n] += w * x * targets[k]
			}
		}
		for i := range a { // elimination; the matrix is positive definite
			for k := range a {
				if k == i {
					continue
				}
				f := a[k][i] / a[i][i]
				for j := i; j <= n; j++ {
					a[k][j] -= f * a[i][j]
				}
			}
		}
		for i := range fit {
			fit[i] = a[i][n] / a[i][i]
		}
	}
	return fit
}
