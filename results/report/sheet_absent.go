package report

import (
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
)

// absentSheet has a row for each data set of the grid that the run skipped.
func absentSheet(absent []results.ManifestData) *sheet {
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
