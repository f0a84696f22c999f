package figure

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// figurePlan is a figure before its knots are read.
type figurePlan struct {
	kind  Kind
	name  string
	table *analysis.ScoreTable
	rows  []*analysis.ScoreRow // along x, or one
	axis  layout.Axis
	of    string            // "3 of 7": which value of the parameters
	own   *layout.OwnFigure // of a kind's own figures
}

func newPlan(kind Kind, table *analysis.ScoreTable, rows []*analysis.ScoreRow, names ...string) figurePlan {
	return figurePlan{kind: kind, name: prose.Slug(append([]string{string(kind)}, names...)...), table: table, rows: rows}
}

func (p *figurePlan) dataset() string { return p.rows[0].Setting[layout.Dataset].Text }

// curves draws a score of each method against the plan's dimension, with a band of one standard
// deviation and gaps for missing scores.
func (p *figurePlan) curves(score analysis.Score) []Series {
	var list []Series
	for j, style := range stylesOf(p.table.Methods) {
		pieces := layout.Pieces(len(p.rows), func(i int) (Point, bool) {
			mean := p.rows[i].Entries[j].Summary[score]
			return Point{X: p.along(i), Y: mean.Mean, Band: mean.Std}, mean.N > 0
		})
		if len(pieces) > 0 {
			list = append(list, Series{Name: style.label, Pieces: pieces, style: style.series()})
		}
	}
	return list
}

// along returns the row's place on the axis: its number, or its position if values are texts.
func (p *figurePlan) along(row int) float64 {
	if value := p.rows[row].Setting[p.axis.Dimension]; value.Text == "" || value.IsNumber {
		return value.Number
	}
	return float64(row)
}

func planFigures(tables []*analysis.ScoreTable, own *layout.Part) []figurePlan {
	var plans []figurePlan
	full := make([]*analysis.ScoreTable, len(tables))
	for i, table := range tables {
		full[i] = analysis.AtFullExtent(table)
	}
	for _, planOf := range []func(*analysis.ScoreTable) []figurePlan{planSensitivity, planScoreCurves} {
		for _, table := range full {
			plans = append(plans, planOf(table)...)
		}
	}
	plans = append(plans, planOwn(own)...)
	used := map[string]int{}
	for i := range plans {
		// Names of data sets may differ only in characters that file names cannot have.
		name := plans[i].name
		if used[name]++; used[name] > 1 {
			plans[i].name = fmt.Sprintf("%s-%d", name, used[name])
		}
	}
	return plans
}

// chooseFigures picks at most n plans, alternating between kinds and, within a kind, between data
// sets. It returns the names of the rest.
func chooseFigures(plans []figurePlan, kinds []Kind, n int) (chosen []figurePlan, leftOut []string) {
	byKind := map[Kind][]int{}
	for i, plan := range plans {
		byKind[plan.kind] = append(byKind[plan.kind], i)
	}
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
			leftOut = append(leftOut, plan.name)
		}
	}
	return chosen, leftOut
}
