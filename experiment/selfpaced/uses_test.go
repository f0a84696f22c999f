package selfpaced

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// usesGrid writes a file of 60 rows, of which the last 20 are not clean, and a grid of it.
func usesGrid(t *testing.T, keys string) *experiment.Grid {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("x,y,part,ok\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%g,%g,%s,%t\n", random.NormFloat64(), random.NormFloat64(), []string{"train", "train", "validation", "test"}[i%4], i < 40)
	}
	path := filepath.Join(t.TempDir(), "grid.yaml")
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "own.csv"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := experiment.Parse([]byte("models: [{lasso: {alpha: 0.01}}]\nmethods: [original]\n"+keys), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestUsesOfRows plans and computes cells of a file with clean rows and parts of its own.
func TestUsesOfRows(t *testing.T) {
	t.Parallel()
	const drawn = "data: [{path: own.csv, target: y, drop: [part, ok]}]\n"
	ids := map[string]bool{}
	for _, c := range []struct {
		keys        string
		train, test int64
		split       dataset.Split
		need        bool
	}{
		{drawn, 36, 15, dataset.Split{Train: 3, Test: 1, Validation: 0.2}, false},
		{"data: [{path: own.csv, target: y, drop: part, clean: ok}]\n", 40, 10, dataset.Split{Train: 3, Test: 1, Validation: 0.2}, true},
		{"data: [{path: own.csv, target: y, drop: part, clean: {column: ok, values: [false]}}]\n", 44, 5, dataset.Split{Train: 3, Test: 1, Validation: 0.2}, true},
		{"data: [{path: own.csv, target: y, drop: ok}]\nsplit: {column: part}\n", 30, 15, dataset.Split{Train: 45, Test: 15, Validation: 1. / 3, Own: true}, true},
		{"data: [{path: own.csv, target: y, clean: ok}]\nsplit: {column: part}\n", 30, 10, dataset.Split{Train: 45, Test: 15, Validation: 1. / 3, Own: true}, true},
	} {
		plan, err := usesGrid(t, c.keys).Plan(t.Context(), &dataset.Library{})
		if err != nil {
			t.Fatal(err)
		}
		for at := range plan.Cells() {
			cell := at.(*plannedCell)
			if cell.group.data.D != 1 || int64(cell.group.data.train) != c.train || int64(cell.group.data.test) != c.test || cell.Settings.Split != c.split {
				t.Errorf("%s: %d features, %d and %d rows, split %+v", c.keys, cell.group.data.D, cell.group.data.train, cell.group.data.test, cell.Settings.Split)
			}
			decoded, err := DecodeCell(cell.Canonical())
			if err != nil || decoded.Settings.Clean != cell.Settings.Clean || decoded.Settings.Split != c.split {
				t.Errorf("decoded %+v, error %v", decoded, err)
			}
			task := experiment.Task{Spec: cell.Canonical()}
			if cell.Require(&task); slices.Contains(task.Needs, usesNeed) != c.need {
				t.Errorf("%s: needs %v", c.keys, task.Needs)
			}
			if ids[cell.ID()] {
				t.Errorf("%s: a cell has the identity of another", c.keys)
			}
			ids[cell.ID()] = true
			if _, _, err := (Kind{}).Compute(t.Context(), &task, plan); err != nil {
				t.Error(err)
			}
		}
	}
	if !slices.Contains((Kind{}).Abilities(), usesNeed) {
		t.Error("workers do not announce that they know uses of rows")
	}
}

func TestFixedSplitsRefuseRepeats(t *testing.T) {
	t.Parallel()
	const keys = "data: [{path: own.csv, target: y, drop: ok}]\nrepeats: 5\nsplit: {column: part"
	const same = "repeats: 5 of the data set own differ in nothing but the seeds of methods, since its split is its own and level 0 adds no noise; give repeats: 1, or noise above level 0 alone"
	for more, want := range map[string]string{
		"}": same,
		"}\nnoise: [{kind: gaussian, levels: [0, 0.3]}]": same,
		"}\nnoise: [{kind: gaussian, levels: [0.3]}]":    "",
		"}\nrows: 40":                                                        "",
		", validation: 0}\nchoose: {folds: 5}":                               "split: validation is 0, and 15 rows are for validation; leave the key out",
		", values: {train: [train, validation], test: test}}":                "",
		", values: {train: [train, validation], test: test}, validation: 0}": same,
	} {
		_, err := usesGrid(t, keys+more+"\n").Plan(t.Context(), &dataset.Library{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", more, err, want)
		}
	}
}
