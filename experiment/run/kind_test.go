package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/report"
)

// walkKind is a kind of experiment that is all there is of it: random walks of so many
// steps, by a method that always steps and by one that rests now and then, scored by the
// distance from the origin. Its data is a file with the length of a step.
type walkKind struct{}

// walk is a cell of the kind.
type walk struct {
	Kind   string `json:"kind"`
	Method string `json:"method"`
	Steps  int    `json:"steps"`
	Length string `json:"length"` // digest of the file
	Seed   int64  `json:"seed"`
	repeat int
}

// walkSection is the kind's section of a grid: all combinations.
type walkSection struct {
	methods []string
	steps   []float64
	length  string // digest of the file
}

// walkGroup is the walks of one method.
type walkGroup struct {
	method  string
	section *walkSection
}

var walkPath = experiment.Table{Name: "path", Kept: true, Number: "step", Columns: []experiment.Column{
	{Name: "cell", Type: experiment.Text}, {Name: "step", Type: experiment.Int}, {Name: "at", Type: experiment.Int},
}}

func init() { //nolint:gochecknoinits // as kinds do
	experiment.Register(experiment.Registration{
		Kind: walkKind{}, Keys: []string{"walks", "steps", "keep"}, Read: readWalks,
		Dimensions: []experiment.DimensionName{{Name: "method"}, {Name: "steps"}},
		Layout: &layout.Layout{
			Dimensions: []layout.DimensionInfo{{Column: "dataset"}, {Column: "model"}, {Column: "steps", Named: true}},
			Aspects: []layout.Aspect{
				layout.Plain("data set", layout.Dataset, false, nil), layout.Plain("model", layout.Model, false, nil),
				layout.Plain("steps", 2, true, layout.Around("", " steps")),
			},
			Methods:     []layout.Method{{Name: "restless", Label: "Restless", Style: 1}, {Name: "lazy", Label: "Lazy", Style: 2}},
			Step:        layout.Step{Word: "step"},
			Sensitivity: []layout.Axis{{Dimension: 2, Word: "steps", Label: "steps"}},
		},
		Material: func(_ context.Context, _ *experiment.Task, _ experiment.Data, o *experiment.Outcome) (*experiment.Material, error) {
			return &experiment.Material{Tables: []experiment.MaterialTable{{
				Table: experiment.Table{Name: "walk", Columns: walkPath.Columns[1:]}, Rows: o.Further["path"],
			}}}, nil
		},
	})
}

func readWalks(r *gridfile.Reader, root gridfile.Item, fields map[string]gridfile.Item) experiment.Section {
	s := &walkSection{steps: []float64{10}}
	r.Demand(root, fields, "walks", "a list of restless, lazy")
	gridfile.Read(fields,
		gridfile.On("walks", gridfile.Into(&s.methods, gridfile.Words(r, "restless", "lazy"))),
		gridfile.On("steps", func(n gridfile.Item) { s.steps = r.Numbers(n, gridfile.Whole(1, 1000)) }))
	return s
}

func (s *walkSection) Selection() experiment.Select { return experiment.SelectAll }

func (s *walkSection) Plan(ctx context.Context, p *experiment.Planner) (groups []experiment.Group, err error) {
	s.length, err = p.File(ctx, "length", func(context.Context) ([]byte, error) { return []byte("2"), nil })
	if err != nil {
		return nil, err
	}
	p.Data(gridfile.Place{}, &experiment.PlannedData{Name: "origin", Digest: s.length, Task: dataset.Regression, N: 1, D: 1}, nil)
	for _, method := range s.methods {
		groups = append(groups, &walkGroup{method, s})
	}
	return groups, nil
}

func (g *walkGroup) Part() (data, method string) { return "origin", g.method }
func (g *walkGroup) Digest() string {
	return fmt.Sprint(g.method, g.section.length, slices.Sorted(slices.Values(g.section.steps)))
}
func (g *walkGroup) Needs() []experiment.Need { return nil }
func (g *walkGroup) Seconds() float64         { return 1e-6 }
func (g *walkGroup) Most() float64            { return float64(len(g.section.steps)) }

func (g *walkGroup) Slices() (list []experiment.Slice) {
	for _, steps := range g.section.steps {
		list = append(list, experiment.Slice{Values: []string{g.method, fmt.Sprint(steps)}, Cells: 1})
	}
	return list
}

func (g *walkGroup) Cells(repeats []experiment.Repeat) iter.Seq[experiment.Cell] {
	return func(yield func(experiment.Cell) bool) {
		for _, steps := range g.section.steps {
			for _, r := range repeats {
				if !yield(&walk{"walk", g.method, int(steps), g.section.length, r.Seed, r.Number}) {
					return
				}
			}
		}
	}
}

func (w *walk) Canonical() []byte { return gridfile.JSON(w) }

func (w *walk) Require(task *experiment.Task)        { task.Files = []string{w.Length} }
func (w *walk) Label(labels *experiment.Batch) error { return walkLabels.Append(labels, w) }

var walkLabels = experiment.Fields[*walk]{
	{Name: "dataset", Type: experiment.Text, Value: func(*walk) any { return "origin" }},
	{Name: "model", Type: experiment.Text, Value: func(*walk) any { return "walk" }},
	{Name: "method", Type: experiment.Text, Value: func(w *walk) any { return w.Method }},
	{Name: "steps", Type: experiment.Int, Value: func(w *walk) any { return w.Steps }},
	{Name: "repeat", Type: experiment.Int, Value: func(w *walk) any { return w.repeat }},
	{Name: "seed", Type: experiment.Int, Value: func(w *walk) any { return w.Seed }},
}

func (walkKind) Name() string                 { return "walk" }
func (walkKind) Abilities() []experiment.Need { return nil }
func (walkKind) Tables() experiment.Tables {
	return experiment.Tables{
		Labels:   walkLabels.Columns(),
		Measures: []experiment.Column{{Name: "metric", Type: experiment.Text}, {Name: "test_at_end", Type: experiment.Float}},
		Further:  []experiment.Table{walkPath},
	}
}

func (walkKind) Check(task *experiment.Task) error {
	if experiment.Identity(task.Spec) != task.Cell {
		return errors.New("its spec is that of another cell")
	}
	return nil
}

func (k walkKind) Compute(ctx context.Context, task *experiment.Task, data experiment.Data) (measures experiment.Batch, further map[string]experiment.Batch, err error) {
	var w walk
	if err := experiment.DecodeStrictly(task.Spec, &w); err != nil {
		return measures, nil, err
	}
	file, err := data.File(ctx, w.Length)
	if err != nil {
		return measures, nil, err
	}
	length, err := strconv.Atoi(string(file))
	if err != nil {
		return measures, nil, &experiment.DataError{Err: err}
	}
	random, at := experiment.Stream(w.Seed, "walk"), 0
	var path experiment.Batch
	for step := range w.Steps {
		if w.Method == "restless" || random.IntN(2) == 0 {
			at += length * (2*random.IntN(2) - 1)
		}
		if err := path.Append(walkPath.Columns[1:], step, at); err != nil {
			return measures, nil, err
		}
	}
	err = measures.Append(k.Tables().Measures, "rmse", max(float64(at), -float64(at)))
	return measures, map[string]experiment.Batch{"path": path}, err
}

// TestAnotherKind takes a kind that nothing but this file knows the whole way: a grid
// with a mistake, a run that is interrupted and resumed, processes of slots, a worker
// over a server, replay, verification, report.
func TestAnotherKind(t *testing.T) {
	t.Parallel()
	const text = "experiment: walk\nname: walks\nseed: 7\nrepeats: 6\nwalks: [restless, lazy]\nsteps: [10, 20, 50]\n"
	if _, err := experiment.Parse([]byte("experiment: walk\nwalks: [restles]\n"), "walks.yaml", nil); err == nil || !strings.Contains(err.Error(), "walks.yaml:2: walks") || !strings.Contains(err.Error(), "did you mean restless?") {
		t.Errorf("a mistake: %v", err)
	}
	grid, err := experiment.Parse([]byte(text), "walks.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	library := &dataset.Library{}
	plan, err := grid.Plan(t.Context(), library)
	if err != nil || plan.Count() != 36 || len(plan.Dimensions()) != 2 || len(plan.Parts()) != 2 {
		t.Fatalf("%d cells, dimensions %v, parts %v, %v", plan.Count(), plan.Dimensions(), plan.Parts(), err)
	}

	// A run that ends after some cells, then again: only the others are computed.
	out := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	c := &Coordinator{Grid: grid, Plan: plan, Out: out, Workers: 2, Version: "v", Process: slotOf("walk"), Progress: func(p Progress) {
		if p.Done > 0 {
			stop()
		}
	}}
	_, interrupted := c.Run(ctx)
	c.Progress = nil
	summary, err := c.Run(t.Context())
	if err != nil || summary.Counts[experiment.OK] != 36 || interrupted != nil && summary.Computed == 36 {
		t.Fatalf("%+v, %v", summary, err)
	}
	var steps []string
	c.Step = func(what string) { steps = append(steps, what) }
	if _, err := c.Run(t.Context()); err != nil || strings.Join(steps, ", ") != "reading the folder, sorting the files" {
		t.Errorf("a run that is complete has the steps %q, %v", steps, err)
	}
	if v, err := Verify(t.Context(), out, library, ""); err != nil || len(v.Problems) > 0 {
		t.Errorf("verification: %+v, %v", v, err)
	}
	first := slices.Collect(plan.IDs())[0]
	data := filepath.Join(t.TempDir(), "data")
	if r, err := Replay(t.Context(), out, first, data, results.ZSTD, library, false); err != nil || !r.Same || len(r.Rows) != 1 || r.Rows[0] != (ReplayedRows{"path", 10}) {
		t.Errorf("replayed %+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(data, "walk.arrow")); err != nil {
		t.Error(err)
	}
	r, err := report.Write(t.Context(), out, report.Options{Formats: report.Formats})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Tables) != 1 || len(r.Tables[0].Rows) != 3 || len(r.Missing) > 0 {
		t.Errorf("%d tables, missing %q", len(r.Tables), r.Missing)
	}
	var shown strings.Builder
	if err := (report.Text{}).Write(&shown, r); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(out, "report", "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Restless", "Lazy", "steps", "At the end of the path"} {
		if !strings.Contains(shown.String(), want) || !strings.Contains(string(written), want) {
			t.Errorf("the report does not say %q:\n%s\n%s", want, shown.String(), written)
		}
	}
	if !strings.Contains(string(written), "## Pairwise tests") || !strings.Contains(string(written), "figures/sensitivity-steps") {
		t.Errorf("the report has no comparisons or no figure:\n%s", written)
	}
	for _, not := range []string{"regularizer", "noise", "the age", "validation"} {
		if strings.Contains(string(written), not) {
			t.Errorf("the report says %q, which the kind does not have:\n%s", not, written)
		}
	}

	// Over a server, computed by a worker that knows both kinds, and the same numbers.
	q := startQueue(t)
	if s, err := Submit(t.Context(), q, grid, plan, Reuse{}); err != nil || s.Published != 36 {
		t.Fatalf("%+v, %v", s, err)
	}
	w := &Worker{Queue: q, Kinds: experiment.Kinds(), Slots: 2, Drain: true, Idle: 10 * time.Millisecond}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if collected, err := Collect(t.Context(), q, plan.Run, other, "v", results.ZSTD); err != nil || collected.Counts[experiment.OK] != 36 {
		t.Fatalf("%+v, %v", collected, err)
	}
	compared, err := analysis.CompareRuns(t.Context(), []string{out, other}, analysis.CompareOptions{Rounding: analysis.Rounding})
	if err != nil || compared.Pairs[0].Numbers.Same != 36 {
		t.Errorf("%+v, %v", compared, err)
	}
}
