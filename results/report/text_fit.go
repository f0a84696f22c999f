package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agepath/agepath/results/prose"
)

const textWidth = 100

// fit splits a table wider than textWidth by columns, into as few and as even parts as possible,
// each with the labels. A single wider column stays whole.
func (g textGrid) fit(heads []sheetColumn) []textGrid {
	if len(g) == 1 || g.fits() {
		return []textGrid{g}
	}
	var labels, others []int
	for j, column := range heads {
		if column.Label {
			labels = append(labels, j)
		} else {
			others = append(others, j)
		}
	}
	for n := 1; ; n++ {
		var parts []textGrid
		for part := range slices.Chunk(others, (len(others)+n-1)/n) {
			columns := append(slices.Clone(labels), part...)
			slices.Sort(columns)
			parts = append(parts, g.only(columns))
		}
		if n >= len(others) || !slices.ContainsFunc(parts, func(part textGrid) bool { return !part.fits() }) {
			return parts
		}
	}
}

func (g textGrid) fits() bool { return g.width() <= textWidth }

func (g textGrid) only(columns []int) (of textGrid) {
	for _, row := range g {
		var cells []textCell
		for _, j := range columns {
			cells = append(cells, row[j])
		}
		of = append(of, cells)
	}
	return of
}

// InLines breaks words into lines of at most 100 columns.
func InLines(text string) string {
	fits := func(line string) bool { return utf8.RuneCountInString(line) <= textWidth }
	return strings.Join(prose.Lines(strings.Fields(Visible(text)), fits), "\n")
}
