package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

// allPenalties is a grid of 72 cells of the kind embedding, which keeps all tables; one in
// six chooses its weight by cross-validation.
const allPenalties = `name: all-penalties
experiment: embedding
seed: 7
repeats: 2
data: [sim1: {texts: 60}, sim3: {texts: 50}]
models: [logistic, cnn, gru]
penalties: [none, l1: {weight: [0.1, 1]}, dropout, wmmd, biwmmd, fine-tuned]
training: {epochs: 10, batch: 16}
keep: {words: true}
`

// fewPenalties is a grid of 8 cells of a moment.
const fewPenalties = `name: few-penalties
experiment: embedding
repeats: 2
data: [sim1: {texts: 20}]
models: [logistic, mlp]
penalties: [none, swmmd: {weight: [1, 10], without: [0, 1]}]
training: {epochs: 2, precision: 64}
`

// allTasks is a grid of the kind solver-benchmark with all tasks.
const allTasks = `experiment: solver-benchmark
repeats: 2
data: [generated: {rows: 2000, features: [20, 40]}]
tasks: [svm, smoothed-svm, squared-svm, fair-svm, quantile, elastic-net-quantile, huber, epsilon-insensitive]
c: [1/n, 1]
solvers: [rehline, lbfgs]
`

// fewTasks is a grid of 6 cells of a moment.
const fewTasks = `name: few-tasks
experiment: solver-benchmark
data: [generated: {rows: 50, features: 3}]
tasks: [svm, huber]
c: 1/n
solvers: [rehline, rehline-coordinate-descent, lbfgs]
`

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
	"embedding": {
		long: []string{allPenalties, "--set", "repeats=4", "--set", "training.epochs=15"}, cells: "144", small: fewPenalties,
		shared: []string{fewPenalties, "--set", "repeats=10"}, sharedCells: "40",
		measure: "test_at_end", parts: []string{"train.csv", "test.csv", "epochs.arrow", "weights.arrow", "words.arrow"},
	},
	"solver-benchmark": {
		long: []string{allTasks, "--set", "repeats=6"}, cells: "384", small: fewTasks,
		shared: []string{fewTasks, "--set", "repeats=10", "--set", "tasks=[huber]"}, sharedCells: "30",
		measure: "final_gap", parts: []string{"problem.csv", "curve.arrow"},
	},
}

// eachKind runs a test over all kinds, or over the self-paced one alone.
func eachKind(t *testing.T, all bool, test func(t *testing.T, k *kindOfGrid)) {
	t.Helper()
	for name, k := range kindsOfGrids {
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

// TestEmbeddingReport wants the report of a run of the kind embedding to have its figures,
// and to say which are not there.
func TestEmbeddingReport(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	dir := t.TempDir()
	grid, out := write(t, dir, "grid.yaml", fewPenalties), filepath.Join(dir, "out")
	must(t, "run", grid, "--out", out)
	read := func() string {
		text, err := os.ReadFile(filepath.Join(out, "report", "report.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if text := read(); !strings.Contains(text, "figures/score-curve-sim1-mlp.png") || !strings.Contains(text, "there is no words.arrow") {
		t.Errorf("without words:\n%s", text)
	}
	must(t, "run", grid, "--out", out, "--set", "keep.words=true")
	for _, want := range []string{"frequencies-sim1", "embedding-before-sim1", "embedding-none-sim1", "embedding-swmmd-sim1"} {
		if text := read(); !strings.Contains(text, "figures/"+want) {
			t.Errorf("the report has no figure %s:\n%s", want, text)
		}
	}
}
