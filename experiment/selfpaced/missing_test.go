package selfpaced

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// gappedGrid is a grid of one file with text and missing values.
const gappedGrid = `
seed: 2
data: [{path: DATA, target: y, task: regression}]
missing: median
encode: onehot
models: [{lasso: {alpha: 0.01}}]
methods: [original]
`

func planFile(t *testing.T, rows string, set ...string) *experiment.Plan {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("a,kind,y\n"+rows), 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := mustParse(t, strings.Replace(gappedGrid, "DATA", path, 1), set...).Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestMedianCells computes a cell of a data set with missing values from its task
// alone, and wants other versions not to try.
func TestMedianCells(t *testing.T) {
	t.Parallel()
	rows := strings.Repeat("1,u,2\n?,v,3\n4,u,5\n7,w,6\n", 5)
	plan := planFile(t, rows)
	if plan.Data[0].D != 4 || plan.Count() != 2 {
		t.Fatalf("%d features, %d cells", plan.Data[0].D, plan.Count())
	}
	if want := []experiment.Need{originalMethod.need(), choiceNeed, medianNeed, constantMethod.need()}; !slices.Equal(plan.Needs(), want) {
		t.Errorf("the plan needs %v, want %v", plan.Needs(), want)
	}
	for task, err := range plan.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		if need := task.Needs[0]; len(task.Needs) != 3 || need != originalMethod.need() && need != constantMethod.need() || task.Needs[1] != choiceNeed || task.Needs[2] != medianNeed {
			t.Errorf("the task needs %v", task.Needs)
		}
		if !slices.Contains(Kind{}.Abilities(), medianNeed) {
			t.Error("nobody computes it")
		}
		if err := (Kind{}).Check(&task); err != nil {
			t.Error(err)
		}
		cell, err := DecodeCell(task.Spec)
		if err != nil || cell.Settings.Missing != dataset.Median || cell.ID() != task.Cell {
			t.Errorf("the cell's missing values: %q, %v", cell.Settings.Missing, err)
		}
		measures, _, err := Kind{}.Compute(t.Context(), &task, plan)
		if err != nil || measures.Rows != 1 {
			t.Errorf("%d rows of measures, %v", measures.Rows, err)
		}
		task.Needs = task.Needs[:1]
		if err := (Kind{}).Check(&task); err == nil {
			t.Error("a task that does not say what it needs is accepted")
		}
	}
}

// What does not change a cell's answer is no part of its identity.
func TestMedianOfWholeData(t *testing.T) {
	t.Parallel()
	rows := strings.Repeat("1,u,2\n3,v,3\n4,u,5\n7,w,6\n", 5)
	plan, other := planFile(t, rows), planFile(t, rows, "missing=refuse", "data.0.encode={onehot: kind}")
	if got, want := slices.Collect(plan.IDs()), slices.Collect(other.IDs()); !slices.Equal(got, want) {
		t.Errorf("cells %v, without missing: median %v", got, want)
	}
	if slices.Contains(plan.Needs(), medianNeed) {
		t.Errorf("the plan needs %v", plan.Needs())
	}
}
