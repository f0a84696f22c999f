package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results/layout"
)

// SelectedFile has the choices of select: best.
const SelectedFile = "selected.csv"

// Selected is the cell that represents a method in one repeat.
type Selected struct {
	Row        layout.Setting // of the table
	Setting    layout.Setting // after the choice
	Method     string         // as in [ScoreTable.Methods]
	Repeat     int64
	Cell       string // "" if no candidate has a score
	By         experiment.Select
	Value      float64         // of By
	Score      [scores]float64 // on the test part, or NaN
	Candidates int             // in the files
	Incomplete int             // whose path stops early, never chosen
	Failed     int             // not computed

	Shown   string // differing settings of the candidates
	unequal bool   // another repeat has more candidates
}

// selectBest replaces the cells of each method and repeat that differ only in hyperparameters by
// the best of them. The smallest parameters break ties, in the order of the columns, settings of
// the method last. It returns the choices in the order of rows, methods and repeats; nil for
// [experiment.SelectAll], which changes nothing.
func (g *cellGroups) selectBest(by experiment.Select) []Selected {
	if by == experiment.SelectAll {
		return nil
	}
	g.selected = by
	g.entries = dropConstant(g.schema.Layout, g.entries)
	places := g.places(false)
	g.entries = map[layout.Setting]methodEntries{}
	var all []Selected
	for at, members := range places {
		choices, entry := choose(candidatesOf(members), by, g.metric(at.setting))
		for i := range choices {
			choices[i].Row = at.setting
		}
		all = append(all, choices...)
		under(g.entries, at.setting)[at.method] = entry
	}
	slices.SortFunc(all, func(a, b Selected) int {
		return cmp.Or(a.Row.Compare(b.Row), CompareMethods(MethodName(a.Method), MethodName(b.Method)), cmp.Compare(a.Repeat, b.Repeat))
	})
	return all
}

// scope is the setting in whose cells the values of a hyperparameter are counted: without the
// chosen dimensions and h.Across, because some methods ignore these.
func scope(l *layout.Layout, setting layout.Setting, h *layout.Hyperparameter) layout.Setting {
	return setting.Without(l.Chosen()...).Without(h.Across...)
}

// freeParameters have more than one value in their scope.
func (g *cellGroups) freeParameters() map[layout.Setting][]layout.Dimension {
	type key struct {
		scope layout.Setting
		d     layout.Dimension
	}
	first := map[key]layout.Value{}
	free := map[layout.Setting][]layout.Dimension{}
	for setting := range g.entries {
		for i := range g.schema.Hyperparameters {
			h := &g.schema.Hyperparameters[i]
			d := h.Dimension
			if setting[d].IsNull() {
				continue
			}
			at := key{scope(g.schema.Layout, setting, h), d}
			if value, known := first[at]; !known {
				first[at] = setting[d]
			} else if value != setting[d] && !slices.Contains(free[at.scope], d) {
				free[at.scope] = append(free[at.scope], d)
			}
		}
	}
	return free
}

func row(l *layout.Layout, setting layout.Setting, free map[layout.Setting][]layout.Dimension) layout.Setting {
	at := setting
	for i := range l.Hyperparameters {
		h := &l.Hyperparameters[i]
		if slices.Contains(free[scope(l, setting, h)], h.Dimension) {
			at[h.Dimension] = layout.Value{}
		}
	}
	return at
}

func choose(candidates []candidate, by experiment.Select, metric Metric) ([]Selected, *ScoreEntry) {
	entry := &ScoreEntry{Cells: len(candidates)}
	var choices []Selected
	most := 0
	for begin, end := 0, 0; begin < len(candidates); begin = end {
		best, value, incomplete, failed := begin, math.NaN(), 0, 0
		for end = begin; end < len(candidates) && candidates[end].Repeat == candidates[begin].Repeat; end++ {
			c := &candidates[end]
			switch {
			case c.Status.Failed():
				failed++
			case c.Status == experiment.Incomplete:
				incomplete++
			}
			x := c.BestValidation
			if by == experiment.SelectTest {
				x = c.Score[TestAtBestTest]
			}
			if !math.IsNaN(x) && !math.IsInf(x, 0) && (math.IsNaN(value) || metric.Better(x, value)) {
				best, value = end, x
			}
		}
		c := candidates[best]
		s := Selected{
			Setting: c.of.setting, Method: c.of.method, Repeat: c.Repeat, By: by, Value: value, Score: c.Score,
			Candidates: end - begin, Incomplete: incomplete, Failed: failed,
		}
		if !math.IsNaN(value) {
			s.Cell = c.Cell.String()
		}
		most = max(most, s.Candidates)
		entry.Incomplete += incomplete
		entry.Failed += failed
		entry.Sample = append(entry.Sample, c.RepeatScore)
		choices = append(choices, s)
	}
	methods := lists.Map(candidates, func(c candidate) string { return c.of.method })
	common := commonSettings(methods, MethodName(methods[0]))
	for i := range choices {
		_, settings := CutMethod(choices[i].Method)
		choices[i].Shown = dropWords(settings, common)
		choices[i].unequal = choices[i].Candidates < most
	}
	return choices, entry
}
