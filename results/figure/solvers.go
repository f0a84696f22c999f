package figure

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/internal/prose"
	"github.com/agepath/agepath/results/layout"
)

// leastGap is what gaps below it are drawn as: they are zero to rounding.
const leastGap = 1e-12

// planSolvers lists the figures of solvers: a performance profile for each target, growth for
// each target and group of problems, and the curves of each problem.
func planSolvers(b *analysis.Benchmark, curves map[string][]Point) []figurePlan {
	if b == nil {
		return nil
	}
	var plans []figurePlan
	add := func(kind Kind, p *analysis.Problem, draw func() *Figure, parts ...string) {
		plans = append(plans, figurePlan{
			kind: kind, name: prose.Slug(append([]string{string(kind)}, parts...)...),
			rows: []*analysis.ScoreRow{{Setting: p.Setting}}, problem: p, draw: draw,
		})
	}
	groups := b.Growth()
	for k, target := range b.Layout.Solvers.Targets {
		gap := prose.Short(target.Gap)
		add(Profile, &analysis.Problem{}, func() *Figure { return profileFigure(b, k) }, gap)
		for _, group := range groups {
			free := []layout.Dimension{layout.Dataset, b.Layout.Solvers.Size}
			add(Growth, group[0], func() *Figure { return growthFigure(b, k, group, free) },
				gap, b.Layout.Solvers.Generator(group[0].Setting), settingName(b.Layout, group[0].Setting, free...))
		}
	}
	for i := range b.Problems {
		p := &b.Problems[i]
		add(Gap, p, func() *Figure { return gapFigure(b, p, curves) }, settingName(b.Layout, p.Setting, b.Layout.Solvers.Size))
	}
	return plans
}

// solverSeries are the lines of the methods that have points.
func solverSeries(b *analysis.Benchmark, pieces func(m int) [][]Point) []Series {
	var list []Series
	for m, style := range stylesOf(b.Methods) {
		if s := (Series{Name: style.label, Pieces: pieces(m), style: style.series()}); len(s.Pieces) > 0 {
			s.style.markers = 12
			list = append(list, s)
		}
	}
	return list
}

// profileFigure draws for each method the share of the problems that it solves within a multiple
// of the fastest method's time.
func profileFigure(b *analysis.Benchmark, target int) *Figure {
	gap := prose.Short(b.Layout.Solvers.Targets[target].Gap)
	profiles, most := make([][]float64, len(b.Methods)), 10.0
	for m := range b.Methods {
		if profiles[m] = b.Profile(target, m); len(profiles[m]) > 0 {
			most = max(most, profiles[m][len(profiles[m])-1])
		}
	}
	f := &Figure{
		Title: "Performance profiles at the relative gap " + gap,
		Note:  prose.Plural(len(b.Problems), "problem") + "; set-up included, medians over repeats",
		Caption: "Dolan and Moré (2002): the height at τ is the share of all problems that a solver solves within τ times the time of the fastest. " +
			"A problem that a solver does not take counts as not solved.",
		X: AxisLabel{Text: "time / time of the fastest solver, τ", Log: true},
		Y: AxisLabel{Text: "share of the problems", Zero: true},
	}
	f.Series = solverSeries(b, func(m int) [][]Point {
		var steps []Point
		share := 0.0
		for i, ratio := range profiles[m] {
			steps = append(steps, Point{X: ratio, Y: share})
			share = float64(i+1) / float64(len(b.Problems))
			steps = append(steps, Point{X: ratio, Y: share})
		}
		if steps == nil {
			return nil
		}
		return [][]Point{append(steps, Point{X: 1.2 * most, Y: share})}
	})
	if len(f.Series) == 0 {
		return nil
	}
	return f
}

// growthFigure draws the time to a target against the size of problems of one generator.
func growthFigure(b *analysis.Benchmark, target int, group []*analysis.Problem, free []layout.Dimension) *Figure {
	first, size := group[0], b.Layout.Solvers.Size
	f := &Figure{
		Title:   "Growth of times: " + b.Layout.Describe(first.Setting, free...),
		Note:    fmt.Sprintf("%s; until the relative gap is %s, set-up included, medians over repeats", b.Layout.Solvers.Generator(first.Setting), prose.Short(b.Layout.Solvers.Targets[target].Gap)),
		Caption: "A line ends where the solver does not reach the gap within its budget.",
		X:       AxisLabel{Text: b.Layout.Column(size), Log: true},
		Y:       AxisLabel{Text: "seconds", Log: true},
	}
	f.Series = solverSeries(b, func(m int) [][]Point {
		var piece []Point
		for _, p := range group {
			if seconds := p.Seconds(m, target); !math.IsInf(seconds, 1) {
				piece = append(piece, Point{X: b.Size(p), Y: seconds})
			}
		}
		if piece == nil {
			return nil
		}
		return [][]Point{piece}
	})
	if len(f.Series) == 0 {
		return nil
	}
	return f
}

// gapFigure draws the curves of a problem: the points of the first repeat of each method in the
// order of computing.
func gapFigure(b *analysis.Benchmark, p *analysis.Problem, curves map[string][]Point) *Figure {
	f := &Figure{
		Title:   "Gap against time: " + b.Layout.Describe(p.Setting),
		Note:    "first repeat of each solver, set-up included; certified gaps of feasible points",
		Caption: fmt.Sprintf("Gaps below %g are drawn there. Solvers without iterates were started anew for each tolerance: each mark is a run.", leastGap),
		X:       AxisLabel{Text: "seconds", Log: true},
		Y:       AxisLabel{Text: "relative gap", Log: true},
	}
	f.Series = solverSeries(b, func(m int) [][]Point {
		if piece := curves[p.Results[m].Cell]; len(piece) > 0 {
			return [][]Point{piece}
		}
		return nil
	})
	if len(f.Series) == 0 {
		return nil
	}
	return f
}

// readCurves reads the curves of the problems that plans show.
func (m *maker) readCurves(ctx context.Context, plans []figurePlan) error {
	for i := range plans {
		if plans[i].kind != Gap {
			continue
		}
		for _, of := range plans[i].problem.Results {
			if of.Repeats > 0 {
				m.curves[of.Cell] = nil
			}
		}
	}
	if len(m.curves) == 0 {
		return nil
	}
	return readCurves(ctx, m.dir, m.layout.Solvers, m.curves)
}

// readCurves adds the feasible points of cells, whose keys say which are wanted: seconds and
// gaps.
func readCurves(ctx context.Context, dir string, of *layout.Solvers, cells map[string][]Point) error {
	path := filepath.Join(dir, tableFile(of.Table))
	columns := []string{"cell", of.Seconds, of.PointGap, of.Violation}
	kinds := []experiment.Type{experiment.Text, experiment.Float, experiment.Float, experiment.Float}
	wanted := func(cell string) bool { _, ok := cells[cell]; return ok }
	return results.EachFrameOf(ctx, path, wanted, columns, func(f *results.Frame) error {
		v, err := f.Vectors(path, columns, kinds)
		if err != nil {
			return err
		}
		for row, cell := range v[0].Texts {
			seconds, gap := v[1].Floats[row], v[2].Floats[row]
			if wanted(cell) && v[3].Floats[row] <= of.Feasible && seconds > 0 && !math.IsInf(gap, 0) && !v[2].IsNull(row) {
				cells[cell] = append(cells[cell], Point{X: seconds, Y: max(gap, leastGap)})
			}
		}
		return nil
	})
}
