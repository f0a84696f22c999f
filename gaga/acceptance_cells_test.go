package gaga_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// cell is one of the paths that the acceptance tests measure.
type cell struct {
	model, regularizer, data string
	noise                    float64
	stride                   int // every stride-th row of the data set
}

// String is the subtest's name, which -run selects by: model, regularizer, data
// set, percentage of noise.
func (c cell) String() string {
	return fmt.Sprintf("%s/%s/%s/%.0f", c.model, c.regularizer, c.data, 100*c.noise)
}

var acceptanceModels = []string{"svm", "rbf", "lasso", "logistic"}

// The regularizers by the name that subtests have.
var acceptanceRegularizers = []struct {
	name        string
	regularizer gaga.Regularizer
	extra       bool // on the embedded sets only
}{
	{"hard", gaga.Hard{}, false},
	{"linear", gaga.Linear{}, false},
	{"polynomial1.35", gaga.Polynomial{Order: 1.35}, false},
	{"mixture0.5", gaga.Mixture{Gamma: 0.5}, false},
	{"log1", gaga.LOG{A: 1}, false},
	{"polynomial1.8", gaga.Polynomial{Order: 1.8}, true},
	{"polynomial3", gaga.Polynomial{Order: 3}, true},
	{"mixture2", gaga.Mixture{Gamma: 2}, true},
	{"log0.2", gaga.LOG{A: 0.2}, true},
}

// The data sets of the issue, small ones first, with the models that they are
// for. Every model takes the embedded ones: the Lasso takes labels for targets,
// the classifiers take targets above their median for one class.
var acceptanceSets = []struct {
	name     string
	embedded bool
	models   []string
}{
	{"diabetes", true, acceptanceModels},
	{"breast_cancer", true, acceptanceModels},
	{"digits", true, acceptanceModels},
	{"music", false, []string{"lasso"}},
	{"delta_elevators", false, []string{"lasso"}},
	{"mfeat-pixel", false, []string{"svm", "rbf", "logistic"}},
	{"pendigits", false, []string{"svm", "rbf", "logistic"}},
	{"cadata", false, []string{"lasso"}},
	{"house_8L", false, []string{"lasso"}},
	{"elevators", false, []string{"lasso"}},
	{"ailerons", false, []string{"lasso"}},
	{"MagicTelescope", false, []string{"svm", "logistic"}},
	{"nomao", false, []string{"svm", "logistic"}},
}

// acceptanceCells lists the cells, the order of sets outermost, with at full
// size the regularizers' other parameters on the embedded sets at the end of
// each.
func acceptanceCells(sets ...string) []cell {
	var cells []cell
	for _, set := range acceptanceSets {
		if len(sets) > 0 && !slices.Contains(sets, set.name) {
			continue
		}
		for _, extra := range []bool{false, true} {
			for _, noise := range []float64{0, 0.3} {
				for _, model := range set.models {
					for _, r := range acceptanceRegularizers {
						if r.extra == extra && (!extra || set.embedded) {
							cells = append(cells, cell{model, r.name, set.name, noise, 1})
						}
					}
				}
			}
		}
	}
	return cells
}

// comparedCells are sets of docs/performance.md's tables, the larger ones thinned out.
func comparedCells() []cell {
	var cells []cell
	for _, set := range []struct {
		model, data string
		stride      int
	}{
		{"lasso", "diabetes", 1}, {"lasso", "music", 2}, {"lasso", "cadata", 3}, {"lasso", "house_8L", 4},
		{"lasso", "elevators", 4}, {"lasso", "ailerons", 8}, {"lasso", "delta_elevators", 3},
		{"svm", "breast_cancer", 1}, {"svm", "digits", 2}, {"svm", "mfeat-pixel", 3},
		{"rbf", "breast_cancer", 1}, {"rbf", "digits", 3}, {"rbf", "pendigits", 4},
		{"logistic", "breast_cancer", 1}, {"logistic", "diabetes", 1},
		{"logistic", "MagicTelescope", 20},
	} {
		for _, noise := range []float64{0, 0.3} {
			for _, r := range acceptanceRegularizers {
				if !r.extra {
					cells = append(cells, cell{set.model, r.name, set.data, noise, set.stride})
				}
			}
		}
	}
	return cells
}

// ratioCells are the rows of a model in docs/performance.md that set a path beside search.
func ratioCells(model string) []cell {
	var cells []cell
	add := func(data, regularizers string, levels ...float64) {
		for _, noise := range levels {
			for _, r := range acceptanceRegularizers {
				if !r.extra && slices.ContainsFunc(strings.Fields(regularizers), func(name string) bool { return strings.HasPrefix(r.name, name) }) {
					cells = append(cells, cell{model, r.name, data, noise, 1})
				}
			}
		}
	}
	switch model {
	case "lasso":
		add("diabetes", "linear mixture polynomial log", 0, 0.3)
		add("cadata", "linear mixture polynomial log", 0, 0.3)
		add("house_8L", "linear mixture", 0, 0.3)
		add("elevators", "linear", 0, 0.3)
		add("ailerons", "linear", 0, 0.3)
	case "svm":
		add("breast_cancer", "linear mixture", 0, 0.3)
		add("digits", "linear mixture", 0, 0.3)
		add("mfeat-pixel", "linear mixture", 0)
	case "rbf":
		add("breast_cancer", "linear mixture log", 0, 0.3)
		add("digits", "linear mixture log", 0, 0.3)
		add("mfeat-pixel", "linear", 0, 0.3)
		add("pendigits", "linear", 0)
	case "logistic":
		add("breast_cancer", "linear mixture log", 0, 0.3)
		add("diabetes", "linear mixture", 0, 0.3)
		add("digits", "linear", 0, 0.3)
	}
	return cells
}

// smallCells are those of the normal test: all pairs with 30 % noise.
func smallCells() []cell {
	var cells []cell
	for _, model := range acceptanceModels {
		for _, r := range acceptanceRegularizers[:5] {
			if model == "svm" && r.name == "log1" {
				continue // alternation takes 18 s
			}
			c := cell{model, r.name, "breast_cancer", 0.3, 6}
			if model == "lasso" {
				c.data, c.stride = "diabetes", 2
			}
			cells = append(cells, c)
		}
	}
	return cells
}

// cellLimit returns the time that a cell may take at full size: five minutes,
// or AGEPATH_CELL_LIMIT.
func cellLimit(t *testing.T) time.Duration {
	t.Helper()
	set := os.Getenv("AGEPATH_CELL_LIMIT")
	if set == "" {
		return 5 * time.Minute
	}
	limit, err := time.ParseDuration(set)
	if err != nil {
		t.Fatalf("AGEPATH_CELL_LIMIT: %v", err)
	}
	return limit
}

// runCells runs the cells that the normal or the long test has. An interrupt
// ends the cell that runs, with its row, and those that follow.
func runCells(t *testing.T, cells []cell, run func(t *testing.T, ctx context.Context, c cell)) {
	if !needs.Long() {
		cells = smallCells()
	}
	limit := cellLimit(t)
	running := context.Background()
	if needs.Long() {
		var release context.CancelFunc
		running, release = signal.NotifyContext(running, os.Interrupt)
		defer release()
	}
	for _, c := range cells {
		t.Run(c.String(), func(t *testing.T) {
			if !needs.Long() {
				t.Parallel()
			}
			if running.Err() != nil {
				t.Skip("interrupted")
			}
			ctx, cancel := context.WithTimeout(running, limit)
			defer cancel()
			run(t, ctx, c)
		})
	}
}

// problem returns the cell's problem: C = 1, the Lasso's α = 0.006, the RBF
// kernel's γ = 1/(d var).
func (c cell) problem(t testing.TB) *gaga.Problem {
	t.Helper()
	part := c.part(t)
	x := matrix(part)
	var p *gaga.Problem
	switch c.model {
	case "svm":
		p = gaga.SVM(x, part.Y, part.Multiplicity, 1, nil)
	case "rbf":
		if part.N > 2700 {
			t.Skipf("%d rows, the RBF kernel is for up to 2700", part.N)
		}
		p = gaga.SVM(x, part.Y, part.Multiplicity, 1, gaga.RBF{Gamma: 1 / (float64(part.D) * variance(part.X))})
	case "lasso":
		p = gaga.Lasso(x, part.Y, part.Multiplicity, 0.006)
	default:
		p = gaga.LogisticRegression(x, part.Y, part.Multiplicity, 1)
	}
	for _, r := range acceptanceRegularizers {
		if r.name == c.regularizer {
			p.Regularizer = r.regularizer
		}
	}
	return p
}

// part returns the cell's training part.
func (c cell) part(t testing.TB) *dataset.Part {
	t.Helper()
	switch {
	case c.model == "lasso":
		return training(t, c.data, dataset.Regression, c.noise, c.stride)
	case c.data != "diabetes":
		return training(t, c.data, dataset.Classification, c.noise, c.stride)
	}
	part := training(t, c.data, dataset.Regression, 0, c.stride)
	sorted := slices.Sorted(slices.Values(part.Y))
	random := rand.New(rand.NewPCG(3, 11))
	for i, y := range part.Y {
		part.Y[i] = -1
		if (y > sorted[len(sorted)/2]) != (random.Float64() < c.noise) {
			part.Y[i] = 1
		}
	}
	return part
}

// options are those of the cell's path.
func (c cell) options() gaga.Options {
	return gaga.Options{Age: gaga.Range{Min: 0.1, Max: 20}}
}

// variance of all values.
func variance(x []float64) float64 {
	var mean, square float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		square += (v - mean) * (v - mean) / float64(len(x))
	}
	return square
}
