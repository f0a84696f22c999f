package analysis

import (
	"maps"
	"slices"
)

// extents are the dimensions that a row states only where a data set has several
// values of them: most grids have one split and one range of ages.
var extents = []Dimension{DimTrain, DimAgeMin, DimAgeMax, DimAgeStep}

// conditions are further such dimensions, of which none says more than another.
var conditions = []Dimension{
	DimIntercept, DimProtocol, DimSplitTrain, DimSplitTest, DimSplitValidation, DimScaleFeatures, DimScaleTarget,
}

// dropConstant makes those of extents and conditions null of which a data set has one
// value.
func dropConstant(entries map[Setting]methodEntries) map[Setting]methodEntries {
	type key struct {
		dataset string
		d       Dimension
	}
	first, several := map[key]Value{}, map[key]bool{}
	stated := slices.Concat(extents, conditions)
	for setting := range entries {
		for _, d := range stated {
			at := key{setting[DimDataset].Text, d}
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
			if !several[key{setting[DimDataset].Text, d}] {
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

// AtFullExtent returns a table of the rows at which a data set has most training
// rows, then the widest range of ages, then the finest steps: those to show where
// a figure has room for one.
func AtFullExtent(table *ScoreTable) *ScoreTable {
	fullest := map[string]Setting{}
	more := func(a, b Setting) bool {
		for _, d := range extents {
			if a[d] != b[d] {
				larger := d == DimTrain || d == DimAgeMax
				return (a[d].Number > b[d].Number) == larger
			}
		}
		return false
	}
	extent := func(s Setting) (of Setting) {
		for _, d := range extents {
			of[d] = s[d]
		}
		return of
	}
	for i := range table.Rows {
		setting := table.Rows[i].Setting
		name := setting[DimDataset].Text
		if best, known := fullest[name]; !known || more(setting, best) {
			fullest[name] = extent(setting)
		}
	}
	full := *table
	full.Rows = nil
	for i := range table.Rows {
		if setting := table.Rows[i].Setting; extent(setting) == fullest[setting[DimDataset].Text] {
			full.Rows = append(full.Rows, table.Rows[i])
		}
	}
	return &full
}

// mostTraining returns the largest number of training rows that rows of a table
// state, by data set; 0 where they state none.
func mostTraining(table *ScoreTable) map[string]float64 {
	most := map[string]float64{}
	for i := range table.Rows {
		s := table.Rows[i].Setting
		most[s[DimDataset].Text] = max(most[s[DimDataset].Text], s[DimTrain].Number)
	}
	return most
}
