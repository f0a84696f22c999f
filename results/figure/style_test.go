package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/results/layout"
)

// visions simulate colour vision in linear RGB: all cones, and without the medium (deuteranopia) or
// the long ones (protanopia), by the matrices of Machado, Oliveira and Fernandes (2009) for severity 1.
var visions = map[string][3][3]float64{
	"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
}

// seen returns CIELAB coordinates (D65) of a colour.
func seen(c color.RGBA, vision [3][3]float64) [3]float64 {
	var linear, rgb, xyz [3]float64
	for i, v := range []uint8{c.R, c.G, c.B} {
		if linear[i] = float64(v) / 255; linear[i] <= 0.04045 {
			linear[i] /= 12.92
		} else {
			linear[i] = math.Pow((linear[i]+0.055)/1.055, 2.4)
		}
	}
	for i := range rgb {
		for j := range linear {
			rgb[i] += vision[i][j] * linear[j]
		}
		rgb[i] = min(max(rgb[i], 0), 1)
	}
	toXYZ := [3][3]float64{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}
	white := [3]float64{0.95047, 1, 1.08883}
	for i := range xyz {
		for j := range rgb {
			xyz[i] += toXYZ[i][j] * rgb[j]
		}
		if xyz[i] /= white[i]; xyz[i] > 216./24389 {
			xyz[i] = math.Cbrt(xyz[i])
		} else {
			xyz[i] = (24389./27*xyz[i] + 16) / 116
		}
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

func colourDistance(a, b color.RGBA, vision [3][3]float64) float64 {
	p, q := seen(a, vision), seen(b, vision)
	return math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
}

// TestColourDistance: black and white are 100 apart for everybody; red and green are close without the
// medium cones.
func TestColourDistance(t *testing.T) {
	t.Parallel()
	for name, vision := range visions {
		if d := colourDistance(color.RGBA{A: 255}, color.RGBA{255, 255, 255, 255}, vision); math.Abs(d-100) > 0.1 {
			t.Errorf("%s: black and white are %v apart", name, d)
		}
	}
	red, green := color.RGBA{0xB0, 0x50, 0x20, 255}, color.RGBA{0x70, 0x70, 0x20, 255}
	if normal, blind := colourDistance(red, green, visions["normal"]), colourDistance(red, green, visions["deuteranopia"]); normal < 4*blind {
		t.Errorf("red and green are %v apart, %v without medium cones", normal, blind)
	}
}

// TestStylesDiffer wants no two methods of a figure to look alike: their colours differ for everybody,
// or their marks do, and dashes too, for a figure of steps has none.
func TestStylesDiffer(t *testing.T) {
	t.Parallel()
	twelve := []string{"original", "acs", "acs-once", "acs-share", "mospl", "gaga", "huber-lasso", "sparse-lts fraction=0.5", "sparse-lts fraction=0.75", "rlssvm", "relssvm", "robust-svm"}
	many := slices.Clone(twelve)
	for i := range 40 {
		many = append(many, fmt.Sprintf("command-%02d", i))
	}
	for _, methods := range [][]string{twelve, many, {"gaga", "a", "b", "c", "d", "e", "f", "g", "h"}, {"original", "acs-share", "sparse-lts"}} {
		styles := stylesOf(methods)
		for i, a := range styles {
			for j, b := range styles[:i] {
				apart := math.Inf(1)
				for _, vision := range visions {
					apart = min(apart, colourDistance(a.color, b.color, vision))
				}
				if len(methods) > 12 { // each in a panel
					apart *= 1e9
				}
				if apart < 15 && a.glyph == b.glyph || a.color == b.color && slices.Equal(a.dashes, b.dashes) && len(methods) <= 12 {
					t.Errorf("%s and %s of %d methods look alike", methods[i], methods[j], len(methods))
				}
			}
		}
		if len(methods) <= len(methodStyles) {
			for i, a := range styles {
				if slices.ContainsFunc(styles[:i], func(b methodStyle) bool { return a.color == b.color }) {
					t.Errorf("%s shares its colour though %d methods need not", methods[i], len(methods))
				}
			}
		}
	}
}

// manyFigure is a figure of n methods, with marks of their own and a line of all.
func manyFigure(n int) *Figure {
	f := &layout.Figure{Title: "many", X: layout.AxisLabel{Text: "noise"}, Y: layout.AxisLabel{Text: "RMSE"}}
	var methods []string
	for j := range n {
		methods = append(methods, fmt.Sprintf("command-%02d", j))
		var piece []layout.Point
		for x := range 5 {
			piece = append(piece, layout.Point{X: float64(x), Y: 1 + float64(j*x)/10, Band: 0.2})
		}
		f.Series = append(f.Series, layout.Series{Method: j, Pieces: [][]layout.Point{piece}},
			layout.Series{Name: "chosen", Method: j, Pieces: [][]layout.Point{piece[2:3]}, Style: &layout.Style{Mark: layout.Star}})
	}
	f.Series = append(f.Series, layout.Series{Name: "constant", Method: -1, Pieces: [][]layout.Point{{{X: 0, Y: 2}, {X: 4, Y: 2}}}, Style: &layout.Style{Line: true}})
	return New(&layout.FigurePlan{Name: "many", Methods: methods}, f)
}

// TestPanels wants a panel under the name of each of ten methods or more, on equal axes, and one
// figure with a legend of fewer.
func TestPanels(t *testing.T) {
	t.Parallel()
	for n, panels := range map[int]int{9: 1, 10: 10, 12: 12} {
		f := manyFigure(n)
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		texts := svgTexts(t, svg)
		count := func(want string) (n int) {
			for _, text := range texts {
				if text == want {
					n++
				}
			}
			return n
		}
		for j := range n {
			if got := count(fmt.Sprintf("command-%02d", j)); got != 1 {
				t.Errorf("%d methods: command-%02d is named %d times", n, j, got)
			}
		}
		if got := count("0"); got != panels { // the first tick of every x axis
			t.Errorf("%d methods: %d panels from 0, want %d: %s", n, got, panels, strings.Join(texts, "|"))
		}
		if (count("In every panel without a mark: constant") > 0) != (panels > 1) {
			t.Errorf("%d methods: what is the line of all? %s", n, strings.Join(texts, "|"))
		}
		if legend := count("constant") > 0; legend != (panels == 1) {
			t.Errorf("%d methods: a legend %t", n, legend)
		}
	}
}
