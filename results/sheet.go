package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
)

// sheet is one score of a table as text: what every format shows, before it
// is dressed in the format's own marks. All numbers of a sheet have the same
// number of decimals.
type sheet struct {
	title   string
	caption string   // what the numbers are, and the dimensions that do not vary
	labels  []string // heads of the columns that name the setting
	numeric []bool   // which of those are aligned right
	methods []string // heads of the columns of numbers
	rows    []sheetRow
	marked  bool // whether the best entries are marked
}

// legend returns the words that explain a format's mark of the best entries,
// with a space before them; "" where there are no marks.
func (s *sheet) legend(words string) string {
	if !s.marked {
		return ""
	}
	return " " + words
}

type sheetRow struct {
	labels          []string
	entries         []sheetEntry
	repeats, failed int
}

// sheetEntry is the text of one method in one row. Without a mean, note says
// why.
type sheetEntry struct {
	mean, std string // std is "" for a single repeat
	note      string // "n=2" where fewer repeats count than the row has, "failed", "-"
	best      bool
}

// newSheet lays out one score of a table.
func newSheet(table *ScoreTable, score Score) *sheet {
	s := &sheet{title: score.title(), marked: score != Optimism && len(table.Methods) > 1}
	varied, constant := splitAspects(table.Rows)
	for _, a := range varied {
		s.labels = append(s.labels, a.name)
		s.numeric = append(s.numeric, a.numeric)
	}
	for _, style := range methodStylesOf(table.Methods) {
		s.methods = append(s.methods, style.label)
	}
	places := table.decimals(score)
	for i := range table.Rows {
		s.rows = append(s.rows, s.row(&table.Rows[i], score, varied, places))
	}
	s.caption = sheetCaption(table, score, constant)
	return s
}

// decimals returns how many decimals the sheet of a score has. Differences
// have as many as the scores they are differences of.
func (t *ScoreTable) decimals(score Score) int {
	if score == Optimism {
		score = Oracle
	}
	var summaries []Summary
	for i := range t.Rows {
		for j := range t.Rows[i].Entries {
			summaries = append(summaries, t.Rows[i].Entries[j].Summary[score])
		}
	}
	return decimals(summaries)
}

// splitAspects tells the aspects that differ between rows from those that do
// not; the latter come with their value. Aspects that apply to no row are in
// neither.
func splitAspects(rows []ScoreRow) (varied []aspect, constant []Fact) {
	for _, a := range aspects {
		applies := false
		differs := false
		for i := range rows {
			for _, d := range a.dimensions {
				applies = applies || !rows[i].Setting[d].IsNull()
			}
			differs = differs || a.text(rows[i].Setting) != a.text(rows[0].Setting)
		}
		switch {
		case differs:
			varied = append(varied, a)
		case applies:
			constant = append(constant, Fact{a.name, a.text(rows[0].Setting)})
		}
	}
	return varied, constant
}

func (s *sheet) row(row *ScoreRow, score Score, varied []aspect, places int) sheetRow {
	r := sheetRow{repeats: row.Repeats, failed: row.Failed()}
	for _, a := range varied {
		r.labels = append(r.labels, a.text(row.Setting))
	}
	for j := range row.Entries {
		entry := newSheetEntry(&row.Entries[j], score, row.Repeats, places)
		entry.best = s.marked && row.Entries[j].Best[score]
		r.entries = append(r.entries, entry)
	}
	return r
}

func newSheetEntry(e *ScoreEntry, score Score, repeats, places int) sheetEntry {
	s := e.Summary[score]
	switch {
	case s.N > 0:
	case e.Cells == 0:
		return sheetEntry{note: "-"}
	case e.Failed == e.Cells:
		return sheetEntry{note: "failed"}
	default:
		return sheetEntry{note: "no score"}
	}
	entry := sheetEntry{mean: fixed(s.Mean, places)}
	if s.N > 1 {
		entry.std = fixed(s.Std, places)
	}
	if s.N < repeats || s.N == 1 {
		entry.note = "n=" + strconv.Itoa(s.N)
	}
	return entry
}

// fixed writes x with the given number of decimals and without a minus sign
// before zero.
func fixed(x float64, places int) string {
	text := strconv.FormatFloat(x, 'f', places, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// sheetCaption says what the numbers are and what holds for every row.
func sheetCaption(table *ScoreTable, score Score, constant []Fact) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Test %s (%s)", table.Metric.word(), table.Metric.direction())
	if score == Optimism {
		b.Reset()
		fmt.Fprintf(&b, "Difference in test %s", table.Metric.word())
	}
	b.WriteString(", mean ± standard deviation over repeats")
	for _, fact := range constant {
		fmt.Fprintf(&b, "; %s: %s", fact.Name, fact.Value)
	}
	switch table.Select {
	case experiment.SelectValidation:
		b.WriteString("; parameters with the best validation score of each repeat")
	case experiment.SelectOracle:
		b.WriteString("; parameters with the best test score of each repeat")
	}
	b.WriteString(".")
	if table.incomplete() {
		b.WriteString(" n: repeats that count where they are fewer than the row's or only one; - : no cells.")
	}
	return b.String()
}

// incomplete reports whether an entry rests on fewer repeats than its row.
func (t *ScoreTable) incomplete() bool {
	return slices.ContainsFunc(t.Rows, func(r ScoreRow) bool {
		return slices.ContainsFunc(r.Entries, func(e ScoreEntry) bool {
			return e.Summary[Oracle].N < max(r.Repeats, 2)
		})
	})
}

// median returns the lower median of xs, which it sorts.
func median(xs []float64) float64 {
	slices.Sort(xs)
	return xs[(len(xs)-1)/2]
}

// csvNumber writes x exactly, "" where it is not a number.
func csvNumber(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
