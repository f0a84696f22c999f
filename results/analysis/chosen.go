package analysis

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
)

// place is where the cells of a method go once its hyperparameters are chosen.
type place struct {
	setting Setting
	method  string // without settings
}

// member is an entry of cells that a method can be represented by at a place.
type member struct {
	setting Setting
	method  string
	entry   *ScoreEntry
}

// places returns the entries that differ in nothing but hyperparameters, by
// their place. A parameter that has one value in all cells to compare stays in
// their setting.
func (g *cellGroups) places() map[place][]member {
	free := g.freeParameters()
	places := map[place][]member{}
	for setting, entries := range g.entries {
		for method, entry := range entries {
			at := place{row(g.schema.Layout, setting, free), MethodName(method)}
			places[at] = append(places[at], member{setting, method, entry})
		}
	}
	return places
}

// candidate is one cell that a method can be represented by.
type candidate struct {
	of   *member
	rank int // of the member
	RepeatScore
}

// candidatesOf returns the cells of the members by repeat, then by their
// parameters in the order of the columns, settings of the method last. It sorts
// the members.
func candidatesOf(members []member) []candidate {
	slices.SortFunc(members, func(a, b member) int {
		return cmp.Or(a.setting.Compare(b.setting), CompareMethods(a.method, b.method))
	})
	var list []candidate
	for rank := range members {
		m := &members[rank]
		for _, sample := range m.entry.Sample {
			list = append(list, candidate{m, rank, sample})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.rank, b.rank), bytes.Compare(a.Cell[:], b.Cell[:]))
	})
	return list
}

// chosenTables makes one table for each metric in which every method has its
// own hyperparameters in each repeat. [TestAtBestValidation] and [TestAtEnd]
// are scores of the cell with the best validation score, [TestAtBestTest] is
// the best test score of all cells; so [SelectionBias] is what choosing age and
// parameters by the test score adds. It also returns how many choices by the
// validation score rest on fewer cells than others of the same method.
func (g *cellGroups) chosenTables() (tables []*ScoreTable, fewer int) {
	g.entries = dropConstant(g.schema.Layout, g.entries)
	chosen := &cellGroups{schema: g.schema, entries: map[Setting]methodEntries{}, floors: g.floors, metrics: g.metrics, models: g.models}
	names := g.commonNames()
	varied := map[Metric][]Dimension{}
	settings := map[Metric]bool{}
	for at, members := range g.places() {
		metric := g.metric(at.setting)
		candidates := candidatesOf(members)
		choices, entry := choose(candidates, experiment.SelectValidation, metric)
		_, byTest := choose(candidates, experiment.SelectTest, metric)
		for i := range choices {
			score := &entry.Sample[i].Score
			score[TestAtBestTest] = byTest.Sample[i].Score[TestAtBestTest]
			if choices[i].Cell == "" { // no validation score to choose by
				score[TestAtBestValidation], score[TestAtEnd] = math.NaN(), math.NaN()
			}
			if choices[i].onFewer() {
				fewer++
			}
		}
		if chosen.entries[at.setting] == nil {
			chosen.entries[at.setting] = methodEntries{}
		}
		chosen.entries[at.setting][names[at.method]] = entry
		for _, m := range members {
			settings[metric] = settings[metric] || m.method != members[0].method
			for _, d := range g.schema.Chosen() {
				if m.setting[d] != at.setting[d] && !slices.Contains(varied[metric], d) {
					varied[metric] = append(varied[metric], d)
				}
			}
		}
	}
	tables = chosen.tables()
	for _, table := range tables {
		slices.Sort(varied[table.Metric])
		for _, d := range varied[table.Metric] {
			i := slices.Index(g.schema.Chosen(), d)
			table.Parameters = append(table.Parameters, g.schema.Hyperparameters[i].Words)
		}
		if settings[table.Metric] {
			table.Parameters = append(table.Parameters, "settings of methods")
		}
	}
	return tables, fewer
}

// commonNames returns, by a method's name, that name with the settings that all
// its entries have.
func (g *cellGroups) commonNames() map[string]string {
	all := map[string]bool{}
	for _, entries := range g.entries {
		for method := range entries {
			all[method] = true
		}
	}
	methods := slices.Collect(maps.Keys(all))
	names := map[string]string{}
	for _, method := range methods {
		name := MethodName(method)
		names[name] = strings.Join(append([]string{name}, commonSettings(methods, name)...), " ")
	}
	return names
}
