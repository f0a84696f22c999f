package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// methodStyle differs in colour, dash and marker, so that a figure can be read in grey.
type methodStyle struct {
	label  string
	color  color.RGBA
	dashes []vg.Length
	glyph  draw.GlyphDrawer
	// continuous methods have a solution at every age between the knots of a piece, others only at
	// the knots.
	continuous bool
}

// okabeIto is the palette of Okabe and Ito, "Color Universal Design" (2008), distinct for all
// common kinds of colour vision, without yellow, which is too pale on white.
var okabeIto = []color.RGBA{
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xD5, 0x5E, 0x00, 0xFF}, // vermillion
	{0x00, 0x9E, 0x73, 0xFF}, // bluish green
	{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
	{0x00, 0x00, 0x00, 0xFF}, // black
}

var grey = color.RGBA{0x7F, 0x7F, 0x7F, 0xFF}

var dashPatterns = [][]vg.Length{
	nil,
	{6, 2.5},
	{1.5, 1.5},
	{7, 2, 1.5, 2},
	{10, 3},
	{4, 1.5, 1.5, 1.5, 1.5, 1.5},
	{2.5, 2.5},
}

// methodStyles are the styles of layouts, from 1.
var methodStyles = []methodStyle{
	{color: okabeIto[6], dashes: dashPatterns[2], glyph: draw.SquareGlyph{}},
	{color: okabeIto[4], dashes: dashPatterns[1], glyph: draw.TriangleGlyph{}},
	{color: okabeIto[2], dashes: dashPatterns[3], glyph: draw.PyramidGlyph{}},
	{color: okabeIto[0], dashes: dashPatterns[0], glyph: draw.CircleGlyph{}},
	{color: okabeIto[1], dashes: dashPatterns[4], glyph: draw.RingGlyph{}},
	{color: okabeIto[3], dashes: dashPatterns[5], glyph: draw.BoxGlyph{}},
	{color: okabeIto[5], dashes: dashPatterns[6], glyph: draw.CrossGlyph{}},
	{color: grey, dashes: dashPatterns[6], glyph: draw.PlusGlyph{}},
}

func ownStyle(name string) (style methodStyle, ok bool) {
	info, _ := analysis.MethodInfo(name)
	if ok = info.Style > 0 && info.Style <= len(methodStyles); ok {
		style = methodStyles[info.Style-1]
	}
	style.continuous = info.Continuous
	return style, ok
}

var otherStyles = append(slices.Clone(methodStyles[4:7]), methodStyle{color: grey, dashes: dashPatterns[0], glyph: draw.PlusGlyph{}})

// stylesOf gives methods without a style, and further settings of one method, the other styles in
// order.
func stylesOf(methods []string) []methodStyle {
	styles := make([]methodStyle, len(methods))
	others, taken := 0, map[color.RGBA]bool{}
	for _, method := range methods {
		if own, ok := ownStyle(analysis.MethodName(method)); ok {
			taken[own.color] = true
		}
	}
	labels := analysis.MethodLabels(methods)
	for j, method := range methods {
		name := analysis.MethodName(method)
		own, ok := ownStyle(name)
		if ok && (j == 0 || analysis.MethodName(methods[j-1]) != name) {
			styles[j] = own
		} else {
			for range otherStyles { // not a method's own here
				styles[j] = otherStyles[others%len(otherStyles)]
				others++
				if !taken[styles[j].color] {
					break
				}
			}
			styles[j].continuous = own.continuous
		}
		styles[j].label = labels[j]
	}
	return styles
}

func (m methodStyle) series() seriesStyle {
	return seriesStyle{color: m.color, width: vg.Points(1.4), dashes: m.dashes, glyph: m.glyph, radius: vg.Points(2.6)}
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

// glyphs are the forms of [layout.Mark]; classes have the first five.
var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{},
	draw.CrossGlyph{}, draw.PlusGlyph{}, draw.BoxGlyph{}, strokeGlyph{}, starGlyph{},
}

type strokeGlyph struct{}

func (strokeGlyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.StrokeLine2(draw.LineStyle{Color: style.Color, Width: vg.Points(0.4)}, at.X, at.Y-style.Radius, at.X, at.Y+style.Radius)
}

type starGlyph struct{}

func (starGlyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.SetColor(style.Color)
	var path vg.Path
	for i := range 10 {
		r := style.Radius
		if i%2 == 1 {
			r *= 0.45
		}
		sin, cos := math.Sincos(math.Pi * (0.5 + float64(i)/5))
		p := vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
		if i == 0 {
			path.Move(p)
		} else {
			path.Line(p)
		}
	}
	path.Close()
	c.Fill(path)
}
