package layout

import (
	"context"
	"image/color"
)

// Own declares a kind's own part of reports, which a program has if it imports the package that
// makes it.
type Own struct {
	Figures []string // kinds, in the order of reports

	// Unscored cells have no scores: reports consist of the kind's own part.
	Unscored bool
}

// Part is a kind's addition to the report of a run.
type Part struct {
	Answer   *Answer   // nil for kinds with scores
	First    []Section // after the answer
	Sections []Section
	Files    []File // csv
	Figures  []FigurePlan
	Missing  []string // sentences on missing figures

	// Read reads the data of figures for some cells; may be nil.
	Read func(ctx context.Context, cells map[string]bool) error
}

// Answer is the beginning of a report.
type Answer struct {
	Verdict []string `json:"verdict"`
	Sheets  []*Sheet `json:"sheets"`
}

// File is a file of comma-separated values; without lines it is not written.
type File struct {
	Name   string
	Head   []string
	Lines  [][]any // arguments of results.CSV.Add
	Linked bool    // pages have it
}

// FigurePlan is a figure before its data are read.
type FigurePlan struct {
	Kind    string // of a kind's own figures one of [Own.Figures]
	Name    string // without extension
	Setting Setting
	Methods []string // of series, with settings; they give labels and styles
	Cells   []string // whose rows it shows
	Draw    func() (f *Figure, missing string)
}

// Figure is a plot as data.
type Figure struct {
	Title   string
	Note    string // below the title
	Caption string
	X, Y    AxisLabel
	Lower   AxisLabel // of a panel below, if it has a text: see [Point]
	Series  []Series
	Rules   []float64 // x of vertical hairlines
}

// AxisLabel is the label of an axis, and its scale.
type AxisLabel struct {
	Text  string
	Log   bool
	Zero  bool     // begins at 0, unless logarithmic
	Names []string // at 0, 1 and so on, in place of numbers
}

// Series is one entry of a figure's legend. A line joins the points of a piece only.
type Series struct {
	Name   string // if Style is nil, what follows the method's label
	Method int    // in [FigurePlan.Methods]; with a Style the panel, -1 for all
	Style  *Style
	Pieces [][]Point
	Most   int  // marks at most; 0 for all
	Steps  bool // of a method: marks only where pieces begin, no dashes
	Dashed bool // of a method: short dashes and no marks
}

// Pieces joins n points along an axis. An unknown one is a gap.
func Pieces(n int, at func(i int) (p Point, known bool)) [][]Point {
	var pieces [][]Point
	gap := true
	for i := range n {
		p, known := at(i)
		if known && gap {
			pieces = append(pieces, nil)
		}
		if gap = !known; known {
			pieces[len(pieces)-1] = append(pieces[len(pieces)-1], p)
		}
	}
	return pieces
}

// SpansDecade reports whether an axis between positive values is better logarithmic.
func SpansDecade(lo, hi float64) bool { return lo > 0 && hi > 10*lo }

// Point is a point with the half height of its error band, 0 or NaN for none, and its height in the
// figure's lower panel, 0 for none.
type Point struct{ X, Y, Band, Lower float64 }

// Style is the style of a series without a method.
type Style struct {
	Class int        // place among similar series: colour, dash and mark
	Color color.RGBA // zero for the class's
	Line  bool       // instead of marks, unless there is a Mark
	Bars  bool       // histogram: each point begins a bin, the last ends it
	Width float64    // of lines, in points; 0 for 1.2
	Mark  Mark       // 0 for the class's
	Size  float64    // radius of marks, in points; 0 for 2
}

// Mark is the form of a mark.
type Mark int

// The forms of marks.
const (
	Circle Mark = iota + 1
	Triangle
	Ring
	Square
	Pyramid
	Cross
	Plus
	Box
	Stroke // a hairline, which shows the density of thousands
	Star
)
