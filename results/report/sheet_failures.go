package report

import (
	"fmt"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/internal/prose"
)

// failureSheets list the incomplete cells and the failed ones, as many as a
// report has of each.
func (r *Report) failureSheets() []*sheet {
	incomplete := &sheet{
		name: "incomplete", title: "Incomplete cells: " + firstOf(r.Incomplete),
		caption: "Their paths stop at the age reached, before the last age that they were asked for. Means leave them out; curves over the age show them as far as they go.",
		columns: []sheetColumn{{head: "cell"}, {head: "what", label: true, wrap: true}, {head: "age reached", right: true}, {head: "reason", wrap: true}},
	}
	failed := &sheet{
		name: "failed", title: "Failed cells: " + firstOf(r.Failed), caption: "They have no scores.",
		columns: []sheetColumn{{head: "cell"}, {head: "what", label: true, wrap: true}, {head: "status"}, {head: "reason", wrap: true}},
	}
	for _, f := range r.Failures {
		if f.Status == experiment.Incomplete {
			incomplete.rows = append(incomplete.rows, []sheetCell{{text: f.Cell}, {text: f.What}, reachedCell(f.Reached), {text: f.Error}})
		} else {
			failed.rows = append(failed.rows, []sheetCell{{text: f.Cell}, {text: f.What}, {text: string(f.Status)}, {text: f.Error}})
		}
	}
	var sheets []*sheet
	for _, s := range []*sheet{incomplete, failed} {
		if len(s.rows) > 0 {
			sheets = append(sheets, s)
		}
	}
	return sheets
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
		return sheetCell{note: "-"}
	}
	return sheetCell{text: prose.Short(*age)}
}
