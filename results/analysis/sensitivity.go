package analysis

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
)

// ScoreTable has a row for each setting and an entry for each method.
type ScoreTable struct {
	Layout  *layout.Layout
	Metric  Metric
	Scaled  bool         // the scores are of the scaled target
	Columns [scores]bool // that the kind has
	Methods []string     // by kind, then by name; with settings as in "huber-lasso delta=0.2"
	Rows    []*ScoreRow

	// Select chose the parameters in each repeat; "" if each value has its own row.
	Select     experiment.Select
	Parameters []string
	Tests      Tests
}

// ScoreRow is one setting of a grid.
type ScoreRow struct {
	Setting layout.Setting
	Repeats int          // distinct
	Entries []ScoreEntry // by method
	Floor   *ScoreEntry  // nil without cells
	Common  [scores]Common
	Tested  [scores]bool // some method was compared with the best by a test
}

// Lead is the score to show if there is room for one: if no cell has a validation score, the one that
// every scored method has.
func (t *ScoreTable) Lead() Score {
	switch {
	case t.Has(TestAtBestValidation):
		return TestAtBestValidation
	case t.Columns[TestAtBestTest]:
		return TestAtBestTest
	}
	return TestAtEnd
}

func (t *ScoreTable) Settings() []layout.Setting {
	return lists.Map(t.Rows, func(row *ScoreRow) layout.Setting { return row.Setting })
}

// Groups returns the rows that agree in all but the given dimensions.
func (t *ScoreTable) Groups(free ...layout.Dimension) [][]*ScoreRow {
	index := map[layout.Setting]int{}
	var groups [][]*ScoreRow
	for _, row := range t.Rows {
		key := row.Setting.Without(free...)
		at, ok := index[key]
		if !ok {
			at = len(groups)
			index[key] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], row)
	}
	return groups
}

// ScoreEntry holds the scores of one method in one setting.
type ScoreEntry struct {
	Cells      int // in the files; 0 if not run yet
	Incomplete int // whose path stops early
	Failed     int // not computed
	Summary    [scores]Summary
	Compared   [scores]Summary // over the common repeats
	Best       [scores]bool    // of these means, several if equal; never of SelectionBias
	Equal      [scores]bool    // no significant difference from the best

	Chosen []Choice // by descending repeats
	Ends   []string // choices of most repeats at an end of their list, such as "C=10, the largest"

	Sample []RepeatScore
}

// RepeatScore holds the scores of one cell, NaN if missing. All are NaN for a path that stops
// early, whose best score is not the best over the requested ages.
type RepeatScore struct {
	Repeat int64
	Score  [scores]float64
	Step   [3]float64 // of the best validation and test score; the last at which a row does not count, 0 for none

	Seconds        [2]float64 // processor and elapsed, or NaN
	BestValidation float64    // by which the age was chosen
	AtEnd          int8       // -1 if the step of the best validation score is the first, 1 if it is the last, and a row is out there
	Ratio          float64    // of test to training rows, validation included; 0 of a kind without columns for it
	Points, Fits   int64      // of the path, and those with their own model; 0 if unknown
	Unit           float64    // by which scores of the scaled target are multiplied; 1 for others
	Cell           results.CellKey

	Far     float64                     // share of the test rows that are far from the method, or NaN
	Without [len(metric.Shares)]float64 // RMSE without the shares of the largest errors
	Status  experiment.Status
}

func (r *RepeatScore) Whole() bool { return r.Status == experiment.OK }

// tables makes one table for each metric. A method that ignores a dimension of the grid (original
// ignores the regularizer) is in the row of each of its values. Each setting of a method's own
// settings is a method. Null and non-finite scores are excluded from the summaries and their N. It
// must be the last call.
func (g *cellGroups) tables() []*ScoreTable {
	g.entries = dropConstant(g.schema.Layout, g.entries)
	spreadIgnored(g.schema.Layout, g.entries)
	floor := g.floorOf()
	byMetric := map[Metric]map[layout.Setting]methodEntries{}
	for setting, entries := range g.entries {
		under(byMetric, g.metric(setting))[setting] = entries
	}
	var tables []*ScoreTable
	for _, metric := range slices.Sorted(maps.Keys(byMetric)) {
		for _, entries := range byMetric[metric] {
			for _, entry := range entries {
				entry.summarize(metric)
			}
		}
		table := newScoreTable(metric, byMetric[metric], func(row layout.Setting) *ScoreEntry { return floor(row, metric) })
		table.Layout, table.Columns, table.Select, table.Tests = g.schema.Layout, g.schema.scored(), g.selected, g.tests
		table.Scaled = g.scaled && metric.Of().InTarget
		tables = append(tables, table)
	}
	markEqual(tables)
	return tables
}

func newScoreTable(metric Metric, rows map[layout.Setting]methodEntries, floor func(row layout.Setting) *ScoreEntry) *ScoreTable {
	table := &ScoreTable{Metric: metric, Methods: methodsOf(rows)}
	for _, setting := range slices.SortedFunc(maps.Keys(rows), layout.Setting.Compare) {
		row := &ScoreRow{Setting: setting, Entries: make([]ScoreEntry, len(table.Methods)), Floor: floor(setting)}
		repeats := map[int64]bool{}
		for j, method := range table.Methods {
			entry := rows[setting][method]
			if entry == nil {
				continue
			}
			row.Entries[j] = *entry
			for _, r := range entry.Sample {
				repeats[r.Repeat] = true
			}
		}
		row.Repeats = len(repeats)
		row.compare()
		row.markBest(metric)
		table.Rows = append(table.Rows, row)
	}
	return table
}

func methodsOf(rows map[layout.Setting]methodEntries) []string {
	methods := map[string]bool{}
	for _, entries := range rows {
		for method := range entries {
			methods[method] = true
		}
	}
	return slices.SortedFunc(maps.Keys(methods), CompareMethods)
}

// summarize sorts the sample by repeat: sums must not depend on the order of the file. It is
// idempotent.
func (e *ScoreEntry) summarize(metric Metric) {
	e.Sample = slices.Clone(e.Sample) // frees unused capacity
	slices.SortFunc(e.Sample, func(a, b RepeatScore) int {
		return cmp.Or(cmp.Compare(a.Repeat, b.Repeat), a.Cell.Compare(b.Cell))
	})
	values := make([]float64, len(e.Sample))
	for score := range scores {
		for i := range e.Sample {
			s := &e.Sample[i].Score
			if score == SelectionBias {
				s[SelectionBias] = s[TestAtBestValidation] - s[TestAtBestTest]
				if metric.Of().Higher {
					s[SelectionBias] = -s[SelectionBias]
				}
			}
			values[i] = s[score]
		}
		e.Summary[score] = Summarize(values)
	}
}

// markBest ignores rows with one method.
func (r *ScoreRow) markBest(metric Metric) {
	for score := range SelectionBias {
		if !r.Common[score].Compares() {
			continue
		}
		best := -1
		for j := range r.Entries {
			s := r.Entries[j].Compared[score]
			if s.N > 0 && (best < 0 || metric.Better(s.Mean, r.Entries[best].Compared[score].Mean)) {
				best = j
			}
		}
		for j := range r.Entries {
			s := r.Entries[j].Compared[score]
			r.Entries[j].Best[score] = s.N > 0 && s.Mean == r.Entries[best].Compared[score].Mean
		}
	}
}

func (t *ScoreTable) Has(score Score) bool {
	return slices.ContainsFunc(t.Rows, func(r *ScoreRow) bool {
		return slices.ContainsFunc(r.Entries, func(e ScoreEntry) bool { return e.Summary[score].N > 0 })
	})
}

// EntryAt is an entry with its place.
type EntryAt struct {
	Table  *ScoreTable
	Row    *ScoreRow
	Method int // in the table
	Entry  *ScoreEntry
}

// EachEntry yields the entries with cells.
func EachEntry(tables ...*ScoreTable) iter.Seq[EntryAt] {
	return func(yield func(EntryAt) bool) {
		for _, table := range tables {
			for _, row := range table.Rows {
				for j := range row.Entries {
					if e := &row.Entries[j]; e.Cells > 0 && !yield(EntryAt{table, row, j, e}) {
						return
					}
				}
			}
		}
	}
}
