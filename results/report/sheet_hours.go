package report

import (
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// hoursSheet returns nil if no time is known.
func hoursSheet(times []analysis.MethodTime) *sheet {
	if len(times) == 0 {
		return nil
	}
	s := &sheet{
		Name: "hours", Title: "CPU hours by method",
		Caption: "Sums over all cells, failed ones included, of the last attempt of each. CPU hours are of the cells whose processor time was measured: timed.",
		Columns: append(labelColumns("method"), rightColumns("cells", "timed", "CPU hours", "elapsed hours")...),
	}
	for _, of := range times {
		s.Rows = append(s.Rows, []sheetCell{{Text: of.Method}, layout.CountCell(of.Cells), layout.CountCell(of.Timed), layout.NumberCell(of.CPU/3600, 4), layout.NumberCell(of.Elapsed/3600, 4)})
	}
	return s
}
