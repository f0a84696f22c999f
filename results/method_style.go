package results

import (
	"cmp"
	"encoding/json"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/agepath/agepath/experiment"
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

// consistencyGlyphs go with the palette.
var consistencyGlyphs = []draw.GlyphDrawer{
	draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
}

// methodStyles holds the methods in the order of every table.
var methodStyles = []methodStyle{
	{"original", "Original", okabeIto[6], dashPatterns[2], draw.SquareGlyph{}, false},
	{"acs", "ACS", okabeIto[4], dashPatterns[1], draw.TriangleGlyph{}, false},
	{"mospl", "MOSPL", okabeIto[2], dashPatterns[3], draw.PyramidGlyph{}, false},
	{"gaga", "GAGA", okabeIto[0], dashPatterns[0], draw.CircleGlyph{}, true},
	{"huber-lasso", "Huber Lasso", okabeIto[1], dashPatterns[4], draw.RingGlyph{}, false},
	{"rlssvm", "RLSSVM", okabeIto[3], dashPatterns[5], draw.BoxGlyph{}, false},
	{"relssvm", "Re-LSSVM", okabeIto[5], dashPatterns[6], draw.CrossGlyph{}, false},
	{"robust-svm", "Robust SVM", color.RGBA{0x7F, 0x7F, 0x7F, 0xFF}, dashPatterns[6], draw.PlusGlyph{}, false},
}

// otherStyles are for methods that are not in methodStyles.
var otherStyles = []methodStyle{
	{color: okabeIto[1], dashes: dashPatterns[4], glyph: draw.RingGlyph{}},
	{color: okabeIto[3], dashes: dashPatterns[5], glyph: draw.BoxGlyph{}},
	{color: okabeIto[5], dashes: dashPatterns[6], glyph: draw.CrossGlyph{}},
	{color: color.RGBA{0x7F, 0x7F, 0x7F, 0xFF}, dashes: dashPatterns[0], glyph: draw.PlusGlyph{}},
}

// methodStylesOf returns the styles of the methods of one table. Methods that
// are not in methodStyles take the other styles in turn, and so do further
// settings of one method, whose labels tell the settings that differ.
func methodStylesOf(methods []string) []methodStyle {
	styles := make([]methodStyle, len(methods))
	others, taken := 0, map[color.RGBA]bool{}
	for _, method := range methods {
		if i := methodRank(method); i < len(methodStyles) {
			taken[methodStyles[i].color] = true
		}
	}
	for j, method := range methods {
		name, settings := cutMethod(method)
		i, first := methodRank(method), j == 0 || methodName(methods[j-1]) != name
		if first && i < len(methodStyles) {
			styles[j] = methodStyles[i]
		} else {
			for tries := 0; tries < len(otherStyles); tries++ { // one that no method of the table has for its own
				styles[j] = otherStyles[others%len(otherStyles)]
				others++
				if !taken[styles[j].color] {
					break
				}
			}
			styles[j].method, styles[j].label = name, name
		}
		if i < len(methodStyles) {
			styles[j].label = methodStyles[i].label
			styles[j].continuous = methodStyles[i].continuous
		}
		if !first || j+1 < len(methods) && methodName(methods[j+1]) == name {
			styles[j].label += " " + dropWords(settings, commonSettings(methods, name))
		}
	}
	return styles
}

// cutMethod cuts what cellColumns.methodKey returned into the name of the
// method and its settings.
func cutMethod(method string) (name, settings string) {
	name, settings, _ = strings.Cut(method, " ")
	return name, settings
}

// commonFacts tells, of each method that has settings, those that are the same
// wherever it occurs.
func commonFacts(methods []string) []Fact {
	var facts []Fact
	for _, method := range methods {
		style := methodStylesOf([]string{methodName(method)})[0]
		common := strings.Join(commonSettings(methods, methodName(method)), " ")
		if fact := (Fact{style.label, common}); common != "" && !slices.Contains(facts, fact) {
			facts = append(facts, fact)
		}
	}
	return facts
}

// commonSettings returns the settings that all methods of one name have.
func commonSettings(methods []string, name string) []string {
	var common []string
	first := true
	for _, method := range methods {
		other, settings := cutMethod(method)
		if other != name {
			continue
		}
		words := strings.Fields(settings)
		if first {
			common, first = words, false
		}
		common = slices.DeleteFunc(common, func(word string) bool { return !slices.Contains(words, word) })
	}
	return common
}

// dropWords returns the words of a text without the given ones.
func dropWords(text string, drop []string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(text), func(word string) bool { return slices.Contains(drop, word) }), " ")
}

func methodName(method string) string {
	name, _ := cutMethod(method)
	return name
}

// settingsText writes settings of a method as in "population=150 refit=50". What
// is no JSON object of numbers and words stays as it is.
func settingsText(params string) string {
	var settings experiment.Settings
	if err := json.Unmarshal([]byte(params), &settings); err != nil {
		return params
	}
	var words []string
	for _, s := range settings {
		switch {
		case s.Word != "":
			words = append(words, s.Name+"="+s.Word)
		case s.Name != "":
			words = append(words, s.Name+"="+shortNumber(s.Number))
		}
	}
	return strings.Join(words, " ")
}

// methodRank returns where the method, its settings apart, is in methodStyles, their number for
// one that is not.
func methodRank(method string) int {
	name := methodName(method)
	i := slices.IndexFunc(methodStyles, func(s methodStyle) bool { return s.method == name })
	if i < 0 {
		return len(methodStyles)
	}
	return i
}

// compareMethods orders methods as in methodStyles, then by name and settings.
func compareMethods(a, b string) int {
	nameA, settingsA := cutMethod(a)
	nameB, settingsB := cutMethod(b)
	return cmp.Or(cmp.Compare(methodRank(a), methodRank(b)), cmp.Compare(nameA, nameB), compareSettings(settingsA, settingsB))
}

// compareSettings orders texts of settingsText of one method: setting by
// setting, numbers by their value and before words.
func compareSettings(a, b string) int {
	valuesA, valuesB := strings.Fields(a), strings.Fields(b)
	for k := range min(len(valuesA), len(valuesB)) {
		if c := compareValues(settingValue(valuesA[k]), settingValue(valuesB[k])); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(valuesA), len(valuesB)), cmp.Compare(a, b))
}

// settingValue returns the value of a setting such as "delta=0.2".
func settingValue(text string) Value {
	_, value, _ := strings.Cut(text, "=")
	if x, err := strconv.ParseFloat(value, 64); err == nil {
		return Value{Number: x, IsNumber: true}
	}
	return Value{Text: value}
}
