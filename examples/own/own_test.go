package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

func TestMain(m *testing.M) {
	register()
	selfpaced.RegisterRegularizer(selfpaced.OwnRegularizer{
		Name: "sharp", Parameter: "order",
		Make: func(order float64) gaga.Regularizer { return gaga.Polynomial{Order: 1 + order} },
	})
	os.Exit(m.Run())
}

// TestNeeds wants tasks to say what of this program a worker has to know, so that
// other programs leave them.
func TestNeeds(t *testing.T) {
	t.Parallel()
	grid, err := experiment.Parse([]byte(`
data: [diabetes]
sweeps:
  - models: [{ridge: {alpha: 1}}]
    methods: [trimmed, gaga]
    regularizers: [linear, {sharp: {order: 1}}]
  - models: [{erm: {loss: [huber, twice], c: 1}}]
    methods: [original]
`), "own.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	kind := selfpaced.Kind{}
	with := map[string]int{} // tasks that need it
	for task, err := range plan.Tasks() {
		if err == nil {
			err = kind.Check(&task)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, need := range task.Needs {
			with[need.Name]++
			if !slices.Contains(kind.Abilities(), need) || !slices.Contains(plan.Needs(), need) {
				t.Errorf("%v is none of the plan's needs or of the abilities", need)
			}
		}
	}
	for name, tasks := range map[string]int{"trimmed": 1, "regularizer sharp": 1, "loss twice": 1, "loss huber": 0, "regularizer linear": 0} {
		if with[name] != tasks {
			t.Errorf("%d tasks need %s, want %d", with[name], name, tasks)
		}
	}
}

// TestTaken wants names that are taken, and what lacks something, to panic.
func TestTaken(t *testing.T) {
	t.Parallel()
	for name, register := range map[string]func(){
		"a name of agepath": func() { selfpaced.RegisterMethod(selfpaced.OwnMethod{Name: "gaga", Version: 1, Fit: trimmed}) },
		"a name twice":      func() { selfpaced.RegisterMethod(selfpaced.OwnMethod{Name: "trimmed", Version: 1, Fit: trimmed}) },
		"no version":        func() { selfpaced.RegisterMethod(selfpaced.OwnMethod{Name: "new", Fit: trimmed}) },
		"no name":           func() { selfpaced.RegisterMethod(selfpaced.OwnMethod{Version: 1, Fit: trimmed}) },
		"no such model": func() {
			selfpaced.RegisterMethod(selfpaced.OwnMethod{Name: "new", Version: 1, Fit: trimmed, Models: []string{"tree"}})
		},
		"no regularizer": func() { selfpaced.RegisterRegularizer(selfpaced.OwnRegularizer{Name: "new"}) },
		"no loss":        func() { selfpaced.RegisterLoss(selfpaced.OwnLoss{Name: "new", Task: dataset.Regression}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			register()
		}()
	}
}

// TestOwn builds the example, computes its grid in processes of slots, and wants
// scores of the own method, and for the own loss those of the loss that it is.
func TestOwn(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "own")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	grid, err := filepath.Abs("grid.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, grid)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !regexp.MustCompile(`(?m)^ridge regression +\d+\.\d+ ± \S+ \d+\.\d+ +\d+\.\d+ ± `).Match(out) || !strings.Contains(string(out), "trimmed") {
		t.Errorf("no scores of the method trimmed:\n%s", out)
	}
	huber := regexp.MustCompile(`(?m) huber delta 0.2 +(.*)$`).FindSubmatch(out)
	twice := regexp.MustCompile(`(?m) twice delta 0.4 +(.*)$`).FindSubmatch(out)
	if huber == nil || twice == nil || string(huber[1]) != string(twice[1]) {
		t.Errorf("the losses huber and twice differ:\n%s", out)
	}
}
