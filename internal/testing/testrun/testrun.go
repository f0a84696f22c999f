// Package testrun makes up runs, with cells, knots and coefficients, for tests of results.
package testrun

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results"
)

// Kind is the kind of experiment of the runs.
func Kind(t testing.TB) *experiment.Registration {
	t.Helper()
	kind, err := experiment.Named(selfpaced.Name)
	if err != nil {
		t.Fatal(err)
	}
	return kind
}

// Row has the values that differ from [Cell].
type Row map[string]any

// ordinary has the values of a cell that succeeded where they differ from other columns of the type.
var ordinary = Row{
	"run": "test", "status": "ok", "dataset": "diabetes", "task": "regression", "model": "lasso", "metric": "rmse",
	"n_train": 265, "n_test": 111, "n_features": 10, "repeat": 1, "attempts": 1,
	"split_train": 3.0, "split_test": 1.0, "alpha": 0.01, "target_scale": 1.0,
	"error": nil, "kernel": nil, "kernel_gamma": nil, "c": nil, "l1_ratio": nil, "loss": nil, "constraint": nil,
	"regularizer": nil, "regularizer_param": nil, "noise_kind": nil, "method_params": nil,
	"age_min": nil, "age_max": nil, "age_step": nil, "age_range": nil, "age_direction": nil, "choice": nil, "test_at_best_validation": nil,
}

// Cell returns a column's value of a cell that succeeded.
func Cell(column experiment.Column) any {
	if value, known := ordinary[column.Name]; known {
		return value
	}
	switch column.Type {
	case experiment.Text:
		return "x"
	case experiment.Int:
		return 0
	case experiment.Time:
		return time.UnixMicro(0)
	}
	return 0.0
}

// Frame makes a cells table of rows.
func Frame(t testing.TB, rows []Row) *results.Frame {
	t.Helper()
	table := selfpaced.Tables().Cells()
	f := &results.Frame{Columns: table.Columns, Batch: experiment.Batch{Columns: make([]experiment.Vector, len(table.Columns))}}
	values := make([]any, len(table.Columns))
	for i, row := range rows {
		for j, column := range table.Columns {
			value, ok := row[column.Name]
			switch {
			case ok:
			case column.Name == "cell":
				value = ID(i)
			default:
				value = Cell(column)
			}
			values[j] = value
		}
		for name := range row {
			if f.Index(name) < 0 {
				t.Fatalf("there is no column %s", name)
			}
		}
		if err := f.Batch.Append(table.Columns, values...); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// ID returns the identity of cell i.
func ID(i int) string { return fmt.Sprintf("%032x", i) }

// Tables are the rows of a run.
type Tables struct {
	Cells               []Row
	Knots, Coefficients experiment.Batch
}

// Write writes the tables of a run into a folder.
func Write(t testing.TB, run Tables) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "quick_start")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(table experiment.Table, batch experiment.Batch) {
		if err := results.WriteTable(filepath.Join(dir, table.Name+".arrow"), table, "test", &batch, results.ZSTD); err != nil {
			t.Fatal(err)
		}
	}
	tables := selfpaced.Tables()
	write(tables.Cells(), Frame(t, run.Cells).Batch)
	if run.Knots.Rows > 0 {
		write(tables.Further[0], run.Knots)
	}
	if run.Coefficients.Rows > 0 {
		write(tables.Further[1], run.Coefficients)
	}
	return dir
}

// Quickstart makes a run like grids/quickstart.yaml, with smooth made-up paths that jump.
func Quickstart(repeats int) Tables {
	var cells []Row
	var knots, coefficients experiment.Batch
	add := func(row Row) string {
		id := ID(len(cells))
		row["cell"] = id
		cells = append(cells, row)
		return id
	}
	noise := []Row{
		{"noise_kind": nil, "noise_level": 0.0},
		{"noise_kind": "gaussian", "noise_level": 0.3},
	}
	regularizers := []Row{
		{"regularizer": "linear", "regularizer_param": nil},
		{"regularizer": "mixture", "regularizer_param": 0.5},
	}
	for repeat := 1; repeat <= repeats; repeat++ {
		for _, n := range noise {
			for a, alpha := range []float64{0.001, 0.003, 0.01, 0.03} {
				level := n["noise_level"].(float64)
				base := 0.17 + 0.01*float64(a*a)/4 + 0.08*level
				wobble := 0.004 * math.Sin(float64(7*repeat+a)+10*level)
				score := func(shift float64) Row {
					shift *= 1 + 0.1*math.Sin(1e3*shift*float64(repeat)) // methods do not differ by the same in every repeat
					row := Row{"alpha": alpha, "repeat": repeat,
						"test_at_best_test":       base + wobble + shift,
						"test_at_best_validation": base + wobble + shift + 0.003 + 0.001*math.Cos(float64(3*repeat)),
						"test_at_end":             base + wobble + shift + 0.01}
					return Merge(row, n)
				}
				add(Merge(score(0.02), Row{"method": "original"}))
				for _, r := range regularizers {
					acs := add(Merge(score(0.008), r, Row{"method": "acs"}))
					appendSteps(&knots, &coefficients, acs, base+wobble)
					gaga := add(Merge(score(0.002), r, Row{"method": "gaga"}))
					appendPath(&knots, &coefficients, gaga, base+wobble, repeat)
				}
			}
			for _, c := range []float64{0.1, 1, 10} {
				row := func(method string, shift float64) Row {
					shift *= 1 + 0.1*math.Sin(float64(2*repeat))
					s := 0.93 + 0.02*math.Log10(c) + shift + 0.004*math.Sin(float64(5*repeat)+c)
					return Merge(Row{"dataset": "digits", "task": "classification", "model": "svm", "kernel": "rbf",
						"kernel_gamma": 0.5, "alpha": nil, "c": c, "metric": "accuracy", "method": method, "repeat": repeat,
						"n_features": 64, "n_train": 1078, "n_test": 450,
						"test_at_best_test": s, "test_at_best_validation": s - 0.004, "test_at_end": s - 0.01}, n)
				}
				add(row("original", 0))
				for _, r := range regularizers {
					acs := add(Merge(row("acs", 0.01), r))
					appendSteps(&knots, nil, acs, 0.9)
				}
			}
		}
	}
	return Tables{cells, knots, coefficients}
}

// Merge joins rows; later ones win.
func Merge(rows ...Row) Row {
	merged := Row{}
	for _, row := range rows {
		maps.Copy(merged, row)
	}
	return merged
}

// AppendKnot appends a knot of a path.
func AppendKnot(b *experiment.Batch, cell string, knot int, age float64, event string, score float64) {
	columns := selfpaced.Tables().Further[0].Columns
	if err := b.Append(columns, cell, knot, age, "up", event, nil, nil, 1.0, score, score, nil, 5, 1, 2, 3, 1e-12); err != nil {
		panic(err)
	}
}

func appendValues(b *experiment.Batch, cell string, knot int, age, offset float64) {
	values := make([]float64, 11)
	for j := range 10 {
		values[j] = 0.3*math.Exp(-float64(j)/3)*math.Cos(float64(j))*math.Tanh(age*float64(j+1)/3) + 5*offset*float64(j%3)
	}
	values[9] = 0
	if err := b.Append(selfpaced.Tables().Further[1].Columns, cell, knot, values); err != nil {
		panic(err)
	}
}

// appendSteps appends alternate convex search at a step of 0.5.
func appendSteps(b, coefficients *experiment.Batch, cell string, base float64) {
	for k := range 41 {
		age := 0.1 + 0.5*float64(k)
		event := "grid"
		switch k {
		case 0:
			event = "start"
		case 40:
			age, event = 20, "end"
		}
		AppendKnot(b, cell, k, age, event, base+0.012+0.05/(1+4*age))
		if coefficients != nil {
			appendValues(coefficients, cell, k, age, 0)
		}
	}
}

// appendPath appends an age path with turning points and two jumps.
func appendPath(knots, coefficients *experiment.Batch, cell string, base float64, repeat int) {
	k := 0
	add := func(age float64, event string, offset float64) {
		AppendKnot(knots, cell, k, age, event, base+0.05/(1+3*age)+offset)
		appendValues(coefficients, cell, k, age, offset)
		k++
	}
	jump1, jump2 := 0.5+0.05*float64(repeat), 3+0.2*float64(repeat)
	add(0.1, "start", 0)
	for i := 1; i < 12; i++ {
		add(0.1*math.Pow(jump1/0.1, float64(i)/12), "turning", 0)
	}
	add(jump1, "jump", 0)
	add(jump1, "start", -0.01)
	for i := 1; i < 8; i++ {
		add(jump1*math.Pow(jump2/jump1, float64(i)/8), "turning", -0.01)
	}
	add(jump2, "jump", -0.01)
	add(jump2, "start", 0.004)
	for i := 1; i < 5; i++ {
		add(jump2*math.Pow(20/jump2, float64(i)/5), "grid", 0.004)
	}
	add(20, "end", 0.004)
}

// RankedCells are three methods on n data sets of both metrics: c always best, a and b in turn.
func RankedCells(n int) []Row {
	var rows []Row
	for d := range n {
		base := Row{"dataset": string(rune('p' + d))}
		sign := 1.0
		if d%2 == 1 {
			base = Merge(base, Row{"model": "svm", "alpha": nil, "c": 1.0, "metric": "accuracy"})
			sign = -1
		}
		for m, loss := range []float64{0.3 + 0.01*float64(d%3), 0.31, 0.2} {
			for repeat := range 2 {
				rows = append(rows, Merge(base, Row{"method": string(rune('a' + m)), "repeat": repeat + 1, "test_at_best_test": 0.5 + sign*loss}))
			}
		}
	}
	return rows
}

// Scored makes cells of one method, a repeat per score at the best test age.
func Scored(base Row, best ...float64) []Row {
	var rows []Row
	for i, score := range best {
		rows = append(rows, Merge(Row{"repeat": i + 1, "test_at_best_test": score}, base))
	}
	return rows
}

// Near reports equality to 1e-14 relative; NaN equals NaN.
func Near(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-14*max(math.Abs(a), math.Abs(b))
}
