package analysis

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

type cellGroups struct {
	schema  *schema
	entries map[layout.Setting]methodEntries
	floors  map[layout.Setting]*ScoreEntry // not in entries
	metrics map[[2]string]Metric           // by data set and model
	models  map[string]Metric              // by model
	scaled  bool                           // cells of an older version lack the unit of the target

	selected experiment.Select // by which selectBest chose
	tests    Tests
}

type methodEntries map[string]*ScoreEntry

func newCellGroups(schema *schema) *cellGroups {
	return &cellGroups{
		schema:  schema,
		entries: map[layout.Setting]methodEntries{},
		floors:  map[layout.Setting]*ScoreEntry{},
		metrics: map[[2]string]Metric{},
		models:  map[string]Metric{},
		tests:   DefaultTests,
	}
}

func (g *cellGroups) add(columns *cellColumns) error {
	for row := range columns.rows {
		sample, metric, err := columns.sample(row)
		if err != nil {
			return err
		}
		unit := 1.0
		if metric.Of().InTarget {
			unit = number(columns.unit, row)
		}
		setting, method := columns.setting(row), columns.exactMethod(row)
		entry := g.entry(setting, method)
		entry.Cells++
		switch {
		case sample.Status.Failed():
			entry.Failed++
		case sample.Status == experiment.Incomplete:
			entry.Incomplete++
		}
		if math.IsNaN(unit) && !g.scaled {
			g.scaled = true
			g.each(func(_ layout.Setting, e *ScoreEntry) {
				for i := range e.Sample {
					e.Sample[i].inUnit(1)
				}
			})
		}
		if !g.scaled {
			sample.inUnit(unit)
		}
		entry.Sample = append(entry.Sample, sample)
		if metric != "" {
			data, model := setting[layout.Dataset].Text, setting[layout.Model].Text
			g.metrics[[2]string{data, model}] = metric
			if method != g.schema.floorName() {
				g.models[model] = metric
			}
		}
	}
	return nil
}

// each calls f with every entry, the floors' included.
func (g *cellGroups) each(f func(setting layout.Setting, entry *ScoreEntry)) {
	for setting, entries := range g.entries {
		for _, entry := range entries {
			f(setting, entry)
		}
	}
	for setting, entry := range g.floors {
		f(setting, entry)
	}
}

// inUnit multiplies scores of the scaled target.
func (r *RepeatScore) inUnit(unit float64) {
	by := unit / r.Unit
	for s := range r.Score {
		r.Score[s] *= by
	}
	for k := range r.Without {
		r.Without[k] *= by
	}
	r.BestValidation, r.Unit = r.BestValidation*by, unit
}

func (g *cellGroups) entry(setting layout.Setting, method string) *ScoreEntry {
	if method == g.schema.floorName() {
		return valueOf(g.floors, setting, ScoreEntry{})
	}
	return valueOf(under(g.entries, setting), method, ScoreEntry{})
}

// under returns the map of a key, which it makes if there is none.
func under[K, L comparable, V any, Inner ~map[L]V](m map[K]Inner, key K) Inner {
	if m[key] == nil {
		m[key] = Inner{}
	}
	return m[key]
}

// valueOf returns the value of a key, which is first a copy of the given one.
func valueOf[K comparable, V any, M ~map[K]*V](m M, key K, first V) *V {
	if m[key] == nil {
		value := first
		m[key] = &value
	}
	return m[key]
}

// metric falls back to the model's metric on other data.
func (g *cellGroups) metric(s layout.Setting) Metric {
	data, model := s[layout.Dataset].Text, s[layout.Model].Text
	if metric, ok := g.metrics[[2]string{data, model}]; ok {
		return metric
	}
	return g.models[model]
}

// ignored is a set of the layout's ignorable dimensions.
type ignored uint16

func missing(l *layout.Layout, s layout.Setting) ignored {
	var set ignored
	for i, d := range l.Ignorable {
		if s[d].IsNull() {
			set |= 1 << i
		}
	}
	return set
}

func project(l *layout.Layout, s layout.Setting, set ignored) layout.Setting {
	for i, d := range l.Ignorable {
		if set&(1<<i) != 0 {
			s[d] = layout.Value{}
		}
	}
	return s
}

// spreadIgnored moves entries of methods that ignore dimensions into the rows of other methods that
// agree in the remaining dimensions and state more, if there are any. Of two entries of a method in
// a row, the one that states more counts.
func spreadIgnored(l *layout.Layout, entries map[layout.Setting]methodEntries) {
	sets := map[ignored]bool{}
	for setting := range entries {
		sets[missing(l, setting)] = true
	}
	fuller := map[layout.Setting][]layout.Setting{}
	for set := range sets {
		for setting := range entries {
			if has := missing(l, setting); has&set == has && has != set {
				if plain := project(l, setting, set); entries[plain] != nil {
					fuller[plain] = append(fuller[plain], setting)
				}
			}
		}
	}
	moved := slices.SortedFunc(maps.Keys(fuller), func(a, b layout.Setting) int {
		return cmp.Or(cmp.Compare(bits.OnesCount16(uint16(missing(l, a))), bits.OnesCount16(uint16(missing(l, b)))), a.Compare(b))
	})
	for _, plain := range moved {
		for method, entry := range entries[plain] {
			for _, setting := range fuller[plain] {
				if fuller[setting] == nil && entries[setting][method] == nil {
					entries[setting][method] = entry
				}
			}
		}
	}
	maps.DeleteFunc(entries, func(plain layout.Setting, _ methodEntries) bool { return fuller[plain] != nil })
}

func statedWhereSeveral(l *layout.Layout) []layout.Dimension {
	return slices.Concat(l.Conditions, lists.Map(l.Extents, func(e layout.Extent) layout.Dimension { return e.Dimension }))
}

// dropConstant sets extents and conditions to null for data sets with a single value.
func dropConstant(l *layout.Layout, entries map[layout.Setting]methodEntries) map[layout.Setting]methodEntries {
	type key struct {
		dataset string
		d       layout.Dimension
	}
	first, several := map[key]layout.Value{}, map[key]bool{}
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
	kept := make(map[layout.Setting]methodEntries, len(entries))
	for setting, methods := range entries {
		for _, d := range stated {
			if !several[key{setting[layout.Dataset].Text, d}] {
				setting[d] = layout.Value{}
			}
		}
		// no conflict: a method has the dimension in all entries or in none
		maps.Copy(under(kept, setting), methods)
	}
	return kept
}

// AtFullExtent returns the rows with the fullest extent of each data set; earlier extents of the
// layout take precedence.
func AtFullExtent(table *ScoreTable) *ScoreTable {
	compare := func(a, b layout.Setting) int {
		for _, e := range table.Layout.Extents {
			switch c := layout.CompareValues(a[e.Dimension], b[e.Dimension]); {
			case c != 0 && e.Least:
				return -c
			case c != 0:
				return c
			}
		}
		return 0
	}
	fullest := map[string]layout.Setting{}
	for _, setting := range table.Settings() {
		name := setting[layout.Dataset].Text
		if best, known := fullest[name]; !known || compare(setting, best) > 0 {
			fullest[name] = setting
		}
	}
	full := *table
	full.Rows = slices.DeleteFunc(slices.Clone(table.Rows), func(row *ScoreRow) bool {
		return compare(row.Setting, fullest[row.Setting[layout.Dataset].Text]) != 0
	})
	return &full
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// distinguish shows all digits of numbers whose short texts are equal: 0.3 and a range's
// 0.30000000000000004 would give two rows, or two methods, of the same name.
func (g *cellGroups) distinguish() {
	type shown struct {
		d    layout.Dimension
		text string
	}
	values, methods := map[shown]map[layout.Value]bool{}, map[string]map[string]bool{} // by short text
	add := func(setting layout.Setting) {
		for d, value := range setting {
			if value.IsNumber {
				under(values, shown{layout.Dimension(d), value.String()})[value] = true
			}
		}
	}
	for setting, entries := range g.entries {
		add(setting)
		for method := range entries {
			under(methods, shortMethod(method))[method] = true
		}
	}
	for setting := range g.floors {
		add(setting)
	}
	g.rename(func(setting layout.Setting) layout.Setting {
		for d, value := range setting {
			if value.IsNumber && len(values[shown{layout.Dimension(d), value.String()}]) > 1 {
				setting[d].Text = exact(value.Number)
			}
		}
		return setting
	}, func(method string) string {
		if text := shortMethod(method); len(methods[text]) == 1 {
			return text
		}
		return method
	})
}

func (g *cellGroups) rename(setting func(layout.Setting) layout.Setting, method func(string) string) {
	entries, floors := map[layout.Setting]methodEntries{}, map[layout.Setting]*ScoreEntry{}
	for at, of := range g.entries {
		renamed := under(entries, setting(at))
		for name, entry := range of {
			renamed[method(name)] = entry
		}
	}
	for at, entry := range g.floors {
		floors[setting(at)] = entry
	}
	g.entries, g.floors = entries, floors
}

func shortMethod(method string) string {
	if !strings.Contains(method, "=") {
		return method
	}
	words := strings.Fields(method)
	for i, word := range words {
		name, value, found := strings.Cut(word, "=")
		if x, err := strconv.ParseFloat(value, 64); found && err == nil {
			words[i] = name + "=" + prose.Short(x)
		}
	}
	return strings.Join(words, " ")
}
