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
	name    string // part of labels and links: letters, digits and dashes
	title   string
	caption string // what the numbers are, and the dimensions that do not vary
	best    string // words for the mark of the best entries, "" where there are no marks
	equal   string // words for the mark of those not significantly worse, "" likewise
	columns []sheetColumn
	rows    [][]sheetCell // each as long as columns
}

// sheetColumn is the head of a column.
type sheetColumn struct {
	head  string
	right bool // aligned right
	label bool // names what the row is about
	wrap  bool // holds text that may be broken into lines
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
	text string // a label, a count, or a mean
	std  string
	note string // "n=2" where fewer repeats count than the row has, "failed", "-"
	mark sheetMark
}

// countCell returns a field with a count.
func countCell(n int) sheetCell { return sheetCell{text: strconv.Itoa(n)} }

// numberCell returns a field with a number of so many decimals, - for NaN.
func numberCell(x float64, places int) sheetCell {
	if math.IsNaN(x) {
		return sheetCell{note: "-"}
	}
	return sheetCell{text: prose.Fixed(x, places)}
}

// legend returns the words that explain a format's marks, with a space before
// them; "" where there are none.
func (s *sheet) legend(best, equal string) string {
	var b strings.Builder
	if s.best != "" {
		b.WriteString(" " + best + s.best + ".")
	}
	if s.equal != "" {
		b.WriteString(" " + equal + s.equal + ".")
	}
	return b.String()
}
