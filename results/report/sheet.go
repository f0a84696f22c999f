package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/agepath/agepath/results/internal/prose"
)

// sheet is a table as text: what every format shows, before it is dressed in
// the format's own marks.
type sheet struct {
	Name    string // part of labels and links: letters, digits and dashes
	Title   string
	Caption string // what the numbers are, and the dimensions that do not vary
	Best    string // words for the mark of the best entries, "" where there are no marks
	Equal   string // words for the mark of those not significantly worse, "" likewise
	Columns []sheetColumn
	Rows    [][]sheetCell // each as long as columns
	List    bool          // rows are long: in text they are lists of their columns, behind the first two
}

// sheetColumn is the head of a column.
type sheetColumn struct {
	Head  string
	Right bool // aligned right
	Label bool // names what the row is about
	Wrap  bool // holds text that may be broken into lines
}

// sheetMark sets an entry apart.
type sheetMark int

const (
	unmarked  sheetMark = iota
	bestMark            // the best mean of its row
	equalMark           // not significantly worse than the best
)

// sheetCell is one field. A mean has a standard deviation where several repeats
// count; what has neither text nor mean says why in its note.
type sheetCell struct {
	Text string // a label, a count, or a mean
	Std  string
	Note string // "n=2" where fewer repeats count than the row has, "failed", "-"
	Mark sheetMark
}

// countCell returns a field with a count.
func countCell(n int) sheetCell { return sheetCell{Text: strconv.Itoa(n)} }

// numberCell returns a field with a number of so many decimals, - for NaN.
func numberCell(x float64, places int) sheetCell {
	if math.IsNaN(x) {
		return sheetCell{Note: "-"}
	}
	return sheetCell{Text: prose.Fixed(x, places)}
}

// legend returns the words that explain a format's marks, with a space before
// them; "" where there are none.
func (s *sheet) Legend(best, equal string) string {
	var b strings.Builder
	if s.Best != "" {
		b.WriteString(" " + best + s.Best + ".")
	}
	if s.Equal != "" {
		b.WriteString(" " + equal + s.Equal + ".")
	}
	return b.String()
}
