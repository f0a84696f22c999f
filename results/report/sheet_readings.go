package report

import (
	"strings"

	"github.com/agepath/agepath/results"
)

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
