package figure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/layout"
)

// bothDirections computes a path of each method up and down, and returns the folder and the knots.
func bothDirections(t *testing.T) (dir string, knots *experiment.Batch, cells map[string]string) {
	t.Helper()
	grid, err := experiment.Parse([]byte("data: [diabetes]\nrows: 200\nnoise: [{kind: gaussian, levels: [0.3]}]\nmodels: [{lasso: {alpha: 0.003}}]\n"+
		"regularizers: [linear]\nage: {direction: both}\nmethods: [acs, gaga]\nrepeats: 1\n"), "both.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	columns := selfpaced.Tables().Further[0].Columns
	run, cells := testrun.Tables{}, map[string]string{}
	for task, err := range plan.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		cell, err := selfpaced.DecodeCell(task.Spec)
		if err != nil {
			t.Fatal(err)
		}
		method := cell.Method.Name
		if method == selfpaced.Constant {
			continue
		}
		_, further, err := selfpaced.Kind{}.Compute(t.Context(), &task, plan)
		if err != nil {
			t.Fatal(err)
		}
		run.Cells = append(run.Cells, testrun.Row{"cell": task.Cell, "method": method, "regularizer": "linear", "age_direction": "both"})
		cells[method] = task.Cell
		of := further["knots"]
		for row := range of.Rows {
			values := []any{task.Cell}
			for j, column := range columns[1:] {
				values = append(values, of.At(column, j, row))
			}
			if err := run.Knots.Append(columns, values...); err != nil {
				t.Fatal(err)
			}
		}
	}
	return testrun.Write(t, run), &run.Knots, cells
}

// knotRow is a row of knots.arrow.
type knotRow struct {
	age, score, in float64 // in percent
	event          string
}

func knotRows(knots *experiment.Batch, cell, direction string) (rows []knotRow) {
	columns := selfpaced.Tables().Further[0].Columns
	at := func(row int, name string) any {
		j := slices.IndexFunc(columns, func(c experiment.Column) bool { return c.Name == name })
		return knots.At(columns[j], j, row)
	}
	for row := range knots.Rows {
		if at(row, "cell") != cell || at(row, "direction") != direction {
			continue
		}
		easy, middle, out := at(row, "easy").(int64), at(row, "middle").(int64), at(row, "discarded").(int64)
		rows = append(rows, knotRow{at(row, "age").(float64), at(row, "test_score").(float64), 100 * (1 - float64(out)/float64(easy+middle+out)), at(row, "event").(string)})
	}
	return rows
}

// TestBothDirections wants a line for each direction, the path down dashed in the same colour, whose
// points lie between two knots of that direction in knots.arrow: of gaga with the score on the straight
// line between them and the share of the knot from which the path comes, of acs with those of the knot
// below; and every continuous piece of a path from its first knot to its last.
func TestBothDirections(t *testing.T) {
	t.Parallel()
	dir, knots, cells := bothDirections(t)
	figures := drawn(t, dir).Figures
	at := slices.IndexFunc(figures, func(f *Figure) bool { return f.Kind == ScoreCurve })
	if at < 0 {
		t.Fatal("no figure of the score along the age")
	}
	f, colors := figures[at], map[any]int{}
	checkFigure(t, f)
	apart := 0
	for _, path := range []struct{ name, method, direction string }{
		{"GAGA, up", selfpaced.GAGA, "up"}, {"GAGA, down", selfpaced.GAGA, "down"}, {"ACS, up", selfpaced.ACS, "up"}, {"ACS, down", selfpaced.ACS, "down"},
	} {
		i := slices.IndexFunc(f.Series, func(s layout.Series) bool { return s.Name == path.name })
		if i < 0 {
			t.Fatalf("no line %q", path.name)
		}
		colors[f.styles[i].color]++
		if dashed := f.styles[i].dashes != nil; dashed != (path.direction == "down") {
			t.Errorf("%s: dashed is %v", path.name, dashed)
		}
		rows := knotRows(knots, cells[path.method], path.direction)
		for _, piece := range f.Series[i].Pieces {
			for k, p := range piece {
				if !onPath(rows, p, path.method == selfpaced.GAGA, k == 0) {
					t.Fatalf("%s: no two knots of knots.arrow have %+v between them: %+v", path.name, p, slices.DeleteFunc(rows, func(r knotRow) bool { return math.Abs(r.age-p.X) > 0.005 }))
				}
			}
		}
		if path.method == selfpaced.GAGA {
			apart += checkPieces(t, path.name, rows, f.Series[i].Pieces)
		}
	}
	if len(colors) != 2 || f.Lower.Text != "rows in (%)" {
		t.Errorf("%d colours of two methods, lower panel %q", len(colors), f.Lower.Text)
	}
	if apart < 4 {
		t.Errorf("%d pieces of two paths, which shows no hysteresis", apart)
	}
	numbers, err := f.CSV()
	if err != nil || !strings.HasPrefix(string(numbers), "series,piece,age λ,test RMSE (target's unit),std,rows in (%)\n") {
		t.Errorf("numbers begin with %.80q, %v", numbers, err)
	}
}

// same allows for a landing at the next age that the engine can tell from that of the jump.
func same(a, b float64) bool { return math.Abs(a-b) <= 1e-8*math.Abs(b) }

// onPath reports whether a point that begins a piece, or does not, is on the path of the knots.
func onPath(rows []knotRow, p layout.Point, continuous, first bool) bool {
	for k := 1; k < len(rows); k++ {
		from, to := rows[k-1], rows[k]
		if to.event == "start" || p.X < (1-1e-8)*min(from.age, to.age) || p.X > (1+1e-8)*max(from.age, to.age) {
			continue
		}
		score := to.score
		if continuous && from.age != to.age {
			score = from.score + (p.X-from.age)/(to.age-from.age)*(to.score-from.score)
		} else if !continuous && from.age < to.age {
			score, to = from.score, from
		}
		if in := from.in; same(p.Y, score) && (continuous && same(p.Lower, in) || !continuous && same(p.Lower, to.in)) {
			return true
		}
	}
	last := rows[len(rows)-1] // where acs ends
	return !continuous && !first && p.X == last.age && same(p.Y, last.score)
}

// checkPieces counts the continuous pieces of a path.
func checkPieces(t *testing.T, name string, rows []knotRow, drawn [][]layout.Point) (n int) {
	t.Helper()
	for k, from := range rows {
		if from.event != "start" {
			continue
		}
		end := k + 1
		for end < len(rows) && rows[end].event != "start" {
			end++
		}
		lo, hi := from, rows[end-1]
		if lo.age > hi.age {
			lo, hi = hi, lo
		}
		if lo.age == hi.age {
			continue
		}
		n++
		if !slices.ContainsFunc(drawn, func(piece []layout.Point) bool {
			first, last := piece[0], piece[len(piece)-1]
			return same(first.X, lo.age) && same(first.Y, lo.score) && same(last.X, hi.age) && same(last.Y, hi.score)
		}) {
			t.Errorf("%s: no piece from age %v to %v", name, lo.age, hi.age)
		}
	}
	return n
}

// TestDirectionsApart wants a row and a figure for each direction that a grid lists.
func TestDirectionsApart(t *testing.T) {
	t.Parallel()
	run := testrun.Tables{Cells: []testrun.Row{{"method": "original", "test_at_best_test": 0.5}}}
	for i, direction := range []string{"up", "down"} {
		run.Cells = append(run.Cells, testrun.Row{"method": "gaga", "regularizer": "linear", "age_direction": direction, "test_at_best_test": 0.1 * float64(i+1)})
		for k, event := range []string{"start", "end"} {
			testrun.AppendKnot(&run.Knots, testrun.ID(i+1), k, float64(k+1), event, 0.1*float64(i+1))
		}
	}
	var titles []string
	for _, f := range drawn(t, testrun.Write(t, run)).Figures {
		if f.Kind == ScoreCurve {
			titles = append(titles, f.Title)
		}
	}
	if len(titles) != 2 || !strings.Contains(titles[0], "direction of the path: down") || !strings.Contains(titles[1], "direction of the path: up") {
		t.Errorf("figures %q", titles)
	}
	if rows := tablesOf(t, run.Cells)[0].Rows; len(rows) != 2 || len(rows[0].Entries) != 2 {
		t.Errorf("%d rows", len(rows))
	}
}
