package analysis

import (
	"maps"
	"slices"

	"github.com/agepath/agepath/results/layout"
)

// statedWhereSeveral returns the extents and conditions.
func statedWhereSeveral(l *layout.Layout) []Dimension {
	stated := slices.Clone(l.Conditions)
	for _, e := range l.Extents {
		stated = append(stated, e.Dimension)
	}
	return stated
}

// dropConstant makes those of the extents and conditions null of which a data set has one
// value.
func dropConstant(l *layout.Layout, entries map[Setting]methodEntries) map[Setting]methodEntries {
	type key struct {
		dataset string
		d       Dimension
	}
	first, several := map[key]Value{}, map[key]bool{}
	stated := statedWhereSeveral(l)
	for setting := range entries {
		for _, d := range stated {
			at := key{setting[layout.Dataset].Text, d}
			switch value, known := first[at]; {
			case setting[d].IsNull():
			case !known:
				first[at] = setting[d]
			case value != setting[d]:
				several[at] = true
			}
		}
	}
	kept := make(map[Setting]methodEntries, len(entries))
	for setting, methods := range entries {
		for _, d := range stated {
			if !several[key{setting[layout.Dataset].Text, d}] {
				setting[d] = Value{}
			}
		}
		if kept[setting] == nil {
			kept[setting] = methodEntries{}
		}
		// methods either have the dimension or not: none is met twice
		maps.Copy(kept[setting], methods)
	}
	return kept
}

// AtFullExtent returns a table of the rows at which a data set has the fullest of the
// layout's extents, the first before the others: those to show where a figure has room
// for one.
func AtFullExtent(table *ScoreTable) *ScoreTable {
	fullest, l := map[string]Setting{}, table.Layout
	more := func(a, b Setting) bool {
		for _, e := range l.Extents {
			if d := e.Dimension; a[d] != b[d] {
				return (a[d].Number > b[d].Number) != e.Least
			}
		}
		return false
	}
	extent := func(s Setting) (of Setting) {
		for _, e := range l.Extents {
			of[e.Dimension] = s[e.Dimension]
		}
		return of
	}
	for i := range table.Rows {
		setting := table.Rows[i].Setting
		name := setting[layout.Dataset].Text
		if best, known := fullest[name]; !known || more(setting, best) {
			fullest[name] = extent(setting)
		}
	}
	full := *table
	full.Rows = nil
	for i := range table.Rows {
		if setting := table.Rows[i].Setting; extent(setting) == fullest[setting[layout.Dataset].Text] {
			full.Rows = append(full.Rows, table.Rows[i])
		}
	}
	return &full
}

// mostTraining returns the largest number of training rows that rows of a table
// state, by data set; 0 where they state none.
func mostTraining(table *ScoreTable) map[string]float64 {
	most, rows := map[string]float64{}, table.Layout.At("n_train")
	for i := range table.Rows {
		s := table.Rows[i].Setting
		most[s[layout.Dataset].Text] = max(most[s[layout.Dataset].Text], s[rows].Number)
	}
	return most
}
