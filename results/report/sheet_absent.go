package report

import (
	"github.com/agepath/agepath/results"
)

// absentSheet has a row for each data set of the grid that the run skipped.
func absentSheet(absent []results.ManifestData) *sheet {
	s := &sheet{
		name:    "skipped",
		title:   "Data sets that were not on the machine",
		caption: "The grid asks for them with absent: skip. Their cells are no part of the run.",
		columns: []sheetColumn{{head: "data set", label: true}, {head: "task", label: true}, {head: "rows", right: true}, {head: "features", right: true}, {head: "cells"}},
	}
	for _, d := range absent {
		s.rows = append(s.rows, []sheetCell{{text: d.Name}, {text: d.Task}, countCell(d.Rows), countCell(d.Features), {note: "skipped: not there"}})
	}
	return s
}
