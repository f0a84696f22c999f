package layout

import (
	"context"
	"image/color"
)

// Own declares what reports have of a kind's own.
type Own struct {
	Figures []string // the kinds of its figures, in the order of reports
	Files   []string // see [Part.Files]

	// Unscored says that the cells have no scores: reports have the kind's own part alone.
	Unscored bool

	Make func(ctx context.Context, r *Results) (*Part, error)
}

// Results are what [Own.Make] makes the kind's part of a report from.
type Results struct {
	Layout  *Layout
	Dir     string   // with the files of the run
	Partial bool     // the run has not ended
	Methods []string // with their settings, in the order of tables
	Labels  []string // of the methods
	Rows    []Row    // in the order of their settings
}

// Row is a setting with the cells of each method, rising by repeat.
type Row struct {
	Setting Setting
	Cells   [][]Cell
}

// Cell is a cell of a row.
type Cell struct {
	ID       string
	Repeat   int64
	Computed bool // it has measures
	Whole    bool // and is complete
}

// Part is what a kind adds to the report of a run.
type Part struct {
	Answer   *Answer  // in place of that from scores, nil for kinds with scores
	Methods  []string // whose styles figures have: [Results.Methods]
	Sections []Section
	Files    []File // of the format csv
	Figures  []OwnFigure
	Missing  []string // sentences that say which figures cannot be made, and why

	// Read reads what the figures of some cells show, before they are drawn. Nil: nothing.
	Read func(ctx context.Context, cells map[string]bool) error
}

// Answer is what a report says first.
type Answer struct {
	Verdict []string `json:"verdict"` // one to three sentences
	Sheets  []*Sheet `json:"sheets"`  // scores, what was chosen, what failed
}

// File is a file of comma-separated values. One without lines is not written.
type File struct {
	Name  string
	Head  []string
	Lines [][]any // as results.CSV.Add takes them
}

// OwnFigure is a figure that a kind can make.
type OwnFigure struct {
	Kind    string // one of [Own.Figures]
	Name    string // of its files, without ending
	Setting Setting
	Cells   []string       // whose rows it shows, see [Part.Read]
	Draw    func() *Figure // nil where there is nothing to draw
	Without string         // what is missing then
}

// Figure is a plot as data.
type Figure struct {
	Title   string // one line
	Note    string // settings and sample sizes, under the title
	Caption string // further words for the report
	X, Y    AxisLabel
	Series  []Series
}

// AxisLabel is the label of an axis, with its unit, and its scale.
type AxisLabel struct {
	Text string
	Log  bool
	Zero bool // begins at 0, unless it is logarithmic
}

// Series is one entry of a figure's legend. The points of a piece are joined by a line, those
// of different pieces are not.
type Series struct {
	Name   string // where Style is not nil, else that of Method
	Method int    // whose style it has where Style is nil, a position in [Part.Methods]
	Style  *Style
	Pieces [][]Point
}

// Point is one point of a series, with the half height of its error band, 0
// or NaN for none.
type Point struct{ X, Y, Band float64 }

// Style is the style of a series that shows no method.
type Style struct {
	Class int        // its place among its like: figures have colours, dashes and marks for some
	Color color.RGBA // zero for that of the class
	Line  bool       // it is a line, not marks
}

// MethodLabel returns the label of a method without settings, its name for one of others.
func (l *Layout) MethodLabel(name string) string {
	for _, m := range l.Methods {
		if m.Name == name {
			return m.Label
		}
	}
	return name
}

// PublishedTable is a table of numbers that were published for a kind, as data.
type PublishedTable struct {
	Name   string // grids that reproduce it are named after it
	Number int
	Title  string
	Source string // in which it was published
	Runs   int    // that each mean is over
	Always string // what holds for all rows, in words

	Columns []SheetColumn // what rows state, see [PublishedRow.Words]
	Stated  []Dimension   // that every row states
	Rows    []PublishedRow
}

// PublishedRow is one row of a table.
type PublishedRow struct {
	Setting Setting  // null in what the row does not state
	Words   []string // what it states, for readers; "" for nothing
	Scores  []PublishedScore
	Notes   []string // what is odd in it
}

// PublishedScore is what a method reached.
type PublishedScore struct {
	Method    string // as in grids
	Mean, Std float64
}
