package figure

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

type maker struct {
	dir     string
	tell    func(what string, at, of int)
	data    *analysis.DataFacts
	path    *layout.Path
	partial bool // the run has not ended

	drawn  Drawn
	scores map[string]*scorePath
}

// Drawn holds the figures of a run.
type Drawn struct {
	Figures []*Figure
	LeftOut []string // names beyond the limit
	Missing []string // sentences on other missing figures
}

// Make makes at most n figures of a run and calls tell before each step.
func Make(ctx context.Context, r *analysis.Run, n int, tell func(what string, at, of int)) (*Drawn, error) {
	m := &maker{dir: r.Dir, tell: tell, data: r.Data, path: r.Layout.Path, partial: r.Partial}
	if err := m.make(ctx, r, n); err != nil {
		return nil, err
	}
	return &m.drawn, nil
}

func (m *maker) make(ctx context.Context, r *analysis.Run, n int) error {
	d := &m.drawn
	if r.Ranking != nil {
		if f := rankFigure(r.Ranking); n > 0 {
			d.Figures = append(d.Figures, f)
			n--
		} else {
			d.LeftOut = append(d.LeftOut, f.Name)
		}
	}
	plans := m.possible(planFigures(r.Tables, r.Own))
	plans, left := chooseFigures(plans, Kinds(r.Layout), n)
	d.LeftOut = append(d.LeftOut, left...)
	m.tell("reading the knots of figures", 0, 0)
	if err := m.read(ctx, plans); err != nil {
		return err
	}
	if r.Own != nil {
		d.Missing = append(d.Missing, r.Own.Missing...)
		if err := readOwn(ctx, r.Own, plans); err != nil {
			return err
		}
	}
	for i, plan := range plans {
		m.tell("making figures", i+1, len(plans))
		if err := ctx.Err(); err != nil {
			return err
		}
		figure, missing := m.figure(plan)
		if figure == nil {
			d.Missing = append(d.Missing, fmt.Sprintf("figure %s: %s.", plan.name, missing))
			continue
		}
		d.Figures = append(d.Figures, figure)
	}
	return nil
}

// possible drops and reports plans without their file.
func (m *maker) possible(plans []figurePlan) []figurePlan {
	curve := func(p figurePlan) bool { return p.kind == ScoreCurve }
	if !slices.ContainsFunc(plans, curve) {
		return plans
	}
	if _, err := os.Stat(filepath.Join(m.dir, m.path.File())); err == nil {
		return plans
	}
	if !m.partial {
		m.drawn.Missing = append(m.drawn.Missing, fmt.Sprintf("figures of the %s: there is no %s (keep: {%s: true} in the grid makes it).",
			strings.ToLower(m.path.Curve), m.path.File(), m.path.Table))
	}
	return slices.DeleteFunc(plans, curve)
}

// read makes one pass over the file.
func (m *maker) read(ctx context.Context, plans []figurePlan) error {
	m.scores = map[string]*scorePath{}
	knots := map[string][]analysis.Knot{}
	for _, plan := range plans {
		if plan.kind == ScoreCurve {
			for i := range plan.rows[0].Entries {
				for _, sample := range plan.rows[0].Entries[i].Sample {
					knots[sample.Cell.String()] = nil
				}
			}
		}
	}
	if len(knots) == 0 {
		return nil
	}
	if err := analysis.ReadKnots(ctx, m.dir, m.path, knots); err != nil {
		return err
	}
	for cell, list := range knots {
		if path := newScorePath(list); path != nil {
			m.scores[cell] = path
		}
	}
	return nil
}

func (m *maker) scorePaths(entry *analysis.ScoreEntry) []*scorePath {
	var paths []*scorePath
	for _, sample := range entry.Sample {
		if path := m.scores[sample.Cell.String()]; sample.Status.Computed() && path != nil {
			path.cut = !sample.Whole()
			paths = append(paths, path)
		}
	}
	return paths
}

// figure makes the figure of a plan, or says what is missing.
func (m *maker) figure(plan figurePlan) (f *Figure, missing string) {
	switch plan.kind {
	case Sensitivity:
		f, missing = sensitivityFigure(plan, m.data), "none of its cells has a score"
	case ScoreCurve:
		f, missing = scoreCurveFigure(plan, m.data, m.scorePaths), m.path.File()+" has no path that all repeats of a method cover"
	default:
		f, missing = ownFigure(plan.own)
	}
	if f != nil {
		f.Kind, f.Name = plan.kind, plan.name
	}
	return f, missing
}
