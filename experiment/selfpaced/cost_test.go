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
	kinds := map[string][]float64{}
	for _, c := range list {
		ratio, memory := c.ratios(t)
		if ratio == 0 {
			continue
		}
		g := c.group(t)
		for _, kind := range []string{"all", g.method.name + " " + g.models.family()} {
			kinds[kind] = append(kinds[kind], ratio)
		}
		if memory > 0 {
			kinds["memory"] = append(kinds["memory"], memory)
		}
		if withinThree([]float64{ratio}) == 0 {
			t.Logf("%.2f of %.3g s: %s", ratio, c.Seconds, c.Grid)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		list := kinds[kind]
		slices.Sort(list)
		at := func(q float64) float64 { return list[int(q*float64(len(list)-1))] }
		t.Logf("%-24s %3d cells, %3.0f %% within 3; estimate over measured: %.2g, median %.2g, %.2g", kind, len(list), 100*withinThree(list), at(0.05), at(0.5), at(0.95))
		if (kind == "all" || kind == "memory") && withinThree(list) < share {
			t.Errorf("%s: %.0f %% of the estimates are within a factor of three, want %.0f %%", kind, 100*withinThree(list), 100*share)
		}
	}
}

// ratios are the estimated over the measured time and memory, 0 if not known.
func (c *costCell) ratios(t testing.TB) (time, memory float64) {
	g := c.group(t)
	time = (estimate(g) + 1e-3) / (c.Seconds + 1e-3) // below a millisecond nobody waits
	switch c.Status {
	case "":
		return time, float64(g.Bytes()) / float64(c.Bytes)
	case beyond: // at least so long
		return min(time, 1), 0
	}
	return 0, 0
}

// withinThree is the share of ratios within a factor of three.
func withinThree(ratios []float64) float64 {
	n := 0
	for _, ratio := range ratios {
		if ratio <= 3 && ratio >= 1./3 {
			n++
		}
	}
	return float64(n) / float64(len(ratios))
}

// TestFitCosts fits cost_fitted.go to the measured cells, and writes it with -update:
//
//	go test ./experiment/selfpaced -run TestFitCosts -update -v
//
// It logs how far estimates are off for a tenth of the cells, fitted to the others, for each tenth.
func TestFitCosts(t *testing.T) {
	if !*update {
		t.Skip("writes cost_fitted.go: -update")
	}
	list := readCosts(t, costs)
	const parts = 10
	var ratios []float64
	for part := range parts {
		var others, own []costCell
		for k, c := range list {
			if k%parts == part {
				own = append(own, c)
			} else {
				others = append(others, c)
			}
		}
		fitCosts(t, others)
		for _, c := range own {
			if ratio, _ := c.ratios(t); ratio > 0 {
				ratios = append(ratios, ratio)
			}
		}
	}
	t.Logf("of %d cells that are not fitted to %.0f %% within a factor of 3", len(ratios), 100*withinThree(ratios))
	fitCosts(t, list)
	columns := func(of [4]float64) string {
		return strings.ReplaceAll(strings.Trim(fmt.Sprintf("%.2g", of), "[]"), " ", ", ")
	}
	text := "package selfpaced\n\n// Written by go test ./experiment/selfpaced -run TestFitCosts -update.\n\nvar powers = map[string][4]power{\n"
	for k, family := range costFamilies {
		text += "\t" + []string{"Lasso", "ElasticNet", "Ridge", "Logistic", "SVM", "RBF"}[k] + ": {"
		for _, p := range powers[family] {
			text += fmt.Sprintf("{%.2g, %.2f, %.2f, %.2f}, ", p[0], p[1], p[2], p[3])
		}
		text = strings.TrimSuffix(text, ", ") + "},\n"
	}
	text += "}\n\n// regularizerWork is relative to that of the linear regularizer, givenWork to derived ages and deriving\n// them.\nvar (\n\tregularizerWork = map[string][4]float64{\n"
	for k, name := range costRegularizers {
		text += "\t\t" + []string{"Hard", "Polynomial", "Mixture", "LOG"}[k] + ": {" + columns(regularizerWork[name]) + "},\n"
	}
	text += "\t}\n\tgivenWork = [4]float64{" + columns(givenWork) + "}\n)\n"
	formatted, err := format.Source([]byte(text))
	if err == nil {
		err = os.WriteFile("cost_fitted.go", formatted, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var (
	costFamilies     = []string{Lasso, ElasticNet, Ridge, Logistic, SVM, RBF}
	costRegularizers = []string{Hard, Polynomial, Mixture, LOG}
)

// fitCosts sets powers, regularizerWork and givenWork by least squares of the logarithm of the time,
// with Huber's loss from a factor of two on, and exponents shrunk to what is usual, since few data
// sets share a number of features.
func fitCosts(t testing.TB, list []costCell) {
	t.Helper()
	const each = len(power{})
	shared := each * len(costFamilies)
	unknowns := shared + len(costRegularizers) + 1
	powers, regularizerWork = map[string][4]power{}, map[string][4]float64{}
	for kind, method := range []string{Original, ACSOnce, ACS, GAGA} {
		var rows [][]float64
		var logs []float64
		var atLeast []bool
		for _, c := range list {
			g := c.group(t)
			if c.Status != "" && c.Status != beyond || g.method.name != method {
				continue
			}
			row := make([]float64, unknowns)
			n, d := float64(c.Train), float64(c.D)
			family := slices.Index(costFamilies, g.models.family())
			if g.models.Name == ElasticNet { // as the Lasso
				family = 0
			}
			copy(row[each*family:], []float64{1, math.Log(n / 1000), math.Log(d / 10), g.level()})
			seconds := max(c.Seconds-commonWork(g, n, d)/1e9, 0.1*c.Seconds)
			if kind > fitOf {
				if k := slices.Index(costRegularizers, g.regularizer.Name); k >= 0 {
					row[shared+k] = 1
				}
				if g.age.Auto == 0 {
					row[unknowns-1] = 1
				}
				if g.age.Auto == 0 && kind != pathOf {
					seconds /= g.steps(g.age.Step) / autoAges
				}
			}
			rows, logs, atLeast = append(rows, row), append(logs, math.Log(1e9*seconds)), append(atLeast, c.Status == beyond)
		}
		priors, widths := make([]float64, unknowns), slices.Repeat([]float64{0.7}, unknowns)
		for k := range shared {
			priors[k] = []float64{[]float64{14, 16, 18, 18}[kind], []float64{1.1, 1.1, 1.2, 1.4}[kind], 0.8, 1}[k%each]
			widths[k] = []float64{3, 0.2, 0.2, 0.7}[k%each]
		}
		rbf := each * slices.Index(costFamilies, RBF)
		priors[rbf], priors[rbf+1], priors[rbf+2] = priors[rbf]+1, 1.9, 0.2
		fit := fitRobustly(rows, logs, atLeast, priors, widths)
		for k, family := range costFamilies {
			if family == ElasticNet {
				k = 0
			}
			of := powers[family]
			of[kind] = power(fit[each*k:])
			of[kind][0] = math.Exp(of[kind][0])
			powers[family] = of
		}
		for k, name := range costRegularizers {
			of := regularizerWork[name]
			of[kind] = math.Exp(fit[shared+k])
			regularizerWork[name] = of
		}
		givenWork[kind] = math.Exp(fit[unknowns-1])
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
