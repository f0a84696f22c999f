package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agepath/agepath/results/prose"
)

const textWidth = 100

// fit splits a sheet wider than textWidth by columns, into as few and as even parts as possible,
// each with the labels. A single wider column stays whole.
func (t Text) fit(s *sheet, rows [][]sheetCell) []*sheet {
	whole := &sheet{Columns: s.Columns, Rows: rows}
	if len(rows) == 0 || !t.tooWide(whole) {
		return []*sheet{whole}
	}
	var labels, others []int
	for j, column := range s.Columns {
		if column.Label {
			labels = append(labels, j)
		} else {
			others = append(others, j)
		}
	}
	for n := 1; ; n++ {
		var parts []*sheet
		for part := range slices.Chunk(others, (len(others)+n-1)/n) {
			columns := append(slices.Clone(labels), part...)
			slices.Sort(columns)
			parts = append(parts, only(whole, columns))
		}
		if n >= len(others) || !slices.ContainsFunc(parts, t.tooWide) {
			return parts
		}
	}
}

func (t Text) tooWide(s *sheet) bool { return newTextGrid(s, s.Rows, t.Bold).width() > textWidth }

func only(s *sheet, columns []int) *sheet {
	of := &sheet{}
	for _, j := range columns {
		of.Columns = append(of.Columns, s.Columns[j])
	}
	for _, row := range s.Rows {
		var cells []sheetCell
		for _, j := range columns {
			cells = append(cells, row[j])
		}
		of.Rows = append(of.Rows, cells)
	}
	return of
}

// InLines breaks words into lines of at most 100 columns.
func InLines(text string) string {
	fits := func(line string) bool { return utf8.RuneCountInString(line) <= textWidth }
	return strings.Join(prose.Lines(strings.Fields(Visible(text)), fits), "\n")
}
