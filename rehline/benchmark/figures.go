package benchmark

import (
	"context"
	"fmt"
	"math"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

const (
	figureProfile = "profile" // share of problems solved within a multiple of the fastest time
	figureGrowth  = "growth"  // time against size
	figureGap     = "gap"     // certified gap against time
)

// mostMarks limits the marks on a line.
const mostMarks = 12

// leastGap replaces smaller gaps in figures, which are zero up to rounding.
const leastGap = 1e-12

func (c *comparison) addFigures(o *layout.Part) {
	add := func(kind string, s layout.Setting, draw func() *layout.Figure, cells []string, parts ...string) {
		o.Figures = append(o.Figures, layout.FigurePlan{
			Kind: kind, Name: prose.Slug(append([]string{kind}, parts...)...), Setting: s, Cells: cells, Methods: c.Methods,
			Draw: func() (*layout.Figure, string) { return draw(), "no solver reached it" },
		})
	}
	groups := c.growth()
	for k := range gapTargets {
		add(figureProfile, layout.Setting{}, func() *layout.Figure { return c.profileFigure(k) }, nil, gapWords(k))
		for _, group := range groups {
			add(figureGrowth, group[0].setting, func() *layout.Figure { return c.growthFigure(k, group) }, nil,
				gapWords(k), group[0].generator(), c.Layout.SettingName(group[0].setting, dimDataset, dimRows))
		}
	}
	if !c.curves() {
		if !c.Partial {
			o.Missing = append(o.Missing, fmt.Sprintf("curves of the gap against time: there is no %s.arrow (keep: {%[1]s: true} in the grid makes it).", curveTable.Name))
		}
		return
	}
	curves := map[string][]layout.Point{}
	for i := range c.problems {
		p := &c.problems[i]
		var cells []string
		for _, of := range p.results {
			if of.repeats > 0 {
				cells = append(cells, of.cells[0])
			}
		}
		add(figureGap, p.setting, func() *layout.Figure { return c.gapFigure(p, curves) }, cells, c.Layout.SettingName(p.setting, dimRows))
	}
	o.Read = func(ctx context.Context, cells map[string]bool) error {
		return eachPoint(ctx, c.Dir, func(cell string) bool { return cells[cell] }, func(cell string, row int, v []*experiment.Vector) {
			gap, seconds := v[1].Floats[row], v[5].Floats[row]
			if v[2].Floats[row] <= feasible && seconds > 0 && !math.IsInf(gap, 0) && !v[1].IsNull(row) {
				curves[cell] = append(curves[cell], layout.Point{X: seconds, Y: max(gap, leastGap)})
			}
		})
	}
}

// drawn adds the pieces of each method that has some; it returns nil if none has.
func (c *comparison) drawn(f *layout.Figure, pieces func(m int) [][]layout.Point) *layout.Figure {
	for m := range c.Methods {
		if s := (layout.Series{Method: m, Pieces: pieces(m), Most: mostMarks}); len(s.Pieces) > 0 {
			f.Series = append(f.Series, s)
		}
	}
	if len(f.Series) == 0 {
		return nil
	}
	return f
}

func (c *comparison) profileFigure(target int) *layout.Figure {
	gap := gapWords(target)
	profiles, most := make([][]float64, len(c.Methods)), 10.0
	for m := range c.Methods {
		if profiles[m] = c.profile(target, m); len(profiles[m]) > 0 {
			most = max(most, profiles[m][len(profiles[m])-1])
		}
	}
	f := &layout.Figure{
		Title: "Performance profiles at the relative gap " + gap,
		Note:  prose.Plural(len(c.problems), "problem") + "; set-up included, medians over repeats",
		Caption: "Dolan and Moré (2002): the height at τ is the share of all problems that a solver solves within τ times the time of the fastest. " +
			"A problem that a solver does not take counts as not solved.",
		X: layout.AxisLabel{Text: "time / time of the fastest solver, τ", Log: true},
		Y: layout.AxisLabel{Text: "share of the problems", Zero: true},
	}
	return c.drawn(f, func(m int) [][]layout.Point {
		var steps []layout.Point
		share := 0.0
		for i, ratio := range profiles[m] {
			steps = append(steps, layout.Point{X: ratio, Y: share})
			share = float64(i+1) / float64(len(c.problems))
			steps = append(steps, layout.Point{X: ratio, Y: share})
		}
		if steps == nil {
			return nil
		}
		return [][]layout.Point{append(steps, layout.Point{X: 1.2 * most, Y: share})}
	})
}

func (c *comparison) growthFigure(target int, group []*compared) *layout.Figure {
	first := group[0]
	f := &layout.Figure{
		Title:   "Growth of times: " + c.Layout.Describe(first.setting, dimDataset, dimRows),
		Note:    fmt.Sprintf("%s; until the relative gap is %s, set-up included, medians over repeats", first.generator(), gapWords(target)),
		Caption: "A line ends where the solver does not reach the gap within its budget.",
		X:       layout.AxisLabel{Text: c.Layout.Column(dimRows), Log: true},
		Y:       layout.AxisLabel{Text: "seconds", Log: true},
	}
	return c.drawn(f, func(m int) [][]layout.Point {
		var piece []layout.Point
		for _, p := range group {
			if seconds := p.time(m, target); !math.IsInf(seconds, 1) {
				piece = append(piece, layout.Point{X: p.size(), Y: seconds})
			}
		}
		if piece == nil {
			return nil
		}
		return [][]layout.Point{piece}
	})
}

// gapFigure draws the points of each method's first repeat.
func (c *comparison) gapFigure(p *compared, curves map[string][]layout.Point) *layout.Figure {
	f := &layout.Figure{
		Title:   "Gap against time: " + c.Layout.Describe(p.setting),
		Note:    "first repeat of each solver, set-up included; certified gaps of feasible points",
		Caption: fmt.Sprintf("Gaps below %g are drawn there. Solvers without iterates were started again for each tolerance: each mark is a run.", leastGap),
		X:       layout.AxisLabel{Text: "seconds", Log: true},
		Y:       layout.AxisLabel{Text: "relative gap", Log: true},
	}
	return c.drawn(f, func(m int) [][]layout.Point {
		if of := &p.results[m]; of.repeats > 0 && len(curves[of.cells[0]]) > 0 {
			return [][]layout.Point{curves[of.cells[0]]}
		}
		return nil
	})
}
