package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/internal/prose"
)

// csvEqual says whether an entry is not significantly worse than the best, ""
// where that was not tested.
func csvEqual(row *analysis.ScoreRow, entry *analysis.ScoreEntry, score analysis.Score) string {
	if !row.Tested[score] || entry.Summary[score].N == 0 {
		return ""
	}
	return strconv.FormatBool(entry.Best[score] || entry.Equal[score])
}

// writeCSV writes one line for each row and method of every table: all
// dimensions, counts, and of each score mean, standard deviation and repeats that
// count, the mean over the repeats that all methods of the row have and their
// number, and whether that is the best, or not significantly worse, in full
// precision. Nothing that does not apply is written as 0: the field is empty.
func writeCSV(w io.Writer, r *Report) error { return writeTablesCSV(w, r.Tables) }

// writeChosenCSV writes the tables that lead the report in the same way.
func writeChosenCSV(w io.Writer, r *Report) error { return writeTablesCSV(w, r.Chosen) }

func writeTablesCSV(w io.Writer, tables []*analysis.ScoreTable) error {
	out := results.NewCSV(w)
	if err := out.Write(csvHead()); err != nil {
		return err
	}
	for _, table := range tables {
		for i := range table.Rows {
			row := &table.Rows[i]
			for j := range row.Entries {
				if row.Entries[j].Cells == 0 {
					continue
				}
				if err := out.Write(csvLine(table, row, j)); err != nil {
					return err
				}
			}
		}
	}
	return out.Flush()
}

func csvHead() []string {
	head := []string{"metric"}
	head = append(head, analysis.DimensionColumns[:]...)
	head = append(head, "method", "cells", "incomplete", "failed")
	for _, score := range analysis.Scores {
		for _, what := range []string{"mean", "std", "n"} {
			head = append(head, fmt.Sprintf("%s_%s", score, what))
		}
		if score != analysis.SelectionBias {
			head = append(head, fmt.Sprintf("%s_compared_mean", score), fmt.Sprintf("%s_compared_n", score),
				fmt.Sprintf("%s_best", score), fmt.Sprintf("%s_equal", score))
		}
	}
	return head
}

func csvLine(table *analysis.ScoreTable, row *analysis.ScoreRow, j int) []string {
	entry := &row.Entries[j]
	line := []string{string(table.Metric)}
	for _, value := range row.Setting {
		line = append(line, value.String())
	}
	line = append(line, table.Methods[j], strconv.Itoa(entry.Cells), strconv.Itoa(entry.Incomplete), strconv.Itoa(entry.Failed))
	for _, score := range analysis.Scores {
		s := entry.Summary[score]
		line = append(line, prose.Exact(s.Mean), prose.Exact(s.Std), strconv.Itoa(s.N))
		if score != analysis.SelectionBias {
			compared := entry.Compared[score]
			line = append(line, prose.Exact(compared.Mean), strconv.Itoa(compared.N), strconv.FormatBool(entry.Best[score]), csvEqual(row, entry, score))
		}
	}
	return line
}
