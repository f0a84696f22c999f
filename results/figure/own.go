package figure

import (
	"cmp"
	"context"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

type (
	// AxisLabel is [layout.AxisLabel].
	AxisLabel = layout.AxisLabel
	// Point is [layout.Point].
	Point = layout.Point
)

func planOwn(own *layout.Part) []figurePlan {
	if own == nil {
		return nil
	}
	var plans []figurePlan
	for i := range own.Figures {
		f := &own.Figures[i]
		plans = append(plans, figurePlan{kind: Kind(f.Kind), name: f.Name, rows: []*analysis.ScoreRow{{Setting: f.Setting}}, own: f})
	}
	return plans
}

// glyphs are the forms of [layout.Mark]; classes have the first five.
var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{},
	draw.CrossGlyph{}, draw.PlusGlyph{}, draw.BoxGlyph{}, strokeGlyph{},
}

type strokeGlyph struct{}

func (strokeGlyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.StrokeLine2(draw.LineStyle{Color: style.Color, Width: vg.Points(0.4)}, at.X, at.Y-style.Radius, at.X, at.Y+style.Radius)
}

func readOwn(ctx context.Context, own *layout.Part, plans []figurePlan) error {
	cells := map[string]bool{}
	for _, plan := range plans {
		if plan.own != nil {
			for _, cell := range plan.own.Cells {
				cells[cell] = true
			}
		}
	}
	if len(cells) == 0 {
		return nil
	}
	return own.Read(ctx, cells)
}

// ownFigure returns nil and what is missing if there is nothing to draw.
func ownFigure(own *layout.OwnFigure) (*Figure, string) {
	of, missing := own.Draw()
	if of == nil {
		return nil, missing
	}
	f := &Figure{Title: of.Title, Note: of.Note, Caption: of.Caption, X: of.X, Y: of.Y, Rules: of.Rules}
	styles := stylesOf(own.Methods)
	for _, s := range of.Series {
		series := Series{Name: s.Name, Pieces: s.Pieces}
		if s.Style != nil {
			series.style = classStyle(s.Style)
		} else {
			series.Name, series.style = styles[s.Method].label, styles[s.Method].series()
		}
		series.style.markers = s.Most
		f.Series = append(f.Series, series)
	}
	return f, ""
}

func classStyle(of *layout.Style) seriesStyle {
	style := seriesStyle{color: of.Color, bars: of.Bars}
	if of.Color.A == 0 {
		style.color = okabeIto[of.Class%len(okabeIto)]
	}
	if of.Line {
		style.width, style.dashes = vg.Points(cmp.Or(of.Width, 1.2)), dashPatterns[of.Class%len(dashPatterns)]
	}
	if !of.Line || of.Mark != 0 {
		style.glyph, style.radius = glyphs[cmp.Or(int(of.Mark), 1+of.Class%5)-1], vg.Points(cmp.Or(of.Size, 2))
	}
	return style
}
