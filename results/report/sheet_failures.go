package report

import (
	"fmt"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// failureSheets list the incomplete cells and the failed ones, as many as a
// report has of each.
func (r *Report) failureSheets() []*sheet {
	step := r.Layout.Step
	incomplete := &sheet{
		Name: "incomplete", Title: "Incomplete cells: " + firstOf(r.Incomplete),
		Caption: "Their paths stop at the " + step + " reached, before the last " + step + " that they were asked for. Means leave them out; curves over the " + step + " show them as far as they go.",
		Columns: []sheetColumn{{Head: "cell"}, {Head: "what", Label: true, Wrap: true}, {Head: step + " reached", Right: true}, {Head: "reason", Wrap: true}},
	}
	failed := &sheet{
		Name: "failed", Title: "Failed cells: " + firstOf(r.Failed), Caption: "They have no scores.",
		Columns: []sheetColumn{{Head: "cell"}, {Head: "what", Label: true, Wrap: true}, {Head: "status"}, {Head: "reason", Wrap: true}},
	}
	for _, f := range r.Failures {
		if f.Status == experiment.Incomplete {
			incomplete.Rows = append(incomplete.Rows, []sheetCell{{Text: f.Cell}, {Text: f.What}, reachedCell(f.Reached), {Text: f.Error}})
		} else {
			failed.Rows = append(failed.Rows, []sheetCell{{Text: f.Cell}, {Text: f.What}, {Text: string(f.Status)}, {Text: f.Error}})
		}
	}
	var sheets []*sheet
	for _, s := range []*sheet{incomplete, failed} {
		if len(s.Rows) > 0 {
			sheets = append(sheets, s)
		}
	}
	return sheets
}

// skippedSheet lists the reasons for which cells were skipped.
func skippedSheet(skipped []analysis.Skipped) *sheet {
	s := &sheet{
		Name: "skipped-cells", Title: "Skipped cells",
		Caption: "Cells that were not computed because the method does not have the task, or is not on the machine of the worker.",
		Columns: []sheetColumn{{Head: "method", Label: true}, {Head: "cells", Right: true}, {Head: "reason", Wrap: true}},
	}
	for _, of := range skipped {
		s.Rows = append(s.Rows, []sheetCell{{Text: of.Method}, layout.CountCell(of.Cells), {Text: of.Reason}})
	}
	return s
}

// firstOf says how many there are, and how many of them a report lists.
func firstOf(n int) string {
	if n > analysis.MaxFailures {
		return fmt.Sprintf("the first %d of %d", analysis.MaxFailures, n)
	}
	return fmt.Sprint(n)
}

func reachedCell(age *float64) sheetCell {
	if age == nil {
		return sheetCell{Note: "-"}
	}
	return sheetCell{Text: prose.Short(*age)}
}

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

// dataSections are about the grid's data sets.
func (r *Report) dataSections() []section {
	var list []section
	if r.Data != nil && len(r.Data.Readings) > 0 {
		list = append(list, section{Title: "Data sets read", Name: "readings", Sheets: []*sheet{readingsSheet(r.Data.Readings)}})
	}
	if len(r.Absent) > 0 {
		list = append(list, section{Title: "Data sets skipped", Name: "skipped", Sheets: []*sheet{absentSheet(r.Absent)}})
	}
	return list
}

// readingsSheet has a row for each data set: how its file was read, and what may be meant
// otherwise.
func readingsSheet(readings []results.ManifestReading) *sheet {
	s := &sheet{
		Name:    "readings",
		Title:   "How the files were read",
		Caption: "What was made of each file by its content or by the grid, and what may be meant otherwise. manifest.json has more names of features.",
		Columns: []sheetColumn{{Head: "data set", Label: true}, {Head: "read as", Wrap: true}, {Head: "warnings", Wrap: true}},
	}
	for _, r := range readings {
		warnings := sheetCell{Text: strings.Join(r.Warnings, ". ")}
		if r.Warnings == nil {
			warnings = sheetCell{Note: "-"}
		}
		s.Rows = append(s.Rows, []sheetCell{{Text: r.Name}, {Text: r.How}, warnings})
	}
	return s
}
