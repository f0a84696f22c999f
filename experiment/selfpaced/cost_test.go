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
		if c.Status != "" {
			continue
		}
		g := c.group(t)
		ratio := (estimate(g) + 1e-3) / (c.Seconds + 1e-3) // below a millisecond nobody waits
		all = append(all, ratio)
		memory = append(memory, float64(g.Bytes())/float64(c.Bytes))
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
	families := []string{Lasso, Ridge, Logistic, SVM, RBF}
	names := []string{"Lasso", "Ridge", "Logistic", "SVM", "RBF"}
	regularizers := []string{Hard, Polynomial, Mixture, LOG}
	regularizerNames := []string{"Hard", "Polynomial", "Mixture", "LOG"}
	text := []string{"package selfpaced\n\n// Written by go test ./experiment/selfpaced -run TestFitCosts -update.\n\nvar powers = [2]map[string]power{\n"}
	factors, given := "var regularizerWork = [2]map[string]float64{\n", "var givenWork = [2]float64{"
	list := readCosts(t, costs)
	for _, method := range []string{ACS, GAGA} {
		const each = 5 // coefficients of a power
		unknowns := each*len(families) + len(regularizers) + 1
		var rows [][]float64
		var logs []float64
		var atLeast []bool
		for _, c := range list {
			if g := c.group(t); (c.Status == "" || c.Status == beyond) && g.method.name == method {
				row := make([]float64, unknowns)
				at := each * slices.Index(families, g.models.family())
				copy(row[at:], []float64{1, math.Log(float64(c.Train) / 1000), math.Log(float64(c.D) / 10), g.logStrength(), g.level()})
				if k := slices.Index(regularizers, g.regularizer.Name); k >= 0 {
					row[each*len(families)+k] = 1
				}
				n, d := float64(c.Train), float64(c.D)
				seconds := max(c.Seconds-(cellWork+prepareWork*n*d)/1e9, 0.1*c.Seconds)
				if g.age.Auto == 0 {
					row[unknowns-1] = 1
					if method == ACS {
						seconds /= g.steps(g.age.Step) / autoAges
					}
				}
				rows, logs, atLeast = append(rows, row), append(logs, math.Log(1e9*seconds)), append(atLeast, c.Status == beyond)
			}
		}
		priors, widths := make([]float64, unknowns), make([]float64, unknowns)
		for k := range unknowns {
			widths[k] = 1
			if k < each*len(families) {
				priors[k] = []float64{18, 1.3, 0.8, 0, 1}[k%each]
				widths[k] = []float64{10, 0.4, 0.4, 0.2, 2}[k%each]
			}
		}
		priors[each*(len(families)-1)+1], priors[each*(len(families)-1)+2] = 2, 0.2 // of the kernel
		fit := fitRobustly(rows, logs, atLeast, priors, widths)
		t.Logf("%s: %d cells", method, len(rows))
		text = append(text, "\t{\n")
		for k, name := range names {
			p := fit[each*k:]
			text = append(text, fmt.Sprintf("\t\t%s: {%.2g, %.2f, %.2f, %.2f, %.2f},\n", name, math.Exp(p[0]), p[1], p[2], p[3], p[4]))
		}
		text = append(text, "\t},\n")
		var list []string
		for k, name := range regularizerNames {
			list = append(list, fmt.Sprintf("%s: %.2g", name, math.Exp(fit[each*len(families)+k])))
		}
		factors += "\t{" + strings.Join(list, ", ") + "},\n"
		given += fmt.Sprintf("%.2g, ", math.Exp(fit[unknowns-1]))
	}
	text = append(text, "}\n\n// regularizerWork is relative to that of the linear regularizer.\n", factors, "}\n\n// givenWork is relative to that with derived ages, for searches at as many.\n", strings.TrimSuffix(given, ", "), "}\n")
	formatted, err := format.Source([]byte(strings.Join(text, "")))
	if err == nil {
		err = os.WriteFile("cost_fitted.go", formatted, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
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
