package analysis

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// place is the row and method of cells, after a choice of hyperparameters without settings.
type place struct {
	setting layout.Setting
	method  string
}

type member struct {
	setting layout.Setting
	method  string
	entry   *ScoreEntry
}

// places groups the entries that differ only in hyperparameters. A parameter with a single value in
// all cells stays in the setting. With variant, entries of a group may also differ in the layout's
// variant, unless there is a single method, whose variants count as methods.
func (g *cellGroups) places(variant bool) map[place][]member {
	free := g.freeParameters()
	places := map[place][]member{}
	methods := methodsOf(g.entries)
	for setting, entries := range g.entries {
		for method, entry := range entries {
			at := place{row(g.schema.Layout, setting, free), MethodName(method)}
			if variant {
				if MethodName(methods[0]) == MethodName(methods[len(methods)-1]) {
					at.method += " " + g.schema.VariantAspect().Text(at.setting)
				}
				at.setting = at.setting.Without(g.schema.Variant...)
			}
			places[at] = append(places[at], member{setting, method, entry})
		}
	}
	return places
}

type candidate struct {
	of   *member
	rank int
	RepeatScore
}

// candidatesOf orders cells by repeat, then by parameters in the order of the columns, settings of
// the method last. It sorts the members.
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
		return cmp.Or(cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.rank, b.rank), a.Cell.Compare(b.Cell))
	})
	return list
}

// Choice is a choice of hyperparameters.
type Choice struct {
	Words   string // such as "mixture γ=0.5, C=10"
	Repeats int
}

// chosenTables makes one table for each metric in which every method has its own hyperparameters in
// each repeat, and with variant its own variant of the layout. [TestAtBestValidation] and
// [TestAtEnd] are of the cell with the best validation score; [TestAtBestTest] is the best test
// score of all cells, so [SelectionBias] is the gain of choosing age and parameters by the test
// score. fewer counts the choices by the validation score that rest on fewer cells than others of
// the same method.
func (g *cellGroups) chosenTables(variant bool) (tables []*ScoreTable, fewer int) {
	g.entries = dropConstant(g.schema.Layout, g.entries)
	chosen := &cellGroups{schema: g.schema, entries: map[layout.Setting]methodEntries{}, floors: g.floors, metrics: g.metrics, models: g.models, scaled: g.scaled, tests: g.tests}
	names := g.commonNames()
	words := map[Metric]map[string]bool{} // of what differs
	for at, members := range g.places(variant) {
		metric := g.metric(at.setting)
		candidates := candidatesOf(members)
		choices, entry := choose(candidates, experiment.SelectValidation, metric)
		byTest, oracle := choose(candidates, experiment.SelectTest, metric)
		for i := range choices {
			sample, best := &entry.Sample[i], &oracle.Sample[i]
			sample.Score[TestAtBestTest], sample.Step[1] = best.Score[TestAtBestTest], best.Step[1]
			if choices[i].Cell == "" { // no validation score
				sample.Score[TestAtBestValidation], sample.Score[TestAtEnd], sample.Step[0] = math.NaN(), math.NaN(), math.NaN()
				sample.AtEnd = 0
				sample.Step[2] = best.Step[2]
			}
			if c := &choices[i]; c.unequal || c.Candidates > 1 && c.Incomplete+c.Failed > 0 {
				fewer++
			}
		}
		if len(RepeatsWith(entry.Sample, TestAtBestValidation)) == 0 {
			choices = byTest
		}
		entry.Chosen = countChoices(g.schema.Layout, at.setting, choices)
		entry.Ends = endsOf(g.schema.Layout, members, choices, entry.Sample)
		name, settings := CutMethod(at.method)
		under(chosen.entries, at.setting)[strings.TrimSpace(names[name]+" "+settings)] = entry
		for _, m := range members {
			for _, a := range g.schema.Aspects {
				if slices.ContainsFunc(a.Dimensions, func(d layout.Dimension) bool { return m.setting[d] != at.setting[d] }) {
					under(words, metric)[a.Name] = true
				}
			}
			if m.method != members[0].method {
				under(words, metric)[settingsWord] = true
			}
		}
	}
	tables = chosen.tables()
	for _, table := range tables {
		for _, a := range append(slices.Clip(g.schema.Aspects), layout.Aspect{Name: settingsWord}) {
			if words[table.Metric][a.Name] {
				table.Parameters = append(table.Parameters, a.Name)
			}
		}
	}
	return tables, fewer
}

const settingsWord = "settings of methods"

// countChoices sorts by descending number of repeats.
func countChoices(l *layout.Layout, at layout.Setting, choices []Selected) []Choice {
	var list []Choice
	for i := range choices {
		if choices[i].Cell == "" {
			continue
		}
		words := chosenWords(l, at, &choices[i])
		k := slices.IndexFunc(list, func(c Choice) bool { return c.Words == words })
		if k < 0 {
			k = len(list)
			list = append(list, Choice{Words: words})
		}
		list[k].Repeats++
	}
	slices.SortStableFunc(list, func(a, b Choice) int { return cmp.Compare(b.Repeats, a.Repeats) })
	return list
}

// endsOf names the numbers that most choices take from an end of a list of three or more, and ages at
// an end of the path.
func endsOf(l *layout.Layout, members []member, choices []Selected, sample []RepeatScore) (ends []string) {
	add := func(words string, of int, holds func(i int) bool) {
		n := 0
		for i := range of {
			if holds(i) {
				n++
			}
		}
		if 2*n > of {
			ends = append(ends, words)
		}
	}
	for _, d := range l.Chosen() {
		values := map[float64]bool{}
		for _, m := range members {
			if v := m.setting[d]; v.IsNumber && !slices.Contains(l.Variant, d) {
				values[v.Number] = true
			}
		}
		if list := slices.Sorted(maps.Keys(values)); len(list) > 2 {
			for end, words := range map[float64]string{list[0]: "smallest", list[len(list)-1]: "largest"} {
				add(fmt.Sprintf("%s=%s, the %s", l.AspectOf(d).Name, prose.Short(end), words), len(choices), func(i int) bool {
					v := choices[i].Setting[d]
					return choices[i].Cell != "" && v.IsNumber && v.Number == end
				})
			}
		}
	}
	add("the smallest "+l.Step.Word, len(sample), func(i int) bool { return sample[i].AtEnd < 0 })
	add("the largest "+l.Step.Word, len(sample), func(i int) bool { return sample[i].AtEnd > 0 })
	return ends
}

// chosenWords names the values that the setting leaves open.
func chosenWords(l *layout.Layout, at layout.Setting, s *Selected) string {
	var words []string
	for _, a := range l.Aspects {
		if !slices.ContainsFunc(a.Dimensions, func(d layout.Dimension) bool { return s.Setting[d] != at[d] }) {
			continue
		}
		text := a.Text(s.Setting)
		if a.Words != nil && len(a.Dimensions) == 1 {
			text = a.Words(text)
		}
		words = append(words, text)
	}
	if s.Shown != "" {
		words = append(words, s.Shown)
	}
	return strings.Join(words, ", ")
}

func (g *cellGroups) hasVariants() bool {
	v := g.schema.Variant
	if v == nil {
		return false
	}
	first := map[place]layout.Setting{}
	for setting, entries := range g.entries {
		for method := range entries {
			at := place{setting.Without(v...), MethodName(method)}
			if other, known := first[at]; known && only(other, v) != only(setting, v) {
				return true
			}
			first[at] = setting
		}
	}
	return false
}

// commonNames adds to a method's name the settings that all its entries share.
func (g *cellGroups) commonNames() map[string]string {
	methods := methodsOf(g.entries)
	names := map[string]string{}
	for _, method := range methods {
		name := MethodName(method)
		names[name] = strings.Join(append([]string{name}, commonSettings(methods, name)...), " ")
	}
	return names
}

// choices describes the ways to choose; nil for kinds with one.
func (g *cellGroups) choices() []string {
	if path := g.schema.Path; path == nil || path.Choice == layout.Dataset {
		return nil
	}
	words := map[string]bool{}
	for setting := range g.entries {
		if text := setting[g.schema.Path.Choice].Text; text != "" {
			words[text] = true
		}
	}
	return slices.Sorted(maps.Keys(words))
}

// ChosenCell is a cell whose point was chosen by validation scores.
type ChosenCell struct {
	Samples []*RepeatScore // equal ones, for it can be in several entries
	Metric  Metric
}

func (g *cellGroups) chooseAgain(ctx context.Context, dir, kind string, rule choice.Rule) error {
	choose := owns[kind].Choose
	if choose == nil {
		return fmt.Errorf("the kind of experiment has one way to choose a %s; leave the rule %s out", g.schema.Step.Word, rule)
	}
	cells := map[string]*ChosenCell{}
	g.each(func(setting layout.Setting, entry *ScoreEntry) {
		for i := range entry.Sample {
			s := &entry.Sample[i]
			if math.IsNaN(s.BestValidation) {
				continue
			}
			id := s.Cell.String()
			cell := valueOf(cells, id, ChosenCell{Metric: g.metric(setting)})
			cell.Samples = append(cell.Samples, s)
		}
	})
	if err := choose(ctx, dir, rule, cells); err != nil {
		return err
	}
	d, n := g.schema.Path.Choice, len(g.entries)
	g.rename(func(setting layout.Setting) layout.Setting {
		if !setting[d].IsNull() {
			setting[d].Text = rule.Instead(setting[d].Text)
		}
		return setting
	}, func(method string) string { return method })
	if len(g.entries) < n {
		return fmt.Errorf("with --choose, some cells would be identical: they differ only in their %s, which %s replaces; drop --choose", g.schema.Column(d), rule)
	}
	return nil
}
