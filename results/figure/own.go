package figure

import (
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

var classGlyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}}

// mostMarkers limits the marks on a line of a kind's own figures.
const mostMarkers = 12

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

// ownFigure returns nil if there is nothing to draw.
func ownFigure(own *layout.OwnFigure, methods []string) *Figure {
	of := own.Draw()
	if of == nil {
		return nil
	}
	f := &Figure{Title: of.Title, Note: of.Note, Caption: of.Caption, X: of.X, Y: of.Y}
	styles := stylesOf(methods)
	for _, s := range of.Series {
		series := Series{Name: s.Name, Pieces: s.Pieces}
		if s.Style != nil {
			series.style = classStyle(s.Style)
		} else {
			series.Name, series.style = styles[s.Method].label, styles[s.Method].series()
			series.style.markers = mostMarkers
		}
		f.Series = append(f.Series, series)
	}
	return f
}

func classStyle(of *layout.Style) seriesStyle {
	style := seriesStyle{color: of.Color}
	if of.Color.A == 0 {
		style.color = okabeIto[of.Class%len(okabeIto)]
	}
	if of.Line {
		style.width, style.dashes = vg.Points(1.2), dashPatterns[of.Class%len(dashPatterns)]
	} else {
		style.glyph, style.radius = classGlyphs[of.Class%len(classGlyphs)], vg.Points(2)
	}
	return style
}
