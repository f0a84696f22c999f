package figure

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/stats"
)

// planScoreCurves takes the middle parameters for each data set, model, regularizer and noise
// level.
func (m *maker) planScoreCurves(table *analysis.ScoreTable) []layout.FigurePlan {
	var plans []layout.FigurePlan
	l := table.Layout
	if l.Path == nil {
		return nil
	}
	parameters := l.Parameters()
	for _, rows := range table.Groups(parameters...) {
		if rows[0].Setting[l.Path.Within].IsNull() {
			continue // no method has ages
		}
		row, note := rows[(len(rows)-1)/2], ""
		if len(rows) > 1 {
			note = fmt.Sprintf("; the middle of %d values of the parameters", len(rows))
		}
		plan := newPlan(ScoreCurve, row.Setting, l.SettingName(rows[0].Setting, parameters...))
		plan.Methods = table.Methods
		for i := range row.Entries {
			for _, sample := range row.Entries[i].Sample {
				plan.Cells = append(plan.Cells, sample.Cell.String())
			}
		}
		plan.Draw = func() (*layout.Figure, string) {
			f := scoreCurveFigure(table, row, m.data, m.scorePaths)
			if f != nil {
				f.Note += note
			}
			return f, l.Path.File() + " has no path that all repeats of a method cover"
		}
		plans = append(plans, plan)
	}
	return plans
}

// scorePath is the test score along the path of one cell, by knot.
type scorePath struct {
	ages   []float64
	scores []float64
	shares []float64 // of the rows in, 0 if unknown
	begins []bool    // whether a knot begins a continuous piece
	falls  bool      // a path down
}

// newScorePath takes ascending ages and returns nil if no knot has a score.
func newScorePath(knots []analysis.Knot) *scorePath {
	p := &scorePath{}
	for _, k := range knots {
		p.falls = k.Down
		if !stats.Finite(k.Score) {
			continue
		}
		p.ages = append(p.ages, k.Age)
		p.scores = append(p.scores, k.Score)
		p.shares = append(p.shares, 100*k.In)
		p.begins = append(p.begins, len(p.begins) == 0 || k.Begins)
	}
	if len(p.ages) == 0 {
		return nil
	}
	return p
}

// after returns the score just after an age, interpolated between the knots of a continuous path,
// otherwise that of the last knot, and the share, which changes at knots only.
func (p *scorePath) after(age float64, continuous bool) (score, share float64) {
	i := sort.Search(len(p.ages), func(i int) bool { return p.ages[i] > age }) - 1
	return p.between(i, age, continuous)
}

func (p *scorePath) before(age float64, continuous bool) (score, share float64) {
	i := sort.SearchFloat64s(p.ages, age) - 1
	if i < 0 {
		return p.scores[0], p.shares[0]
	}
	return p.between(i, age, continuous)
}

func (p *scorePath) between(i int, age float64, continuous bool) (score, share float64) {
	next := i + 1
	if !continuous || next == len(p.ages) || p.begins[next] || p.ages[next] == p.ages[i] {
		return p.scores[i], p.shares[i]
	}
	t := (age - p.ages[i]) / (p.ages[next] - p.ages[i])
	score = p.scores[i] + t*(p.scores[next]-p.scores[i])
	if p.falls {
		return score, p.shares[next]
	}
	return score, p.shares[i]
}

// curvePoints is the approximate number of points of a mean curve and the maximum number of its
// pieces: more are indistinguishable on paper.
const curvePoints = 400

// meanCurve returns, in continuous pieces, the mean score with the standard deviation as its band,
// and the range of ages covered by all paths. There are no pieces if the range is empty. Beyond
// curvePoints breaks, a piece is straight between two of them.
func meanCurve(paths []*scorePath, continuous bool) (pieces [][]layout.Point, lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	for _, p := range paths {
		lo, hi = max(lo, p.ages[0]), min(hi, p.ages[len(p.ages)-1])
	}
	if !(lo < hi) || len(paths) == 0 {
		return nil, lo, hi
	}
	breaks := []float64{lo, hi} // and between them the ages at which a score is discontinuous
	for _, p := range paths {
		for i, age := range p.ages {
			if (p.begins[i] || !continuous) && lo < age && age < hi {
				breaks = append(breaks, age)
			}
		}
	}
	slices.Sort(breaks)
	breaks = slices.Compact(breaks)
	var grid []float64
	if n := len(breaks); n > curvePoints {
		for i := range curvePoints {
			breaks[i] = breaks[i*(n-1)/(curvePoints-1)]
		}
		breaks = breaks[:curvePoints]
	} else if continuous {
		grid = ageGrid(lo, hi)
	}
	mean := func(age float64, side func(*scorePath, float64, bool) (score, share float64)) layout.Point {
		scores, shares := make([]float64, len(paths)), make([]float64, len(paths))
		for k, p := range paths {
			scores[k], shares[k] = side(p, age, continuous)
		}
		s := analysis.Summarize(scores)
		return layout.Point{X: age, Y: s.Mean, Band: s.Std, Lower: analysis.Summarize(shares).Mean}
	}
	for i, from := range breaks[:len(breaks)-1] {
		to := breaks[i+1]
		piece := []layout.Point{mean(from, (*scorePath).after)}
		for ; len(grid) > 0 && grid[0] < to; grid = grid[1:] {
			if grid[0] > from {
				piece = append(piece, mean(grid[0], (*scorePath).after))
			}
		}
		pieces = append(pieces, append(piece, mean(to, (*scorePath).before)))
	}
	return pieces, lo, hi
}

func ageGrid(lo, hi float64) []float64 {
	grid := make([]float64, curvePoints)
	for i := range grid {
		t := float64(i) / (curvePoints - 1)
		grid[i] = lo + t*(hi-lo)
		if layout.SpansDecade(lo, hi) {
			grid[i] = lo * math.Pow(hi/lo, t)
		}
	}
	return grid
}

// scoreCurveFigure draws a curve for each method with paths, two of both directions with the shares of
// the rows in, and a horizontal line for each without; nil if no method has a path.
func scoreCurveFigure(table *analysis.ScoreTable, row *analysis.ScoreRow, data *analysis.DataFacts, paths func(*analysis.ScoreEntry) [2][]*scorePath) *layout.Figure {
	f := &layout.Figure{
		Title: table.Layout.Path.Curve + ": " + table.Layout.Describe(row.Setting),
		Y:     layout.AxisLabel{Text: data.ScoreLabel(table.Metric, "")},
	}
	styles := stylesOf(table.Methods)
	level := map[int]analysis.Summary{} // methods without ages
	lowest, highest := math.Inf(1), math.Inf(-1)
	var (
		counts  []int // repeats of each curve
		choices []layout.Series
	)
	for j := range row.Entries {
		entry := &row.Entries[j]
		found := paths(entry)
		if len(found[0])+len(found[1]) == 0 {
			method, _ := analysis.MethodInfo(analysis.MethodName(table.Methods[j]))
			if s := entry.Summary[analysis.TestAtEnd]; s.N > 0 && method.Reference {
				level[len(f.Series)] = s
				f.Series = append(f.Series, layout.Series{Method: j})
				counts = append(counts, s.N)
			}
			continue
		}
		from, to, names := math.Inf(1), math.Inf(-1), []string{""}
		if len(found[1]) > 0 {
			names, f.Lower.Text = []string{", up", ", down"}, table.Layout.Path.Share
		}
		for way, name := range names {
			pieces, lo, hi := meanCurve(found[way], styles[j].continuous)
			if pieces == nil {
				continue
			}
			from, to = min(from, lo), max(to, hi)
			f.Series = append(f.Series, layout.Series{Name: name, Method: j, Pieces: pieces, Most: 12, Steps: !styles[j].continuous, Dashed: way > 0})
			counts = append(counts, len(found[way]))
		}
		lowest, highest = min(lowest, from), max(highest, to)
		if marks := chosenAges(entry, from, to); len(marks) > 0 {
			style := &layout.Style{Color: styles[j].color, Line: true, Mark: layout.Star, Size: 4.5, Width: 2} // above all lines
			choices = append(choices, layout.Series{Name: styles[j].label + ", age by validation", Method: j, Pieces: marks, Style: style})
		}
	}
	if len(level) == len(f.Series) {
		return nil
	}
	if floor := row.Floor; floor != nil && floor.Summary[table.Lead()].N > 0 {
		level[len(f.Series)] = floor.Summary[table.Lead()]
		f.Series = append(f.Series, layout.Series{
			Name: analysis.MethodLabel(table.Layout.Floor.Method), Method: -1, Style: &layout.Style{Class: 1, Color: grey, Line: true},
		})
	}
	for i, s := range level {
		f.Series[i].Pieces = [][]layout.Point{{{X: lowest, Y: s.Mean}, {X: highest, Y: s.Mean}}}
	}
	f.Series = append(f.Series, choices...)
	f.X = layout.AxisLabel{Text: table.Layout.Path.Label, Log: layout.SpansDecade(lowest, highest)}
	f.Note = data.SizesOf(row.Setting) + prose.MeanOver("mean ± standard deviation", repeatsOf(counts, row.Repeats))
	f.Caption = fmt.Sprintf("Over what all complete cells of a method have of the %s.", table.Layout.Step.Word)
	return f
}

// chosenAges returns the age chosen by validation in each repeat, with its test score.
func chosenAges(entry *analysis.ScoreEntry, lo, hi float64) (marks [][]layout.Point) {
	for _, sample := range entry.Sample {
		age, score := sample.Step[0], sample.Score[analysis.TestAtBestValidation]
		if lo <= age && age <= hi && stats.Finite(score) {
			marks = append(marks, []layout.Point{{X: age, Y: score}})
		}
	}
	return marks
}
