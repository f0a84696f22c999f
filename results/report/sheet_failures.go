package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

func skippedSheet(r *analysis.Run) *sheet {
	s := &sheet{
		Name: "skipped-cells", List: true,
		Columns: []sheetColumn{{Head: "cells", Label: true}, {Head: "reason", Wrap: true}, {Head: "methods", Wrap: true}},
	}
	cells, all := map[string]int{}, 0
	methods, texts := map[string][]string{}, map[string]string{}
	var reasons []string
	for _, of := range r.Reasons {
		if of.Status == experiment.Skipped {
			cells[of.Like] += of.Cells
			all += of.Cells
			methods[of.Like] = append(methods[of.Like], fmt.Sprintf("%s (%d)", of.Method, of.Cells))
			reasons, texts[of.Like] = append(reasons, of.Like), of.Text
		}
	}
	reasons = unique(reasons)
	slices.SortStableFunc(reasons, func(a, b string) int { return cells[b] - cells[a] })
	for _, reason := range reasons {
		text := reason
		if len(methods[reason]) == 1 {
			text = texts[reason]
		}
		s.Rows = append(s.Rows, []sheetCell{{Text: fmt.Sprintf("%d x", cells[reason])}, {Text: text}, {Text: strings.Join(methods[reason], "; ")}})
	}
	s.Title = fmt.Sprintf("Skipped cells: %d", all)
	return s
}

func firstOf(n int) string {
	if n > analysis.MaxFailures {
		return fmt.Sprintf("the first %d of %d", analysis.MaxFailures, n)
	}
	return fmt.Sprint(n)
}

// absentSheet returns nil for none.
func absentSheet(absent []results.ManifestData) *sheet {
	if len(absent) == 0 {
		return nil
	}
	s := &sheet{
		Name:    "skipped",
		Title:   "Data sets that were not on the machine",
		Caption: "The grid asks for them with absent: skip. Their cells are no part of the run.",
		Columns: []sheetColumn{{Head: "data set", Label: true}, {Head: "task", Label: true}, {Head: "rows", Right: true}, {Head: "features", Right: true}, {Head: "cells"}},
	}
	for _, d := range absent {
		s.Rows = append(s.Rows, []sheetCell{{Text: d.Name}, {Text: d.Task}, layout.CountCell(d.Rows), layout.CountCell(d.Features), {Note: "skipped: not there"}})
	}
	return s
}

// readingsSheet also shows other possible meanings of a file; nil for none.
func readingsSheet(readings []results.ManifestReading) *sheet {
	if len(readings) == 0 {
		return nil
	}
	s := &sheet{
		Name:    "readings",
		Title:   "How the files were read",
		Caption: "What was made of each file by its content or by the grid, and what may be meant otherwise. manifest.json has more names of features.",
		Columns: []sheetColumn{{Head: "data set", Label: true}, {Head: "read as", Wrap: true}, {Head: "warnings", Wrap: true}},
	}
	for _, r := range readings {
		s.Rows = append(s.Rows, []sheetCell{{Text: r.Name}, {Text: r.How}, orDash(strings.Join(r.Warnings, ". "))})
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
