package figure

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/stats"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// AgePath is the path of the coefficients of one cell, by knot.
type AgePath struct {
	Ages   []float64
	Events []string    // as in knots.arrow
	Values [][]float64 // the last is the intercept, not drawn
	Names  []string    // without the intercept; nil for "feature 0", "feature 1", ...
}

func (p *AgePath) check() error {
	n := len(p.Ages)
	if n == 0 || len(p.Events) != n || len(p.Values) != n {
		return fmt.Errorf("%d ages, %d events and %d rows of values; there must be as many of each, and at least one",
			n, len(p.Events), len(p.Values))
	}
	width := len(p.Values[0])
	if width < 2 || p.Names != nil && len(p.Names) != width-1 {
		return fmt.Errorf("%d values at a knot and %d names; there must be a coefficient and the intercept, and a name for each but the intercept",
			width, len(p.Names))
	}
	for i, values := range p.Values {
		if len(values) != width {
			return fmt.Errorf("knot %d has %d values, knot 0 has %d", i, len(values), width)
		}
		for _, x := range append(values[:width:width], p.Ages[i]) {
			if !stats.Finite(x) {
				return fmt.Errorf("knot %d has a value that is not finite", i)
			}
		}
	}
	return nil
}

const (
	namedCoefficients = 7 // the palette's colours
	greyCoefficients  = 60
	pathPoints        = 40_000
	jumpRules         = 60 // more lines would hide the curves
)

// NewPathFigure draws the coefficients against age: the largest by name, the others in grey. Marks
// below show critical points: a stroke for a turn; for a jump a triangle with a line through the
// curves, or a coloured stroke if there are many. The caller sets kind, name, title and note.
func NewPathFigure(path AgePath) (*Figure, error) {
	if err := path.check(); err != nil {
		return nil, fmt.Errorf("age path: %w", err)
	}
	f := &Figure{}
	f.X = AxisLabel{Text: "age λ", Log: spansDecade(path.Ages[0], path.Ages[len(path.Ages)-1])}
	f.Y = AxisLabel{Text: "coefficient of the scaled feature"}
	order, sizes := path.bySize()
	nonzero := 0
	for _, j := range order {
		if sizes[j] > 0 {
			nonzero++
		}
	}
	named := min(namedCoefficients, nonzero)
	grey := min(nonzero-named, greyCoefficients, max(0, pathPoints/len(path.Ages)-named))
	if nonzero == 0 {
		return nil, errors.New("age path: every coefficient is 0 at every knot")
	}
	for i, j := range order[:named] {
		f.Series = append(f.Series, Series{
			Name:   path.name(j),
			Pieces: path.pieces(j),
			style:  seriesStyle{color: okabeIto[i], width: 1.2, dashes: dashPatterns[i]},
		})
	}
	if grey > 0 {
		others := Series{
			Name:  fmt.Sprintf("%d smaller", grey),
			style: seriesStyle{color: color.RGBA{0xB4, 0xB4, 0xB4, 0xFF}, width: 0.6},
		}
		for _, j := range order[named : named+grey] {
			others.Pieces = append(others.Pieces, path.pieces(j)...)
		}
		f.Series = append(f.Series, others)
	}
	f.Caption = notDrawn(nonzero-named-grey, len(sizes)-nonzero)
	path.markEvents(f)
	return f, nil
}

func notDrawn(smaller, zero int) string {
	var parts []string
	if smaller > 0 {
		parts = append(parts, prose.Plural(smaller, "smaller coefficient"))
	}
	if zero > 0 {
		parts = append(parts, prose.Plural(zero, "coefficient")+", 0 at every knot")
	}
	if len(parts) == 0 {
		return ""
	}
	return "Not drawn: " + strings.Join(parts, " and ") + ". "
}

// bySize orders the coefficients by their largest absolute value and returns these.
func (p *AgePath) bySize() (order []int, sizes []float64) {
	sizes = make([]float64, len(p.Values[0])-1)
	for _, values := range p.Values {
		for j := range sizes {
			sizes[j] = max(sizes[j], math.Abs(values[j]))
		}
	}
	return stats.Order(len(sizes), func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) }), sizes
}

func (p *AgePath) name(j int) string {
	if p.Names != nil {
		return p.Names[j]
	}
	return fmt.Sprintf("feature %d", j)
}

func (p *AgePath) pieces(j int) [][]Point {
	var pieces [][]Point
	for i, event := range p.Events {
		if i == 0 || event == eventStart {
			pieces = append(pieces, nil)
		}
		last := &pieces[len(pieces)-1]
		*last = append(*last, Point{X: p.Ages[i], Y: p.Values[i][j]})
	}
	return pieces
}

func (p *AgePath) markEvents(f *Figure) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range f.Series {
		for _, piece := range s.Pieces {
			for _, point := range piece {
				lo, hi = min(lo, point.Y), max(hi, point.Y)
			}
		}
	}
	turnsAt, jumpsAt := lo-0.06*(hi-lo), lo-0.11*(hi-lo)
	var turns, jumps []Point
	for i, event := range p.Events {
		switch event {
		case eventTurning:
			turns = append(turns, Point{X: p.Ages[i], Y: turnsAt})
		case eventJump:
			jumps = append(jumps, Point{X: p.Ages[i], Y: jumpsAt})
		}
	}
	if len(jumps) <= jumpRules {
		for _, jump := range jumps {
			f.Rules = append(f.Rules, jump.X)
		}
	}
	mark := func(noun string, points []Point, style seriesStyle) {
		if len(points) > 0 {
			f.Series = append(f.Series, Series{Name: prose.Plural(len(points), noun), Pieces: [][]Point{points}, style: style})
		}
	}
	mark("turning point", turns, seriesStyle{color: color.RGBA{0x40, 0x40, 0x40, 0xFF}, glyph: strokeGlyph{}, radius: 3})
	style := seriesStyle{color: okabeIto[1], glyph: strokeGlyph{}, radius: 3}
	if len(jumps) <= jumpRules {
		style.glyph, style.radius = draw.PyramidGlyph{}, 2.6
	}
	mark("jump", jumps, style)
}

// strokeGlyph is a hairline, which shows the density of thousands.
type strokeGlyph struct{}

func (strokeGlyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.StrokeLine2(draw.LineStyle{Color: style.Color, Width: vg.Points(0.4)}, at.X, at.Y-style.Radius, at.X, at.Y+style.Radius)
}

// planPaths takes the highest noise level and the middle parameters for each data set, model and
// regularizer with a path.
func planPaths(table *analysis.ScoreTable) []figurePlan {
	l := table.Layout
	if l.Path == nil || l.Path.Main == "" {
		return nil
	}
	method := slices.Index(table.Methods, l.Path.Main)
	if method < 0 {
		return nil
	}
	var noise []layout.Dimension
	for _, axis := range l.Sensitivity {
		if axis.Kind != layout.Dataset {
			noise = append(noise, axis.Kind, axis.Dimension)
		}
	}
	free := slices.Concat(noise, l.Parameters())
	var plans []figurePlan
	for _, rows := range table.Groups(free...) {
		rows = slices.DeleteFunc(rows, func(r *analysis.ScoreRow) bool { return r.Entries[method].Failed == r.Entries[method].Cells })
		if len(rows) == 0 {
			continue
		}
		last := rows[len(rows)-1].Setting // sorted by noise
		rows = slices.DeleteFunc(rows, func(r *analysis.ScoreRow) bool {
			return slices.ContainsFunc(noise, func(d layout.Dimension) bool { return r.Setting[d] != last[d] })
		})
		middle := (len(rows) - 1) / 2
		kinds := []Kind{Path, Events}
		if acs := slices.IndexFunc(table.Methods, func(m string) bool { return analysis.MethodName(m) == l.Path.Steps }); acs >= 0 && rows[middle].Entries[acs].Cells > 0 {
			kinds = append(kinds, Consistency)
		}
		for _, kind := range kinds {
			plans = append(plans, newPlan(kind, table, rows[middle:middle+1], l.SettingName(last, free...)))
		}
	}
	return plans
}
