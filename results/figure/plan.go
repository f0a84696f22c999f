package figure

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

func newPlan(kind string, setting layout.Setting, names ...string) layout.FigurePlan {
	return layout.FigurePlan{Kind: kind, Name: prose.Slug(append([]string{kind}, names...)...), Setting: setting}
}

// plan lists the possible figures of tables and the kind's own ones, under different names.
func (m *maker) plan(tables []*analysis.ScoreTable, own *layout.Part) []layout.FigurePlan {
	var plans, curves []layout.FigurePlan
	for _, table := range tables {
		full := analysis.AtFullExtent(table)
		plans = append(plans, planSensitivity(full, m.data)...)
		curves = append(curves, m.planScoreCurves(full)...)
	}
	plans = append(plans, curves...)
	if own != nil {
		plans = append(plans, own.Figures...)
	}
	used := map[string]int{}
	for i := range plans {
		// Names of data sets may differ only in characters that file names cannot have.
		name := plans[i].Name
		if used[name]++; used[name] > 1 {
			plans[i].Name = fmt.Sprintf("%s-%d", name, used[name])
		}
	}
	return plans
}

// chooseFigures picks at most n plans, alternating between kinds and, within a kind, between data
// sets. It returns the names of the rest.
func chooseFigures(plans []layout.FigurePlan, kinds []string, n int) (chosen []layout.FigurePlan, leftOut []string) {
	byKind := map[string][]int{}
	place := make([]int, len(plans))
	seen := map[[2]string]int{}
	for i, plan := range plans {
		byKind[plan.Kind] = append(byKind[plan.Kind], i)
		key := [2]string{plan.Kind, plan.Setting[layout.Dataset].Text}
		place[i] = seen[key]
		seen[key]++
	}
	for _, queue := range byKind {
		slices.SortStableFunc(queue, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	}
	take := make([]bool, len(plans))
	for taken := 0; taken < min(n, len(plans)); {
		for _, kind := range kinds {
			if queue := byKind[kind]; len(queue) > 0 && taken < n {
				take[queue[0]] = true
				byKind[kind] = queue[1:]
				taken++
			}
		}
	}
	for i, plan := range plans {
		if take[i] {
			chosen = append(chosen, plan)
		} else {
			leftOut = append(leftOut, plan.Name)
		}
	}
	return chosen, leftOut
}
