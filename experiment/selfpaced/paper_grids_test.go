package selfpaced

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	need "github.com/agepath/agepath/internal/testing/needs"
)

// shapes is a library of made-up numbers with the catalog's rows and two
// features; absent are the sets that are not there.
type shapes struct{ absent []string }

func (l shapes) Load(_ context.Context, source dataset.Source) (*dataset.Dataset, error) {
	entry, known := dataset.Lookup(source.Name)
	if !known {
		return nil, dataset.ErrUnknown
	}
	if slices.Contains(l.absent, entry.Name) {
		return nil, fmt.Errorf("%w: %s", dataset.ErrAbsent, entry.Name)
	}
	const features = 2
	d := &dataset.Dataset{
		Name: source.DatasetName(), Task: entry.Task, N: entry.Rows, D: features, Features: []string{"a", "b"},
		X: make([]float64, entry.Rows*features), Y: make([]float64, entry.Rows),
	}
	random := rand.New(rand.NewPCG(uint64(len(entry.Name)), uint64(entry.Rows)))
	for i := range d.X {
		d.X[i] = random.NormFloat64()
	}
	for i := range d.Y {
		d.Y[i] = float64(2*(i%2) - 1)
	}
	return d, nil
}

// paperGrids returns the files of the paper's tables and figures, those under
// clean rules, those of the published scripts, which have the tables only, and the one
// for a night.
func paperGrids(t *testing.T) []string {
	t.Helper()
	var names []string
	for table := 2; table <= 16; table++ {
		if table != 4 { // not among the published ones
			names = append(names, fmt.Sprintf("table%02d.yaml", table))
		}
	}
	for figure := 1; figure <= 13; figure++ {
		if figure != 3 { // shows no experiment's results
			names = append(names, fmt.Sprintf("figure%02d.yaml", figure))
		}
	}
	for _, name := range slices.Clone(names) {
		names = append(names, filepath.Join("honest", name))
	}
	for _, name := range names {
		if strings.HasPrefix(name, "table") {
			names = append(names, filepath.Join("scripts", name))
		}
	}
	return append(names, "overnight.yaml")
}

// TestPaperGrids plans every grid of the paper, with data of the catalog's
// shape, and without hiva_agnostic. The grid for a night holds the cells of all
// tables and figures but those of Tables 7 and 8.
func TestPaperGrids(t *testing.T) {
	t.Parallel()
	need.Patience(t, "2 s")
	cells := map[string]map[string]bool{}
	for _, name := range paperGrids(t) {
		g, err := experiment.ParseFile(filepath.Join("..", "..", "grids", name), nil)
		if err != nil {
			t.Error(err)
			continue
		}
		folder, want := filepath.Dir(name), strings.TrimSuffix(filepath.Base(name), ".yaml")
		if folder != "." {
			want += "-" + folder
		}
		if g.Name != want || g.Repeats != 20 && !g.Keep.Has("coefficients") {
			t.Errorf("%s: named %s, %d repeats", name, g.Name, g.Repeats)
		}
		for _, s := range sectionOf(g).Sweeps {
			protocol := map[string]dataset.Protocol{".": dataset.Paper, "honest": dataset.HeldOut, "scripts": dataset.Scripts}[folder]
			if s.Settings.Protocol != protocol || (folder == "honest") != (s.Settings.Split.Validation > 0) || !s.SkipAbsent {
				t.Errorf("%s: a sweep with %+v", name, s.Settings)
			}
		}
		full, err := g.Plan(t.Context(), shapes{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		part, err := g.Plan(t.Context(), shapes{absent: []string{"hiva_agnostic"}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n := len(part.Absent); n > 1 || (n == 1) != (part.Count() < full.Count()) || len(full.Absent) > 0 {
			t.Errorf("%s: %d data sets skipped, %d of %d cells", name, n, part.Count(), full.Count())
		}
		if folder == "." {
			cells[want] = map[string]bool{}
			for cell := range cellsOf(full) {
				if cell.Repeat == 1 {
					cells[want][cell.ID()] = true
				}
			}
		}
	}
	for name, ids := range cells {
		if name == "table07" || name == "table08" {
			continue
		}
		for id := range ids {
			if !cells["overnight"][id] {
				t.Errorf("overnight has not all cells of %s", name)
				break
			}
		}
	}
}

// TestPaperGridsAskForTheTables wants the grid of each table to have a cell of
// each method for each published row.
func TestPaperGridsAskForTheTables(t *testing.T) {
	need.Patience(t, "2 s")
	t.Parallel()
	number := func(text string) float64 {
		if text == "" {
			return 0
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	regularizers := map[string]string{"table03": Mixture, "table06": Mixture}
	for _, name := range []string{"table02", "table03", "table05", "table06", "table09", "table10", "table11", "table12", "table13", "table14", "table15", "table16"} {
		for _, folder := range []string{"", "honest", "scripts"} {
			g, err := experiment.ParseFile(filepath.Join("..", "..", "grids", folder, name+".yaml"), nil)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := g.Plan(t.Context(), shapes{})
			if err != nil {
				t.Fatal(err)
			}
			type what struct {
				data, method, regularizer                    string
				noise, strength, kernelGamma, regularization float64
			}
			have := map[what]bool{}
			for cell := range cellsOf(plan) {
				m, r := cell.Model, cell.Method.Regularizer
				known, _ := dataset.Lookup(cell.Data.Name)
				have[what{cmp.Or(known.Reading, known.Name), cell.Method.Name, r.Name, cell.Settings.Noise.Level, m.Alpha + m.C, m.KernelGamma, r.Param}] = true
			}
			for _, row := range publishedRows(t, name) {
				entry, _ := dataset.Lookup(row["dataset"])
				for _, method := range []string{Original, ACS, MOSPL, GAGA} {
					want := what{entry.Name, method, Linear, number(row["noise"]), number(row["c"]) + number(row["alpha"]), number(row["kernel_gamma"]), number(row["mixture_gamma"])}
					if folder == "scripts" {
						want.kernelGamma = 0 // the width scale
					}
					if r := regularizers[name]; r != "" {
						want.regularizer = r
					}
					if method == Original {
						want.regularizer, want.regularization = "", 0
					}
					if !have[want] {
						t.Errorf("%s%s has no cell %+v", folder, name, want)
					}
				}
			}
		}
	}
}
