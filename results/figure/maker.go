package figure

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

type maker struct {
	dir    string
	data   *analysis.DataFacts
	path   *layout.Path
	scores map[string][2]*scorePath // by cell, the second one down if the first is up
}

// Drawn holds the figures of a run.
type Drawn struct {
	Figures []*Figure
	LeftOut []string // names beyond the limit
	Missing []string // sentences on other missing figures
}

// Make makes at most n figures of a run and calls tell before each step.
func Make(ctx context.Context, r *analysis.Run, n int, tell func(what string, at, of int)) (*Drawn, error) {
	m, d := &maker{dir: r.Dir, data: r.Data, path: r.Layout.Path, scores: map[string][2]*scorePath{}}, &Drawn{}
	if r.Ranking.Shows() {
		if f := rankFigure(r.Ranking); n > 0 {
			d.Figures = append(d.Figures, f)
			n--
		} else {
			d.LeftOut = append(d.LeftOut, f.Name)
		}
	}
	plans := m.plan(r.Tables, r.Own)
	curve := func(p layout.FigurePlan) bool { return p.Kind == ScoreCurve }
	if slices.ContainsFunc(plans, curve) {
		if _, err := os.Stat(filepath.Join(m.dir, m.path.File())); err != nil {
			plans = slices.DeleteFunc(plans, curve)
			if !r.Partial {
				d.Missing = append(d.Missing, fmt.Sprintf("figures of the %s: there is no %s (keep: {%s: true} in the grid makes it).",
					strings.ToLower(m.path.Curve), m.path.File(), m.path.Table))
			}
		}
	}
	plans, left := chooseFigures(plans, Kinds(r.Layout), n)
	d.LeftOut = append(d.LeftOut, left...)
	tell("reading the knots of figures", 0, 0)
	if err := m.read(ctx, plans, r.Own); err != nil {
		return nil, err
	}
	if r.Own != nil {
		d.Missing = append(d.Missing, r.Own.Missing...)
	}
	for i, plan := range plans {
		tell("making figures", i+1, len(plans))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, missing := plan.Draw()
		if f == nil {
			d.Missing = append(d.Missing, fmt.Sprintf("figure %s: %s.", plan.Name, missing))
			continue
		}
		d.Figures = append(d.Figures, New(&plan, f))
	}
	return d, nil
}

// read makes one pass over the file of paths, besides those of the kind's own part.
func (m *maker) read(ctx context.Context, plans []layout.FigurePlan, own *layout.Part) error {
	knots, others := map[string][]analysis.Knot{}, map[string]bool{}
	for _, plan := range plans {
		for _, cell := range plan.Cells {
			if plan.Kind == ScoreCurve {
				knots[cell] = nil
			} else {
				others[cell] = true
			}
		}
	}
	if len(knots) > 0 {
		if err := analysis.ReadKnots(ctx, m.dir, m.path, knots); err != nil {
			return err
		}
	}
	for cell, list := range knots {
		path, down := analysis.KnotsToDraw(list)
		m.scores[cell] = [2]*scorePath{newScorePath(path), newScorePath(down)}
	}
	if len(others) > 0 {
		return own.Read(ctx, others)
	}
	return nil
}

// scorePaths returns the paths of the entry's cells, those down apart where there are both.
func (m *maker) scorePaths(entry *analysis.ScoreEntry) (paths [2][]*scorePath) {
	for _, sample := range entry.Sample {
		for way, path := range m.scores[sample.Cell.String()] {
			if sample.Whole() && path != nil {
				own := *path
				own.scores = slices.Clone(path.scores)
				for k := range own.scores {
					own.scores[k] *= sample.Unit
				}
				paths[way] = append(paths[way], &own)
			}
		}
	}
	return paths
}

func newPlan(kind string, setting layout.Setting, names ...string) layout.FigurePlan {
	return layout.FigurePlan{Kind: kind, Name: prose.Slug(append([]string{kind}, names...)...), Setting: setting}
}

// plan lists the possible figures of tables and the kind's own ones, under different names.
func (m *maker) plan(tables []*analysis.ScoreTable, own *layout.Part) []layout.FigurePlan {
	var plans, curves []layout.FigurePlan
	for _, table := range tables {
		full := analysis.AtFullExtent(table)
		plans = append(plans, planSensitivity(full, m.data)...)
		curves = append(curves, m.planScoreCurves(full)...)
	}
	plans = append(plans, curves...)
	if own != nil {
		plans = append(plans, own.Figures...)
	}
	used := map[string]int{}
	for i := range plans {
		// Names of data sets may differ only in characters that file names cannot have.
		name := plans[i].Name
		if used[name]++; used[name] > 1 {
			plans[i].Name = fmt.Sprintf("%s-%d", name, used[name])
		}
	}
	return plans
}

// chooseFigures picks at most n plans, alternating between kinds and, within a kind, between data
// sets. It returns the names of the rest.
func chooseFigures(plans []layout.FigurePlan, kinds []string, n int) (chosen []layout.FigurePlan, leftOut []string) {
	byKind := map[string][]int{}
	place := make([]int, len(plans))
	seen := map[[2]string]int{}
	for i, plan := range plans {
		byKind[plan.Kind] = append(byKind[plan.Kind], i)
		key := [2]string{plan.Kind, plan.Setting[layout.Dataset].Text}
		place[i] = seen[key]
		seen[key]++
	}
	for _, queue := range byKind {
		slices.SortStableFunc(queue, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	}
	take := make([]bool, len(plans))
	for taken := 0; taken < min(n, len(plans)); {
		for _, kind := range kinds {
			if queue := byKind[kind]; len(queue) > 0 && taken < n {
				take[queue[0]] = true
				byKind[kind] = queue[1:]
				taken++
			}
		}
	}
	for i, plan := range plans {
		if take[i] {
			chosen = append(chosen, plan)
		} else {
			leftOut = append(leftOut, plan.Name)
		}
	}
	return chosen, leftOut
}
