package methods

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
)

func TestMain(m *testing.M) {
	command.ServeSlot(experiment.Kinds())
	os.Exit(m.Run())
}

// TestExamples computes grid.yaml with two workers over a server, and wants the scores
// of each example to be those of the same model's plain fit.
func TestExamples(t *testing.T) {
	needs.Patience(t, "7 s")
	python := needs.Program(t, "the examples in Python", "/usr/bin/python3")
	if out, err := exec.Command(python, "-c", "import sklearn").CombinedOutput(); err != nil {
		needs.Lacking(t, "the example in Python: Debian's python3-sklearn: %v\n%s", err, out)
	}
	needs.Program(t, "the example of LIBLINEAR, Debian's liblinear-tools", "liblinear-train")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "agepath.py"), []byte(outside.Python), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "ridge", "ridge"), "./ridge")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	grid, err := experiment.ParseFile(filepath.Join(dir, "grid.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	for key, scores := range compute(t, grid, plan) {
		if len(scores) != 4 {
			t.Errorf("%s: %d methods, want 4: %v", key, len(scores), scores)
		}
		for method, score := range scores {
			if method != selfpaced.ACS && method != selfpaced.GAGA && !(math.Abs(score-scores[selfpaced.Original]) < 1e-6) {
				t.Errorf("%s: %s has the score %v, the plain fit %v", key, method, score, scores[selfpaced.Original])
			}
		}
	}
}

// compute has a plan computed by two workers and returns the score of each method by
// data set, model, parameters and repeat.
func compute(t *testing.T, grid *experiment.Grid, plan *experiment.Plan) map[string]map[string]float64 {
	t.Helper()
	server := testqueue.Server(t, "127.0.0.1:0")
	q := testqueue.Connect(t, queue.Config{Server: server})
	if _, err := run.Submit(t.Context(), q, grid, plan, run.Reuse{}); err != nil {
		t.Fatal(err)
	}
	process, err := command.SlotProcess(1)
	if err != nil {
		t.Fatal(err)
	}
	var workers errgroup.Group
	for range 2 {
		worker := &run.Worker{
			Queue: q, Kinds: experiment.Kinds(), Slots: 1, Drain: true, Idle: 10 * time.Millisecond,
			Process: process, Cache: t.TempDir(), AllowCommands: true,
		}
		workers.Go(func() error { return worker.Run(t.Context()) })
	}
	if err := workers.Wait(); err != nil {
		t.Fatal(err)
	}
	tables := selfpaced.Tables()
	scores := map[string]map[string]float64{}
	for o, err := range q.Sift(t.Context(), plan.Run, false, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if o.Status != experiment.OK {
			t.Errorf("%s: %s", o.Status, o.Error)
			continue
		}
		var key []string
		method := ""
		for j, column := range tables.Labels {
			switch value := o.Labels.At(column, j, 0).(type) {
			case string:
				if column.Name == "method" {
					method = value
				} else if column.Name == "dataset" || column.Name == "model" {
					key = append(key, value)
				}
			case float64:
				if column.Name == "alpha" || column.Name == "c" {
					key = append(key, fmt.Sprint(column.Name, "=", value))
				}
			case int64:
				if column.Name == "repeat" {
					key = append(key, fmt.Sprint("repeat ", value))
				}
			}
		}
		if method == selfpaced.Constant {
			continue
		}
		for j, column := range tables.Measures {
			if column.Name == "test_at_end" {
				cell := strings.Join(key, ", ")
				if scores[cell] == nil {
					scores[cell] = map[string]float64{}
				}
				scores[cell][method] = o.Measures.At(column, j, 0).(float64)
			}
		}
	}
	if len(scores) != 8 {
		t.Errorf("%d settings, want 8", len(scores))
	}
	return scores
}
