package run

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
)

// TestGate wants the gate to take the outcome of a cell as its worker made it, and
// to say of each changed one what is wrong.
func TestGate(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	g, err := newGate(t.Context(), w.plan)
	if err != nil {
		t.Fatal(err)
	}
	negative, tiny := -1.0, int64(-1)
	other := w.good[w.ids[1]]
	for want, change := range map[string]func(o *experiment.Outcome){
		"":                                      func(*experiment.Outcome) {},
		"it is of run \"other\"":                func(o *experiment.Outcome) { o.Run = "other" },
		"has no cell \"00":                      func(o *experiment.Outcome) { o.Cell = strings.Repeat("0", 32) },
		"has no cell \"x":                       func(o *experiment.Outcome) { o.Cell = "x" },
		"attempts: -1; allowed":                 func(o *experiment.Outcome) { o.Attempts = -1 },
		"attempts: 1048577; allowed":            func(o *experiment.Outcome) { o.Attempts = mostAttempts + 1 },
		"wall time, processor":                  func(o *experiment.Outcome) { o.Wall = -1 },
		"peak memory is not":                    func(o *experiment.Outcome) { o.Wall = math.NaN() },
		"it finished at":                        func(o *experiment.Outcome) { o.Finished = o.Started.Add(-25 * time.Hour) },
		"or peak memory is not":                 func(o *experiment.Outcome) { o.CPU = &negative },
		"not a finite number":                   func(o *experiment.Outcome) { o.Peak = &tiny },
		"measures: none":                        func(o *experiment.Outcome) { o.Measures = experiment.Batch{} },
		"measures: has":                         func(o *experiment.Outcome) { o.Measures.Columns = o.Measures.Columns[1:] },
		"does not declare":                      func(o *experiment.Outcome) { o.Further["more"] = experiment.Batch{} },
		"there is no status \"fine\"":           func(o *experiment.Outcome) { o.Status = "fine" },
		"it is of the kind \"other\"":           func(o *experiment.Outcome) { o.Kind = "other" },
		"labels: has":                           func(o *experiment.Outcome) { o.Labels.Columns = o.Labels.Columns[1:] },
		"labels: 0 rows":                        func(o *experiment.Outcome) { o.Labels = none(o.Labels) },
		"its labels are not those":              func(o *experiment.Outcome) { o.Labels = other.Labels },
		"are not those of the cell":             func(o *experiment.Outcome) { o.Labels.Columns[0].Texts[0] = "<script>" },
		"best_validation is -1; by its knots":   func(o *experiment.Outcome) { set(o, "best_validation", -1) },
		"age_of_best_test is 2.5; by its knots": func(o *experiment.Outcome) { set(o, "age_of_best_test", 2.5) },
		"test_at_best_test is 0.01; by its knots": func(o *experiment.Outcome) {
			set(o, "test_at_best_test", 0.01)
			set(o, "test_mae_at_best_test", 0.005)
		},
		"best_validation is 1; by its knots": func(o *experiment.Outcome) { set(o, "best_validation", 1) },
		"max_kkt is 7; by its knots":         func(o *experiment.Outcome) { set(o, "max_kkt", 7) },
		"knots is 7, and there are":          func(o *experiment.Outcome) { set(o, "knots", 7) },
		"it has no table knots":              func(o *experiment.Outcome) { delete(o.Further, "knots") },
		"is NaN":                             func(o *experiment.Outcome) { spoilMeasure(o, math.NaN()) },
		"is -Inf":                            func(o *experiment.Outcome) { spoilMeasure(o, math.Inf(-1)) },
		"table knots: age is +Inf": func(o *experiment.Outcome) {
			v := &o.Further["knots"].Columns[1]
			v.Floats[0], v.Null = math.Inf(1), nil
		},
		"the worker could not decode the": func(o *experiment.Outcome) {
			*o = experiment.Outcome{Run: o.Run, Cell: o.Cell, Status: experiment.Failed, Error: "it has no end"}
		},
	} {
		err := g.check(changed(t, w.good[w.ids[0]], change))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for name, change := range longTexts(selfpaced.Tables()) {
		if err := g.check(changed(t, w.good[w.ids[0]], change)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a long text in the column %s: %v", name, err)
		}
	}
	unread := &experiment.Outcome{Run: w.plan.Run, Cell: w.ids[0], Status: experiment.Failed}
	for range mostAgain {
		if err := g.check(unread); err == nil {
			t.Error("an outcome without labels passes before its cell was queued again so often")
		}
		g.noteAgain(w.ids[0])
	}
	if err := g.check(unread); err != nil {
		t.Errorf("the last outcome of a cell that no worker can read: %v", err)
	}
}

// longTexts has what puts a long text into each text column of the runner's own and of measures and
// knots. A column that no change can set is not of the worker.
func longTexts(tables experiment.Tables) map[string]func(*experiment.Outcome) {
	list := map[string]func(*experiment.Outcome){}
	for _, column := range slices.Concat(experiment.CellsMiddle, experiment.CellsTail) {
		if column.Type == experiment.Text && column.Name != "status" && column.Name != "tables" {
			list[column.Name] = func(o *experiment.Outcome) { column.Set(o, strings.Repeat("e", experiment.MostText+1)) }
		}
	}
	long := func(columns []experiment.Column, of func(o *experiment.Outcome) *experiment.Batch) {
		for j, column := range columns {
			if column.Type == experiment.Text {
				list[column.Name] = func(o *experiment.Outcome) { of(o).Columns[j].Texts[0] = strings.Repeat("e", experiment.MostText+1) }
			}
		}
	}
	long(tables.Measures, func(o *experiment.Outcome) *experiment.Batch { return &o.Measures })
	long(tables.Further[0].Columns[1:], func(o *experiment.Outcome) *experiment.Batch {
		knots := o.Further["knots"]
		return &knots
	})
	return list
}

// none returns the batch without its row.
func none(b experiment.Batch) experiment.Batch {
	return experiment.Batch{Columns: make([]experiment.Vector, len(b.Columns))}
}

// set changes a measure of the self-paced kind.
func set(o *experiment.Outcome, name string, x float64) {
	for j, column := range selfpaced.Tables().Measures {
		if column.Name != name {
			continue
		}
		if v := &o.Measures.Columns[j]; column.Type == experiment.Int {
			v.Ints[0] = int64(x)
		} else {
			v.Floats[0], v.Null = x, nil
		}
	}
}

func spoilMeasure(o *experiment.Outcome, x float64) {
	for j := range o.Measures.Columns {
		if v := &o.Measures.Columns[j]; len(v.Floats) == 1 && !v.IsNull(0) {
			v.Floats[0] = x
			return
		}
	}
}

// TestReuseLabels wants an outcome of another run, whose labels are called otherwise or
// are those of a version before, to be taken with the labels of the plan.
func TestReuseLabels(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	g, err := newGate(t.Context(), w.plan)
	if err != nil {
		t.Fatal(err)
	}
	var taken []*experiment.Outcome
	of := &taker{
		gate: g, wants: g.plans, report: func(err error) { t.Error(err) },
		take: func(o *experiment.Outcome) error { taken = append(taken, o); return nil },
	}
	for i, change := range []func(*experiment.Outcome){
		func(o *experiment.Outcome) { o.Labels.Columns = o.Labels.Columns[7:] },
		func(o *experiment.Outcome) { o.Labels.Columns[0].Texts[0] = "other" },
	} {
		o := changed(t, w.good[w.ids[i]], change)
		o.Run = "other"
		if err := of.offer(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := of.takeWaiting(); err != nil || len(taken) != 2 {
		t.Fatalf("%d taken, %v", len(taken), err)
	}
	for _, o := range taken {
		if err := g.check(o); err != nil || o.Origin != "other" {
			t.Errorf("taken of %q: %v", o.Origin, err)
		}
	}
}

// TestClockGoesBack has a cell that ends an hour before it began by the wall clock alone.
func TestClockGoesBack(t *testing.T) {
	t.Parallel()
	began := time.Now()
	o := begin(&experiment.Task{}, began.Add(time.Hour))
	end(o, experiment.OK, "")
	if o.Wall != 0 || !duration(o.Wall) {
		t.Errorf("it took %v s", o.Wall)
	}
	o = begin(&experiment.Task{}, began)
	end(o, experiment.OK, "")
	if by := time.Since(began).Seconds(); !(o.Wall > 0 && o.Wall <= by) || o.Started != began.UTC() || o.Finished.Location() != time.UTC {
		t.Errorf("it took %v of %v s, from %v to %v", o.Wall, by, o.Started, o.Finished)
	}
}
