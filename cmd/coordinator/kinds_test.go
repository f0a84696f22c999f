package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/kinds"
	"github.com/agepath/agepath/internal/testing/needs"
)

// kindOfGrid is a kind of experiment for the tests that every kind has to pass.
type kindOfGrid struct {
	long        []string // grid that takes some seconds, with overrides
	cells       string   // that it has
	shared      []string // grid that two workers share, which begins with its name, with overrides
	sharedCells string   // that it has
	small       string   // grid that takes a moment
	measure     string   // that replay prints
	parts       []string // files that replay writes
}

var kindsOfGrids = map[string]*kindOfGrid{
	"self-paced": {
		long: []string{allMethods, "--set", "repeats=2", "--set", "age.acs_step=0.3"}, cells: "64", small: smallGrid,
		shared: []string{allMethods}, sharedCells: "64",
		measure: "test_at_best_test", parts: []string{"train.csv", "validation.csv", "test.csv", "path.arrow"},
	},
}

// allKinds adds the kinds that have a file of their own.
func allKinds(t *testing.T) map[string]*kindOfGrid {
	t.Helper()
	all := maps.Clone(kindsOfGrids)
	for _, k := range kinds.All(t, "../..") {
		all[k.Name] = &kindOfGrid{
			long: overridden(&k.Long), cells: k.Long.Cells, small: k.Small, shared: overridden(&k.Shared), sharedCells: k.Shared.Cells,
			measure: k.Measure, parts: k.Parts,
		}
	}
	return all
}

// overridden is the text of a grid, with its overrides as arguments.
func overridden(g *kinds.Grid) []string {
	args := []string{g.Grid}
	for _, set := range g.Set {
		args = append(args, "--set", set)
	}
	return args
}

// eachKind runs a test over all kinds, or over the self-paced one alone.
func eachKind(t *testing.T, all bool, test func(t *testing.T, k *kindOfGrid)) {
	t.Helper()
	for name, k := range allKinds(t) {
		if !all && name != "self-paced" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, k)
		})
	}
}

// run are the arguments of a run that takes some seconds.
func (k *kindOfGrid) run(t *testing.T, dir, out string) []string {
	t.Helper()
	return append([]string{"run", write(t, dir, "grid.yaml", k.long[0]), "--out", out, "--figures", "1"}, k.long[1:]...)
}

// longGrid are the arguments of a run of the self-paced kind that takes some seconds.
func longGrid(t *testing.T, dir, out string) []string {
	t.Helper()
	return kindsOfGrids["self-paced"].run(t, dir, out)
}

// has counts the cells that a folder beside the grid holds.
func (k *kindOfGrid) has(t *testing.T, dir string) int {
	t.Helper()
	return plannedIn(t, append([]string{"plan", filepath.Join(filepath.Dir(dir), "grid.yaml"), "--out", dir}, k.long[1:]...)...)
}

// TestReportsOfKinds wants the report of a kind's run to have its figures, and to say which are not
// there.
func TestReportsOfKinds(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	for _, k := range kinds.All(t, "../..") {
		dir := t.TempDir()
		grid, out := write(t, dir, "grid.yaml", k.Small), filepath.Join(dir, "out")
		for _, r := range k.Reports {
			must(t, append([]string{"run", "--out", out}, overridden(&kinds.Grid{Grid: grid, Set: r.Set})...)...)
			text, err := os.ReadFile(filepath.Join(out, "report", "report.md"))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range r.Wants {
				if !strings.Contains(string(text), want) {
					t.Errorf("the report of %s %v does not have %s:\n%s", k.Name, r.Set, want, text)
				}
			}
		}
	}
}
