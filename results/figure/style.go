package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
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

// otherStyle returns the styles of methods without one in their order: those of layouts, then their
// colours with the marks of others, so that no two have both the same.
func otherStyle(n int) methodStyle {
	k := len(methodStyles)
	style, turn := methodStyles[n%k], n/k%k
	style.glyph, style.dashes = methodStyles[(n+turn)%k].glyph, methodStyles[(n+3*turn)%k].dashes
	return style
}

// stylesOf gives methods without a style, and further settings of one method, the first other styles
// whose colours, or as soon as all are taken whose marks, differ from all.
func stylesOf(methods []string) []methodStyle {
	styles, labels := make([]methodStyle, len(methods)), analysis.MethodLabels(methods)
	taken := func(alike func(a *methodStyle) bool) bool {
		return slices.ContainsFunc(styles, func(s methodStyle) bool { return s.glyph != nil && alike(&s) })
	}
	var open []int
	for j, method := range methods {
		name := analysis.MethodName(method)
		info, _ := analysis.MethodInfo(name)
		if further := j > 0 && analysis.MethodName(methods[j-1]) == name; !further && info.Style > 0 && info.Style <= len(methodStyles) {
			styles[j] = methodStyles[info.Style-1]
		} else {
			open = append(open, j)
		}
		styles[j].label, styles[j].continuous = labels[j], info.Continuous
	}
	for _, j := range open {
		all, n := len(methodStyles), 0
		for n < all && taken(func(a *methodStyle) bool { return a.color == methodStyles[n].color }) {
			n++
		}
		for n >= all && n < all*all-1 && taken(func(a *methodStyle) bool { b := otherStyle(n); return a.color == b.color && a.glyph == b.glyph }) {
			n++
		}
		free := otherStyle(n)
		free.label, free.continuous = styles[j].label, styles[j].continuous
		styles[j] = free
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

// evenTicks are about five ticks at round numbers.
type evenTicks struct{}

func (evenTicks) Ticks(lo, hi float64) []plot.Tick {
	step := roundStep((hi - lo) / 6)
	places := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi*(1+1e-12)+step*1e-9; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: tickLabel(i*step, places)})
	}
	return ticks
}

// roundStep returns the smallest of 1, 2 or 5 times a power of ten that is at least x.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

func tickLabel(x float64, places int) string {
	if a := math.Abs(x); a >= 1e6 || places > 6 && a > 0 {
		return shortLabel(x)
	}
	return properMinus(prose.Fixed(x, places))
}

// shortLabel has three digits, with a power of ten from a million on and below a ten-thousandth.
func shortLabel(x float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil { // overflow
		rounded = x
	}
	return properMinus(strconv.FormatFloat(rounded, 'g', -1, 64))
}

func properMinus(number string) string { return strings.ReplaceAll(number, "-", "\u2212") }

// decadeTicks label 1, 2 and 5 times the powers of ten on up to three decades, otherwise the
// powers.
type decadeTicks struct{}

func (decadeTicks) Ticks(lo, hi float64) []plot.Tick {
	decades := math.Log10(hi / lo)
	var ticks []plot.Tick
	for e := int(math.Floor(math.Log10(lo))); math.Pow10(e) <= hi; e++ {
		for m := 1; m < 10; m++ {
			x := float64(m) * math.Pow10(e)
			if x < lo*(1-1e-9) || x > hi*(1+1e-9) {
				continue
			}
			tick := plot.Tick{Value: x}
			if m == 1 || decades <= 3 && (m == 2 || m == 5) {
				tick.Label = shortLabel(x)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}
