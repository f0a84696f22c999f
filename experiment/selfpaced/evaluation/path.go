package evaluation

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/stats"
)

// The events that figures mark.
const (
	eventTurning = "turning"
	eventJump    = "jump"
)

// agePath is the path of the coefficients of one cell, by knot.
type agePath struct {
	ages   []float64
	events []string    // as in knots.arrow
	begins []bool      // a continuous piece
	values [][]float64 // the last is the intercept, not drawn
	names  []string    // without the intercept; nil for "feature 0", "feature 1", ...
}

// width is the number of coefficients.
func (p *agePath) width() int { return len(p.values[0]) - 1 }

// fault says why a path of at least one knot cannot be drawn, "" if it can.
func (p *agePath) fault() string {
	if p.width() < 1 {
		return "knot 0 has no coefficient next to the intercept"
	}
	for i, values := range p.values {
		if len(values) != len(p.values[0]) {
			return fmt.Sprintf("knot %d has %d values, knot 0 has %d", i, len(values), len(p.values[0]))
		}
		for _, x := range append(slices.Clip(values), p.ages[i]) {
			if !stats.Finite(x) {
				return fmt.Sprintf("knot %d has a value that is not finite", i)
			}
		}
	}
	return ""
}

const (
	namedCoefficients = 7 // the palette's colours
	greyCoefficients  = 60
	pathPoints        = 40_000
	jumpRules         = 60 // more lines would hide the curves
)

// figure draws the coefficients against age: the largest by name, the others in grey. Marks below
// show critical points: a stroke for a turn; for a jump a triangle with a line through the curves,
// or a coloured stroke if there are many. It is nil if every coefficient is 0.
func (p *agePath) figure() *layout.Figure {
	f := p.axes()
	order, sizes := p.bySize()
	nonzero := 0
	for _, j := range order {
		if sizes[j] > 0 {
			nonzero++
		}
	}
	named := min(namedCoefficients, nonzero)
	grey := min(nonzero-named, greyCoefficients, max(0, pathPoints/len(p.ages)-named))
	if nonzero == 0 {
		return nil
	}
	for i, j := range order[:named] {
		f.Series = append(f.Series, layout.Series{Name: p.name(j), Pieces: p.pieces(j), Style: &layout.Style{Class: i, Line: true}})
	}
	if grey > 0 {
		others := layout.Series{
			Name:  fmt.Sprintf("%d smaller", grey),
			Style: &layout.Style{Line: true, Width: 0.6, Color: color.RGBA{0xB4, 0xB4, 0xB4, 0xFF}},
		}
		for _, j := range order[named : named+grey] {
			others.Pieces = append(others.Pieces, p.pieces(j)...)
		}
		f.Series = append(f.Series, others)
	}
	f.Caption = notDrawn(nonzero-named-grey, len(sizes)-nonzero)
	p.markEvents(f)
	return f
}

func (p *agePath) axes() *layout.Figure {
	return &layout.Figure{
		X: layout.AxisLabel{Text: selfpaced.Layout.Path.Label, Log: layout.SpansDecade(p.ages[0], p.ages[len(p.ages)-1])},
		Y: layout.AxisLabel{Text: "coefficient of the scaled feature"},
	}
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
func (p *agePath) bySize() (order []int, sizes []float64) {
	sizes = make([]float64, p.width())
	for _, values := range p.values {
		for j := range sizes {
			sizes[j] = max(sizes[j], math.Abs(values[j]))
		}
	}
	return stats.Order(len(sizes), func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) }), sizes
}

func (p *agePath) name(j int) string {
	if p.names != nil {
		return p.names[j]
	}
	return fmt.Sprintf("feature %d", j)
}

func (p *agePath) pieces(j int) [][]layout.Point {
	var pieces [][]layout.Point
	for i, begins := range p.begins {
		if begins {
			pieces = append(pieces, nil)
		}
		last := &pieces[len(pieces)-1]
		*last = append(*last, layout.Point{X: p.ages[i], Y: p.values[i][j]})
	}
	return pieces
}

func (p *agePath) markEvents(f *layout.Figure) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range f.Series {
		for _, piece := range s.Pieces {
			for _, point := range piece {
				lo, hi = min(lo, point.Y), max(hi, point.Y)
			}
		}
	}
	turnsAt, jumpsAt := lo-0.06*(hi-lo), lo-0.11*(hi-lo)
	var turns, jumps []layout.Point
	for i, event := range p.events {
		switch event {
		case eventTurning:
			turns = append(turns, layout.Point{X: p.ages[i], Y: turnsAt})
		case eventJump:
			jumps = append(jumps, layout.Point{X: p.ages[i], Y: jumpsAt})
		}
	}
	jump := &layout.Style{Class: 1, Mark: layout.Stroke, Size: 3}
	if len(jumps) <= jumpRules {
		jump.Mark, jump.Size = layout.Pyramid, 2.6
		for _, at := range jumps {
			f.Rules = append(f.Rules, at.X)
		}
	}
	mark := func(noun string, points []layout.Point, style *layout.Style) {
		if len(points) > 0 {
			f.Series = append(f.Series, layout.Series{Name: prose.Plural(len(points), noun), Pieces: [][]layout.Point{points}, Style: style})
		}
	}
	mark("turning point", turns, &layout.Style{Color: color.RGBA{0x40, 0x40, 0x40, 0xFF}, Mark: layout.Stroke, Size: 3})
	mark("jump", jumps, jump)
}

// consistencyPoints limits the drawn ages of alternate convex search.
const consistencyPoints = 40

var consistencyMarks = []layout.Mark{layout.Ring, layout.Square, layout.Triangle, layout.Cross, layout.Plus, layout.Box, layout.Pyramid}

// consistencyFigure draws the largest coefficients of the age path as lines, and those of alternate
// convex search as markers; nil if they have no age in common.
func (p *agePath) consistencyFigure(steps *agePath) *layout.Figure {
	f := p.axes()
	labels := analysis.MethodLabels([]string{selfpaced.GAGA, selfpaced.ACS})
	order, sizes := p.bySize()
	for i, j := range order[:min(namedCoefficients, len(order))] {
		if sizes[j] == 0 {
			break
		}
		points := make([]layout.Point, len(steps.ages))
		for k, age := range steps.ages {
			points[k] = layout.Point{X: age, Y: steps.values[k][j]}
		}
		f.Series = append(f.Series,
			layout.Series{Name: labels[0] + ", " + p.name(j), Pieces: p.pieces(j), Style: &layout.Style{Class: i, Line: true}},
			layout.Series{
				Name: labels[1] + ", " + p.name(j), Pieces: [][]layout.Point{points}, Most: consistencyPoints,
				Style: &layout.Style{Class: i, Mark: consistencyMarks[i], Size: 2.4},
			})
	}
	far, all := p.distances(steps, order, sizes)
	if all == 0 || len(f.Series) == 0 {
		return nil
	}
	f.Note = fmt.Sprintf("%s is on the path at %d of %d ages", labels[1], all-far, all)
	f.Caption = fmt.Sprintf("%s is on the path where no coefficient differs by more than 1 %% of the largest; at most %d ages are drawn. ", labels[1], consistencyPoints)
	return f
}

// distances counts the ages of steps on the path, and those at which some coefficient differs by
// more than a hundredth of the largest.
func (p *agePath) distances(steps *agePath, order []int, sizes []float64) (far, all int) {
	for k, age := range steps.ages {
		i := sort.Search(len(p.ages), func(i int) bool { return p.ages[i] > age }) - 1
		if i < 0 || age > p.ages[len(p.ages)-1] {
			continue
		}
		all++
		t := 0.0
		if i+1 < len(p.ages) && !p.begins[i+1] && p.ages[i+1] > p.ages[i] {
			t = (age - p.ages[i]) / (p.ages[i+1] - p.ages[i])
		}
		for j := range sizes {
			at := p.values[i][j]
			if t > 0 {
				at += t * (p.values[i+1][j] - at)
			}
			if math.Abs(at-steps.values[k][j]) > 0.01*sizes[order[0]] {
				far++
				break
			}
		}
	}
	return far, all
}
