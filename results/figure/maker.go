package figure

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

type maker struct {
	dir     string
	tell    func(what string, at, of int)
	data    *analysis.DataFacts
	own     *layout.Part
	path    *layout.Path
	partial bool // the run has not ended

	drawn  Drawn
	knots  map[string]*cellKnots
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
	m := &maker{dir: r.Dir, tell: tell, data: r.Data, own: r.Own, path: r.Layout.Path, partial: r.Partial}
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
		figure, missing, err := m.figure(plan)
		if err != nil {
			return fmt.Errorf("figure %s: %w", plan.name, err)
		}
		if figure == nil {
			d.Missing = append(d.Missing, fmt.Sprintf("figure %s: %s.", plan.name, missing))
			continue
		}
		d.Figures = append(d.Figures, figure)
	}
	return nil
}

// possible drops and reports plans without their files.
func (m *maker) possible(plans []figurePlan) []figurePlan {
	reasons := m.pathReasons()
	if m.partial {
		for kind := range reasons {
			reasons[kind] = ""
		}
	}
	for _, kind := range []Kind{ScoreCurve, Path, Events, Consistency} {
		of := func(p figurePlan) bool { return p.kind == kind }
		if reason, missing := reasons[kind]; missing && slices.ContainsFunc(plans, of) {
			if reason != "" {
				m.drawn.Missing = append(m.drawn.Missing, reason)
			}
			plans = slices.DeleteFunc(plans, of)
		}
	}
	return plans
}

func (m *maker) pathReasons() map[Kind]string {
	reasons := map[Kind]string{}
	if m.path == nil {
		return reasons
	}
	table, values := tableFile(m.path.Table), tableFile(m.path.Values)
	knots, coefficients := m.has(table), m.has(values)
	if !knots {
		reasons[Events] = fmt.Sprintf("histograms of critical points: there is no %s (keep: {%s: true} in the grid makes it).", table, m.path.Table)
		reasons[ScoreCurve] = fmt.Sprintf("figures of the %s: there is no %s (keep: {%s: true} in the grid makes it).", strings.ToLower(m.path.Curve), table, m.path.Table)
	}
	if !(knots && coefficients) {
		reasons[Path] = fmt.Sprintf("age paths of the coefficients: the coefficients were not kept "+
			"(keep: {%s: true, %s: true} in the grid makes %s and %s).", m.path.Table, m.path.Values, table, values)
		reasons[Consistency] = "" // as for age paths
	}
	return reasons
}

func (m *maker) has(file string) bool {
	_, err := os.Stat(filepath.Join(m.dir, file))
	return err == nil
}

// read makes one pass over each file.
func (m *maker) read(ctx context.Context, plans []figurePlan) error {
	m.knots = map[string]*cellKnots{}
	m.scores = map[string]*scorePath{}
	withValues := map[string]*cellKnots{}
	for _, plan := range plans {
		switch plan.kind {
		case ScoreCurve:
			for i := range plan.rows[0].Entries {
				for _, sample := range plan.rows[0].Entries[i].Sample {
					m.knots[sample.Cell.String()] = &cellKnots{}
				}
			}
		case Events:
			for _, sample := range plan.rows[0].Entries[plan.methodIndex(plan.table.Layout.Path.Main)].Sample {
				m.knots[sample.Cell.String()] = &cellKnots{}
			}
		case Path, Consistency:
			for _, cell := range m.represent(plan).cells {
				withValues[cell] = &cellKnots{values: map[int64][]float64{}}
			}
		}
	}
	maps.Copy(m.knots, withValues)
	if len(m.knots) == 0 {
		return nil
	}
	if err := readKnots(ctx, filepath.Join(m.dir, tableFile(m.path.Table)), m.path, m.knots); err != nil {
		return err
	}
	for cell, c := range m.knots {
		if path := newScorePath(c.knots); path != nil {
			m.scores[cell] = path
		}
	}
	if len(withValues) == 0 {
		return nil
	}
	return readCoefficients(ctx, filepath.Join(m.dir, tableFile(m.path.Values)), m.path, withValues)
}

type representatives struct {
	cells  []string // one for each method
	repeat int64
	cut    bool // a path stops early
}

// represent returns the cells of the first repeat in which all methods have a path, if possible a
// complete one.
func (m *maker) represent(plan figurePlan) representatives {
	path := plan.table.Layout.Path
	methods := []string{path.Main}
	if plan.kind == Consistency {
		methods = append(methods, path.Steps)
	}
	for _, cut := range []bool{false, true} {
		found := map[int64][]string{}
		for _, method := range methods {
			for _, sample := range plan.rows[0].Entries[plan.methodIndex(method)].Sample {
				if sample.Whole() || cut && sample.Status.Computed() {
					found[sample.Repeat] = append(found[sample.Repeat], sample.Cell.String())
				}
			}
		}
		for _, repeat := range slices.Sorted(maps.Keys(found)) {
			if len(found[repeat]) == len(methods) {
				return representatives{found[repeat], repeat, cut}
			}
		}
	}
	return representatives{}
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

func (m *maker) cellKnots(entry *analysis.ScoreEntry) []*cellKnots {
	var list []*cellKnots
	for _, sample := range entry.Sample {
		if c := m.knots[sample.Cell.String()]; sample.Whole() && c != nil && len(c.knots) > 0 {
			list = append(list, c)
		}
	}
	return list
}

// figure makes the figure of a plan, or says what is missing.
func (m *maker) figure(plan figurePlan) (f *Figure, missing string, err error) {
	switch plan.kind {
	case Reached:
		f, missing = reachFigure(plan.table, plan.reach), "no method has a score and a time"
	case Sensitivity:
		f, missing = sensitivityFigure(plan, m.data), "none of its cells has a score"
	case ScoreCurve:
		f, missing = scoreCurveFigure(plan, m.data, m.scorePaths), tableFile(m.path.Table)+" has no path that all repeats of a method cover"
	case Events:
		f, missing = eventFigure(plan, m.data, m.cellKnots), "no complete path of it has a turning point or a jump"
	case Times:
		f, missing = timeFigure(plan, m.data), "no time of its cells is known"
	case Path, Consistency:
		f, missing, err = m.pathFigure(plan)
	default:
		f, missing = ownFigure(plan.own, m.own.Methods), plan.own.Without
	}
	if f != nil {
		f.Kind, f.Name = plan.kind, plan.name
	}
	return f, missing, err
}

func (m *maker) pathFigure(plan figurePlan) (f *Figure, missing string, err error) {
	shown := m.represent(plan)
	if len(shown.cells) == 0 {
		return nil, "no repeat has the paths of all its methods", nil
	}
	paths := make([]*AgePath, len(shown.cells))
	for i, cell := range shown.cells {
		knots := m.knots[cell]
		if len(knots.values) == 0 || len(knots.knots) == 0 {
			return nil, "the files have no coefficients of the cell " + cell, nil
		}
		if paths[i], err = newAgePath(knots); err != nil {
			return nil, "", fmt.Errorf("path of cell %s: %w", cell, err)
		}
	}
	path := paths[0]
	setting, counted := plan.rows[0].Setting, "Features"
	path.Names = m.data.FeatureNames(setting[layout.Dataset].Text, len(path.Values[0])-1)
	if path.Names != nil {
		counted = ""
	}
	n, ok := m.data.Size[setting[layout.Dataset].Text]
	multipliers := ok && len(path.Values) > 0 && int64(len(path.Values[0])-1) != n.Features
	if multipliers {
		counted, path.Names = "Training samples", nil
		for i := range len(path.Values[0]) - 1 {
			path.Names = append(path.Names, fmt.Sprintf("sample %d", i))
		}
	}
	title := "Age path: "
	if plan.kind == Consistency {
		title = "Age path over alternate convex search: "
		f, err = consistencyFigure(plan.table.Layout.Path, path, paths[1])
	} else {
		f, err = NewPathFigure(*path)
	}
	if err != nil {
		return nil, "", fmt.Errorf("cell %s: %w", shown.cells[0], err)
	}
	if f == nil {
		return nil, "the ages of its methods do not overlap", nil
	}
	f.Title = title + plan.table.Layout.Describe(setting)
	words := fmt.Sprintf("%srepeat %d, %s", m.data.SizesOf(setting), shown.repeat, prose.Plural(len(path.Ages), "knot"))
	if shown.cut {
		words += fmt.Sprintf(", incomplete: the path stops at λ=%.3g", path.Ages[len(path.Ages)-1])
	}
	f.Note = strings.Join(slices.DeleteFunc([]string{words, f.Note}, func(s string) bool { return s == "" }), "; ")
	if multipliers {
		f.Y.Text = "multiplier of the sample"
	}
	f.Caption += fmt.Sprintf("Cell %s.", shown.cells[0])
	if counted != "" {
		f.Caption += " " + counted + " are counted from 0."
	}
	return f, "", nil
}
