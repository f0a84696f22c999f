package live

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/figure"
	"github.com/agepath/agepath/results/layout"
)

// Curve is the validation curve of a group: mean scores along the paths of its cells, as
// over the age.
type Curve struct {
	Group string `json:"group"`
	Cells int    `json:"cells"` // whose paths it is the mean of
	Step  string `json:"step"`  // what paths go over, as "age λ"; "" for a kind without paths
	Table string `json:"table"` // that has the paths
	// Test and Validation are continuous pieces of points: step, mean, and the standard
	// deviation, 0 for one cell.
	Test       [][][3]float64 `json:"test"`
	Validation [][][3]float64 `json:"validation"`
}

// curves reads the results of the cells that curves are made of, for one request at a
// time, and remembers the newest curve.
type curves struct {
	mu    sync.Mutex
	run   string
	cells []string
	curve *Curve
}

// serveCurve answers with the validation curve of the group ?group=ID of the run
// ?run=NAME.
func (m *Monitor) serveCurve(w http.ResponseWriter, r *http.Request) {
	run := m.State().named(r.URL.Query().Get("run"))
	at := -1
	if run != nil {
		at = slices.IndexFunc(run.Scores.Groups, func(g Group) bool { return g.ID == r.URL.Query().Get("group") })
	}
	if at < 0 {
		http.Error(w, "the server has no such run or group of cells", http.StatusNotFound)
		return
	}
	var curve *Curve
	err := within(r.Context(), func(ctx context.Context) (err error) {
		curve, err = m.curve(ctx, run.Name, &run.Scores.Groups[at])
		return err
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	writeJSON(w, curve)
}

// curve returns the validation curve of a group over the first curveCells of its cells
// that are ok. Without paths in their results it has no points.
func (m *Monitor) curve(ctx context.Context, run string, g *Group) (*Curve, error) {
	c := &m.curves
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.curve != nil && c.run == run && c.curve.Group == g.ID && slices.Equal(c.cells, g.cells) {
		return c.curve, nil
	}
	curve := &Curve{Group: g.ID}
	path := m.schemas[g.kind].path
	if path == nil {
		path = &layout.Path{}
	}
	curve.Step, curve.Table = path.Label, path.Table
	var test, validation [][]figure.Knot
	for _, cell := range g.cells {
		o, err := m.config.Queue.Outcome(ctx, run, cell)
		if err != nil {
			return nil, fmt.Errorf("reading cell %s of run %s: %w", cell, run, err)
		}
		if o == nil || o.Kind != g.kind {
			continue // it is computed again
		}
		knots := m.schemas[g.kind].knots(o)
		test, validation = append(test, knots(path.Score)), append(validation, knots(path.Validation))
	}
	points := func(paths [][]figure.Knot) [][][3]float64 {
		pieces := [][][3]float64{}
		for _, piece := range figure.MeanCurve(g.Method, paths) {
			line := make([][3]float64, len(piece))
			for i, p := range piece {
				line[i] = [3]float64{p.X, p.Y, p.Band}
			}
			pieces = append(pieces, line)
		}
		return pieces
	}
	c.run, c.cells = run, g.cells
	curve.Cells, curve.Test, curve.Validation = len(test), points(test), points(validation)
	c.curve = curve
	return curve, nil
}

// knots returns what reads the points of a cell's path with one of their scores, none
// where the outcome has no such columns.
func (s *schema) knots(o *experiment.Outcome) func(score string) []figure.Knot {
	none := func(string) []figure.Knot { return nil }
	if s.path == nil {
		return none
	}
	i := slices.IndexFunc(s.Further, func(t experiment.Table) bool { return t.Name == s.path.Table })
	rows, there := o.Further[s.path.Table]
	if i < 0 || !there || rows.Fits(s.Further[i].Columns[1:]) != nil {
		return none
	}
	columns := s.Further[i].Columns[1:]
	step := place(columns, s.path.Step, experiment.Float)
	event := place(columns, s.path.Event, experiment.Text)
	return func(score string) (knots []figure.Knot) {
		at := place(columns, score, experiment.Float)
		if step < 0 || at < 0 {
			return nil
		}
		steps, scores := &rows.Columns[step], &rows.Columns[at]
		for row := range rows.Rows {
			age := steps.Floats[row]
			if steps.IsNull(row) || scores.IsNull(row) || math.IsNaN(age) || math.IsInf(age, 0) {
				continue
			}
			knot := figure.Knot{Age: age, Score: scores.Floats[row]}
			if event >= 0 {
				knot.Event = rows.Columns[event].Texts[row]
			}
			knots = append(knots, knot)
		}
		return knots
	}
}
