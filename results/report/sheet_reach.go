package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// reachSheet shows shares of the path's best validation score and of its time; nil without steps of
// several sizes.
func reachSheet(table *analysis.ScoreTable) *sheet {
	reaches := table.Reaches()
	if len(reaches) == 0 {
		return nil
	}
	settings := make([]layout.Setting, len(reaches))
	for i := range reaches {
		settings[i] = reaches[i].Setting
	}
	varied, constant := table.Layout.SplitSettings(settings)
	main := analysis.MethodLabel(table.Layout.Path.Main)
	s := &sheet{
		Name: "reached", Title: "Time to the same information",
		Caption: fmt.Sprintf("Time: geometric mean over the repeats of the time of a cell / that of %s on the same split. Share: the best validation %s of a method, "+
			"divided by %s's where higher is better, %[3]s's divided by it else; mean ± standard deviation. Above 1 it is better than %[3]s's.%s",
			main, table.Metric.Word(), main, layout.ConstantWords(constant)),
	}
	s.AddAspects(varied)
	s.Columns = slices.Concat(s.Columns, labelColumns("method"), []sheetColumn{{Head: "step", Right: true, Label: true}},
		rightColumns("repeats", "time", "share"))
	labels := analysis.MethodLabels(table.Methods)
	for i := range reaches {
		for _, p := range reaches[i].Points {
			step := sheetCell{Note: "-"}
			if !math.IsNaN(p.Step) {
				step = sheetCell{Text: prose.Short(p.Step)}
			}
			s.Rows = append(s.Rows, append(layout.AspectCells(varied, settings[i]), sheetCell{Text: labels[p.Method]}, step,
				layout.CountCell(p.Share.N), layout.ShortCell(p.Time), p.Share.Cell(4)))
		}
	}
	return s
}

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
