package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// DefaultFigures is how many figures a report draws unless told otherwise.
const DefaultFigures = 24

// figurePlan is a figure that the tables call for, before the knots it needs
// are read.
type figurePlan struct {
	kind  FigureKind
	name  string
	table *ScoreTable
	rows  []*ScoreRow // sensitivity: along x; else the one row it shows
	x     Dimension   // sensitivity: what varies
	of    string      // "3 of 7": which of the parameters' values, "" where there is one
}

func (p *figurePlan) dataset() string { return p.rows[0].Setting[DimDataset].Text }

// methodIndex returns the place of a method in the plan's table, -1 where it has
// none.
func (p *figurePlan) methodIndex(name string) int {
	return slices.IndexFunc(p.table.Methods, func(m string) bool { return methodName(m) == name })
}

// planFigures lists every figure of the tables, by kind.
func planFigures(tables []*ScoreTable) []figurePlan {
	var plans []figurePlan
	full := make([]*ScoreTable, len(tables))
	for i, table := range tables {
		full[i] = atFullExtent(table)
	}
	for _, planOf := range []func(*ScoreTable) []figurePlan{planSensitivity, planValidationCurves, planPaths} {
		for _, table := range full {
			plans = append(plans, planOf(table)...)
		}
	}
	for _, table := range tables {
		plans = append(plans, planTimes(table)...)
	}
	used := map[string]int{}
	for i := range plans {
		// Names of data sets may differ in signs that files cannot have.
		name := plans[i].name
		if used[name]++; used[name] > 1 {
			plans[i].name = fmt.Sprintf("%s-%d", name, used[name])
		}
	}
	return plans
}

// chooseFigures picks at most n of the plans, taking from each kind in turn
// and, of a kind, from each data set in turn, so that none is crowded out. It
// returns the names of the rest.
func chooseFigures(plans []figurePlan, n int) (chosen []figurePlan, leftOut []string) {
	byKind := map[FigureKind][]int{}
	for i, plan := range plans {
		byKind[plan.kind] = append(byKind[plan.kind], i)
	}
	// How many figures of its kind and data set come before each.
	place := make([]int, len(plans))
	seen := map[[2]string]int{}
	for i, plan := range plans {
		key := [2]string{string(plan.kind), plan.dataset()}
		place[i] = seen[key]
		seen[key]++
	}
	for _, queue := range byKind {
		slices.SortStableFunc(queue, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	}
	take := make([]bool, len(plans))
	for taken := 0; taken < min(n, len(plans)); {
		for _, kind := range figureKinds {
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
			leftOut = append(leftOut, plan.name)
		}
	}
	return chosen, leftOut
}

// parameters are the dimensions a row may have many values of for one
// comparison.
var parameters = []Dimension{DimKernelGamma, DimC, DimAlpha, DimL1Ratio}

// groupRows groups the rows of a table that agree in all but the given
// dimensions, in the order of the table.
func groupRows(table *ScoreTable, free ...Dimension) [][]*ScoreRow {
	index := map[Setting]int{}
	var groups [][]*ScoreRow
	for i := range table.Rows {
		row := &table.Rows[i]
		key := row.Setting.without(free...)
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

// settingName is the part of a file's name that tells settings apart, without
// the given dimensions.
func settingName(s Setting, free ...Dimension) string {
	var parts []string
	for d, value := range s {
		if slices.Contains(free, Dimension(d)) || value.IsNull() {
			continue
		}
		text := value.String()
		switch Dimension(d) {
		case DimNoiseLevel:
			if value.Number == 0 {
				text = "clean"
			}
		case DimC, DimAlpha, DimL1Ratio, DimKernelGamma, DimTrain, DimAgeMin, DimAgeMax, DimAgeStep:
			text = Dimension(d).String() + "-" + text
		}
		parts = append(parts, text)
	}
	return slug(parts...)
}

// describe says what holds for a figure, without the given dimensions.
func describe(s Setting, free ...Dimension) string {
	shown := s.without(free...)
	var parts []string
	for _, a := range aspects {
		if slices.ContainsFunc(a.dimensions, func(d Dimension) bool { return slices.Contains(free, d) }) {
			continue
		}
		text := a.text(shown)
		if text == "" {
			continue
		}
		switch a.name {
		case "regularizer":
			text += " regularizer"
		case "noise":
			if text == "none" {
				text = "no noise"
			} else {
				text = "noise: " + text
			}
		case "training rows":
			text += " training rows"
		case "ages":
			text = "ages " + text
		case "ACS step":
			text = a.name + " " + text
		case "kernel γ", "C", "α", "L1 ratio":
			text = a.name + "=" + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
