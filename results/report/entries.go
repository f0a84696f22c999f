package report

import (
	"iter"

	"github.com/agepath/agepath/results/analysis"
)

// entryAt is an entry of a table that has cells, with where it is.
type entryAt struct {
	table  *analysis.ScoreTable
	row    *analysis.ScoreRow
	method int // position in the table's methods
	entry  *analysis.ScoreEntry
}

// eachEntry goes over the entries of tables that have cells, row by row and in
// the order of the methods.
func eachEntry(tables ...*analysis.ScoreTable) iter.Seq[entryAt] {
	return func(yield func(entryAt) bool) {
		for _, table := range tables {
			for i := range table.Rows {
				row := &table.Rows[i]
				for j := range row.Entries {
					if e := &row.Entries[j]; e.Cells > 0 && !yield(entryAt{table, row, j, e}) {
						return
					}
				}
			}
		}
	}
}
