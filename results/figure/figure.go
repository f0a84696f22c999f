// Package figure selects the plots for a run's tables and writes each, with its numbers, as SVG,
// PNG and comma-separated values.
package figure

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"regexp"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
)

// Kinds of figures, with which their file names begin.
const (
	Sensitivity = "sensitivity" // score against a parameter or the noise
	ScoreCurve  = "score-curve" // score against age
	Ranks       = "ranks"       // critical-difference diagram
)

// Kinds lists the figures of a kind of experiment in the order of a report, its own last.
func Kinds(l *layout.Layout) []string {
	list := []string{Ranks, Sensitivity, ScoreCurve}
	if l.Own != nil {
		list = append(list, l.Own.Figures...)
	}
	return list
}

// Figure is one plot as data.
type Figure struct {
	layout.Figure

	Kind string // one of Kinds
	Name string // without extension

	styles  []seriesStyle // of series
	ranking *rankDiagram  // of a Ranks figure
}

type seriesStyle struct {
	color   color.RGBA
	width   vg.Length
	dashes  []vg.Length
	glyph   draw.GlyphDrawer
	radius  vg.Length
	markers int  // at most; 0 for all
	steps   bool // markers only where pieces begin
	bars    bool // histogram: each point begins a bin, the last ends it
}

// New returns a figure whose series have their styles, and those of methods their names.
func New(plan *layout.FigurePlan, of *layout.Figure) *Figure {
	f := &Figure{Figure: *of, Kind: plan.Kind, Name: plan.Name}
	methods := stylesOf(plan.Methods)
	for i := range f.Series {
		s := &f.Series[i]
		style := seriesStyle{}
		if s.Style != nil {
			style = classStyle(s.Style)
		} else {
			s.Name, style = methods[s.Method].label+s.Name, methods[s.Method].series()
		}
		if style.markers, style.steps = s.Most, s.Steps; s.Steps { // dashes would look like steps
			style.dashes = nil
		}
		if s.Dashed {
			style.dashes, style.glyph = dashPatterns[6], nil
		}
		f.styles = append(f.styles, style)
	}
	return f
}

// CSV returns series, piece, x, y, the half height of the band and, if there is one, y in the lower
// panel; of a [Ranks] the mean ranks.
func (f *Figure) CSV() ([]byte, error) {
	if f.ranking != nil {
		return f.ranking.csv()
	}
	var buf bytes.Buffer
	out := results.NewCSV(&buf)
	n := 5 + min(1, len(f.Lower.Text))
	out.Add([]any{"series", "piece", f.X.Text, f.Y.Text, "std", f.Lower.Text}[:n]...)
	for _, s := range f.Series {
		for i, piece := range s.Pieces {
			for _, p := range piece {
				var x any = p.X
				if f.X.Names != nil {
					x = f.X.Names[int(p.X)]
				}
				out.Add([]any{s.Name, i, x, p.Y, cmp.Or(p.Band, math.NaN()), cmp.Or(p.Lower, math.NaN())}[:n]...)
			}
		}
	}
	err := out.Flush()
	return buf.Bytes(), err
}

// svgCanvas keeps the laid-out width of texts in every font, so that none is cut off or overlaps.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length // in drawing order
}

func (c *svgCanvas) FillString(face font.Face, at vg.Point, words string) {
	c.widths = append(c.widths, face.Width(words))
	c.Canvas.FillString(face, at, words)
}

const svgFamilies = ";font-family:&#39;Liberation Sans&#39;,Arial,Helvetica,sans-serif"

var svgText = regexp.MustCompile(`<text ([^>]*style="[^"]*)"`)

func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var plain bytes.Buffer
	if _, err := c.Canvas.WriteTo(&plain); err != nil {
		return 0, err
	}
	widths := c.widths
	if n := len(svgText.FindAllIndex(plain.Bytes(), -1)); n != len(widths) {
		return 0, fmt.Errorf("SVG: %d texts, not the %d that were drawn", n, len(widths))
	}
	n, err := w.Write(svgText.ReplaceAllFunc(plain.Bytes(), func(text []byte) []byte {
		width := widths[0].Points()
		widths = widths[1:]
		return svgText.ReplaceAll(text, fmt.Appendf(nil, `<text textLength="%.5g" lengthAdjust="spacingAndGlyphs" ${1}%s"`, width, svgFamilies))
	}))
	return int64(n), err
}
