package figure

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/prose"
)

// planReaches lists a figure for each setting whose methods go by steps of several sizes.
func planReaches(table *analysis.ScoreTable) []figurePlan {
	var plans []figurePlan
	for _, reach := range table.Reaches() {
		plans = append(plans, figurePlan{
			kind: Reached, name: prose.Slug(string(Reached), table.Layout.SettingName(reach.Setting)),
			table: table, rows: []*analysis.ScoreRow{{Setting: reach.Setting}},
			draw: func() *Figure { return reachFigure(table, &reach) },
		})
	}
	return plans
}

// reachFigure draws the share of the path's best validation score that each method reaches
// against its time, a point for each size of steps.
func reachFigure(table *analysis.ScoreTable, reach *analysis.Reach) *Figure {
	l := table.Layout
	main, most := analysis.MethodLabel(l.Path.Main), 0
	f := &Figure{
		Title: "Time to the same information: " + l.Describe(reach.Setting),
		X:     AxisLabel{Text: "time / time of " + main, Log: true},
		Y:     AxisLabel{Text: "share of " + main + "'s best validation score"},
		Caption: fmt.Sprintf("A point for each size of steps, smaller ones to the right. Times are geometric means of ratios within a repeat. "+
			"Above 1 the best validation %s is better than that of %s.", table.Metric.Word(), main),
	}
	for method, style := range stylesOf(table.Methods) {
		var piece []Point
		for _, p := range reach.Points {
			if p.Method == method && p.Time > 0 {
				piece = append(piece, Point{X: p.Time, Y: p.Share.Mean, Band: p.Share.Std})
				most = max(most, p.Share.N)
			}
		}
		if piece == nil {
			continue
		}
		slices.SortFunc(piece, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		f.Series = append(f.Series, Series{Name: style.label, Pieces: [][]Point{piece}, style: style.series()})
	}
	if len(f.Series) == 0 {
		return nil
	}
	f.Note = meanOver("mean ± standard deviation", prose.Plural(most, "repeat"))
	f.Rules = []float64{1}
	return f
}
