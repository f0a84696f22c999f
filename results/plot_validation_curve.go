package results

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

// planValidationCurves lists a figure for each data set, model, regularizer and noise
// level, at the middle one of the model's parameters.
func planValidationCurves(table *ScoreTable) []figurePlan {
	var plans []figurePlan
	for _, rows := range groupRows(table, parameters...) {
		if rows[0].Setting[DimRegularizer].IsNull() {
			continue // none of its methods has ages
		}
		middle := (len(rows) - 1) / 2
		plan := figurePlan{
			kind:  ValidationFigure,
			name:  slug(string(ValidationFigure), settingName(rows[0].Setting, parameters...)),
			table: table, rows: rows[middle : middle+1],
		}
		if len(rows) > 1 {
			plan.of = fmt.Sprintf("the middle of %d values of the parameters", len(rows))
		}
		plans = append(plans, plan)
	}
	return plans
}

// scorePath is the test score along the path of one cell: its knots, in the
// order of the path.
type scorePath struct {
	ages   []float64
	scores []float64
	begins []bool // whether a knot begins a continuous piece, as the first does
}

// after returns the score just after the given age, which must lie on the
// path. Between the knots of a piece it is interpolated for a continuous
// path, else it is that of the last knot.
func (p *scorePath) after(age float64, continuous bool) float64 {
	i := sort.Search(len(p.ages), func(i int) bool { return p.ages[i] > age }) - 1
	return p.between(i, age, continuous)
}

// before returns the score just before the given age.
func (p *scorePath) before(age float64, continuous bool) float64 {
	i := sort.SearchFloat64s(p.ages, age) - 1
	if i < 0 {
		return p.scores[0]
	}
	return p.between(i, age, continuous)
}

// between evaluates the path at an age from knot i on, at most up to the next
// knot.
func (p *scorePath) between(i int, age float64, continuous bool) float64 {
	next := i + 1
	if !continuous || next == len(p.ages) || p.begins[next] || p.ages[next] == p.ages[i] {
		return p.scores[i]
	}
	t := (age - p.ages[i]) / (p.ages[next] - p.ages[i])
	return p.scores[i] + t*(p.scores[next]-p.scores[i])
}

// breaks appends the ages between lo and hi at which the score is not
// continuous.
func (p *scorePath) breaks(ages []float64, continuous bool, lo, hi float64) []float64 {
	add := func(age float64) {
		if lo < age && age < hi {
			ages = append(ages, age)
		}
	}
	for i, age := range p.ages {
		if p.begins[i] || !continuous {
			add(age)
		}
	}
	return ages
}

// A mean curve has about so many points, and no more pieces than that: more
// cannot be told apart on paper.
const curvePoints = 400

// meanCurve returns the mean score over paths at the ages that all of them
// cover, in continuous pieces, and that range; no pieces when it is empty.
// Beyond curvePoints breaks, a piece is straight between two of them.
func meanCurve(paths []*scorePath, continuous bool) (pieces [][]Point, lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	for _, p := range paths {
		lo, hi = max(lo, p.ages[0]), min(hi, p.ages[len(p.ages)-1])
	}
	if len(paths) == 0 || !(lo < hi) {
		return nil, lo, hi
	}
	var breaks []float64
	for _, p := range paths {
		breaks = p.breaks(breaks, continuous, lo, hi)
	}
	slices.Sort(breaks)
	breaks = slices.Compact(append(append([]float64{lo}, breaks...), hi))
	var grid []float64
	if len(breaks) > curvePoints {
		breaks = thin(breaks, curvePoints)
	} else if continuous {
		grid = ageGrid(lo, hi)
	}
	mean := func(age float64, side func(*scorePath, float64, bool) float64) Point {
		sum := 0.0
		for _, p := range paths {
			sum += side(p, age, continuous)
		}
		return Point{X: age, Y: sum / float64(len(paths))}
	}
	for i, from := range breaks[:len(breaks)-1] {
		to := breaks[i+1]
		piece := []Point{mean(from, (*scorePath).after)}
		for ; len(grid) > 0 && grid[0] < to; grid = grid[1:] {
			if grid[0] > from {
				piece = append(piece, mean(grid[0], (*scorePath).after))
			}
		}
		pieces = append(pieces, append(piece, mean(to, (*scorePath).before)))
	}
	return pieces, lo, hi
}

// thin keeps the first, the last and evenly many of the ages between.
func thin(ages []float64, n int) []float64 {
	kept := make([]float64, 0, n)
	for i := range n {
		kept = append(kept, ages[i*(len(ages)-1)/(n-1)])
	}
	return kept
}

// ageGrid returns the ages at which a continuous curve is evaluated, evenly
// on the axis.
func ageGrid(lo, hi float64) []float64 {
	grid := make([]float64, curvePoints)
	for i := range grid {
		t := float64(i) / (curvePoints - 1)
		if spansDecade(lo, hi) {
			grid[i] = lo * math.Pow(hi/lo, t)
		} else {
			grid[i] = lo + t*(hi-lo)
		}
	}
	return grid
}

// validationCurveFigure draws the mean test score against age, a line for each
// method that has paths and a level line for each that has not. It returns
// nil when no method has a path.
func validationCurveFigure(plan figurePlan, data *dataFacts, paths func(*ScoreEntry) []*scorePath) *Figure {
	row := plan.rows[0]
	f := &Figure{
		Kind:  plan.kind,
		Name:  plan.name,
		Title: "Validation curve: " + describe(row.Setting),
		Y:     AxisLabel{Text: data.scoreLabel(plan.table.Metric, "")},
	}
	styles := methodStylesOf(plan.table.Methods)
	level := map[int]Summary{} // methods without ages
	lowest, highest := math.Inf(1), math.Inf(-1)
	var counts []repeatCount
	for j := range row.Entries {
		entry := &row.Entries[j]
		found := paths(entry)
		if len(found) == 0 {
			if s := entry.Summary[TestAtEnd]; s.N > 0 && styles[j].method == "original" {
				level[len(f.Series)] = s
				f.Series = append(f.Series, Series{Name: styles[j].label, style: styles[j].series()})
				counts = append(counts, repeatCount{styles[j].label, s.N})
			}
			continue
		}
		pieces, lo, hi := meanCurve(found, styles[j].continuous)
		if pieces == nil {
			continue
		}
		lowest, highest = min(lowest, lo), max(highest, hi)
		s := Series{Name: styles[j].label, Pieces: pieces, style: styles[j].series()}
		s.style.markers = 12
		if !styles[j].continuous { // dashes would not be told from steps
			s.style.dashes, s.style.steps = nil, true
		}
		f.Series = append(f.Series, s)
		counts = append(counts, repeatCount{styles[j].label, len(found)})
	}
	if len(level) == len(f.Series) {
		return nil
	}
	for i, s := range level {
		f.Series[i].Pieces = [][]Point{{{X: lowest, Y: s.Mean}, {X: highest, Y: s.Mean}}}
	}
	f.X = AxisLabel{Text: "age λ", Log: spansDecade(lowest, highest)}
	f.Note = data.sizesOf(row.Setting) + meanOver("mean", repeatCounts(counts))
	if plan.of != "" {
		f.Note += "; " + plan.of
	}
	f.Caption = "Each curve covers the ages that all of its repeats have. " +
		"Where a path jumps the curve is not joined; between its knots the score is interpolated. ACS, which knows no age between its steps, holds the last one."
	return f
}

// repeatCount is over how many repeats a curve is a mean.
type repeatCount struct {
	label string
	n     int
}

// meanOver says what the points are, and over which repeats.
func meanOver(what, repeats string) string {
	if repeats == plural(1, "repeat") {
		return repeats
	}
	return what + " over " + repeats
}

// repeatCounts says over how many repeats curves are means, of each where
// they differ.
func repeatCounts(counts []repeatCount) string {
	parts := make([]string, len(counts))
	same := true
	for i, c := range counts {
		parts[i] = fmt.Sprintf("%s %d", c.label, c.n)
		same = same && c.n == counts[0].n
	}
	if same {
		return plural(counts[0].n, "repeat")
	}
	return "repeats (" + strings.Join(parts, ", ") + ")"
}
