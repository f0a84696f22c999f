package results

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// methodStyle is how a method is named and drawn. Colour, dash and marker all
// differ, so that a figure can be read in grey.
type methodStyle struct {
	method string
	label  string
	color  color.RGBA
	dashes []vg.Length
	glyph  draw.GlyphDrawer
	// continuous methods know the solution at every age between the knots of
	// a piece; the others know it at the ages of their knots only.
	continuous bool
}

// okabeIto is the palette of Okabe and Ito, "Color Universal Design" (2008):
// distinct for all common kinds of colour vision. Its yellow is left out,
// which is too pale for a line on white.
var okabeIto = []color.RGBA{
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xD5, 0x5E, 0x00, 0xFF}, // vermillion
	{0x00, 0x9E, 0x73, 0xFF}, // bluish green
	{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
	{0x00, 0x00, 0x00, 0xFF}, // black
}

// dashPatterns go with the palette, in points.
var dashPatterns = [][]vg.Length{
	nil,
	{6, 2.5},
	{1.5, 1.5},
	{7, 2, 1.5, 2},
	{10, 3},
	{4, 1.5, 1.5, 1.5, 1.5, 1.5},
	{2.5, 2.5},
}

// methodStyles holds the methods in the order of every table.
var methodStyles = []methodStyle{
	{"original", "Original", okabeIto[6], dashPatterns[2], draw.SquareGlyph{}, false},
	{"acs", "ACS", okabeIto[4], dashPatterns[1], draw.TriangleGlyph{}, false},
	{"mospl", "MOSPL", okabeIto[2], dashPatterns[3], draw.PyramidGlyph{}, false},
	{"gaga", "GAGA", okabeIto[0], dashPatterns[0], draw.CircleGlyph{}, true},
}

// otherStyles are for methods that are not in methodStyles.
var otherStyles = []methodStyle{
	{color: okabeIto[1], dashes: dashPatterns[4], glyph: draw.RingGlyph{}},
	{color: okabeIto[3], dashes: dashPatterns[5], glyph: draw.BoxGlyph{}},
	{color: okabeIto[5], dashes: dashPatterns[6], glyph: draw.CrossGlyph{}},
	{color: color.RGBA{0x7F, 0x7F, 0x7F, 0xFF}, dashes: dashPatterns[0], glyph: draw.PlusGlyph{}},
}

// methodStylesOf returns the styles of the methods of one table. Methods that
// are not in methodStyles take the other styles in turn.
func methodStylesOf(methods []string) []methodStyle {
	styles := make([]methodStyle, len(methods))
	others := 0
	for j, method := range methods {
		if i := methodRank(method); i < len(methodStyles) {
			styles[j] = methodStyles[i]
			continue
		}
		styles[j] = otherStyles[others%len(otherStyles)]
		styles[j].method, styles[j].label = method, method
		others++
	}
	return styles
}

// methodRank returns where the method is in methodStyles, their number for
// one that is not.
func methodRank(method string) int {
	i := slices.IndexFunc(methodStyles, func(s methodStyle) bool { return s.method == method })
	if i < 0 {
		return len(methodStyles)
	}
	return i
}

// compareMethods orders methods as in methodStyles, then by name.
func compareMethods(a, b string) int {
	return cmp.Or(cmp.Compare(methodRank(a), methodRank(b)), cmp.Compare(a, b))
}
