package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

func planReaches(table *analysis.ScoreTable) []figurePlan {
	var plans []figurePlan
	for _, reach := range table.Reaches() {
		plan := newPlan(Reached, table, []*analysis.ScoreRow{{Setting: reach.Setting}}, table.Layout.SettingName(reach.Setting))
		plan.reach = &reach
		plans = append(plans, plan)
	}
	return plans
}

// reachFigure draws each method's share of the path's best validation score against its time; nil if
// no method has both.
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

func planTimes(table *analysis.ScoreTable) []figurePlan {
	var plans []figurePlan
	for _, axis := range table.Layout.Times {
		x := axis.Dimension
		for _, rows := range table.Groups(x) {
			if len(rows) > 1 {
				plan := newPlan(Times, table, rows, table.Layout.Column(x), table.Layout.SettingName(rows[0].Setting, x))
				plan.axis = axis
				plans = append(plans, plan)
			}
		}
	}
	return plans
}

// timeFigure returns nil if no time is known.
func timeFigure(plan figurePlan, data *analysis.DataFacts) *Figure {
	first, last := plan.rows[0].Setting, plan.rows[len(plan.rows)-1].Setting
	f := &Figure{}
	x := plan.axis.Dimension
	which := plan.knownTime()
	words := [2]string{"processor time", "elapsed time"}[which]
	var counts []repeatCount
	lo, hi := math.Inf(1), math.Inf(-1)
	f.Series = plan.curves(func(e *analysis.ScoreEntry) (analysis.Summary, bool) {
		var seconds []float64
		for i := range e.Sample {
			if e.Sample[i].Whole() {
				seconds = append(seconds, e.Sample[i].Seconds[which])
			}
		}
		mean := analysis.Summarize(seconds)
		if !(mean.Mean > 0) {
			return mean, false
		}
		lo, hi = min(lo, mean.Mean), max(hi, mean.Mean)
		return mean, true
	}, func(label string, most int) {
		counts = append(counts, repeatCount{label: label, n: most, of: plan.rows[0].Repeats})
	})
	if len(f.Series) == 0 {
		return nil
	}
	f.X = AxisLabel{Text: plan.axis.Label, Log: spansDecade(first[x].Number, last[x].Number)}
	f.Title = "Running time by " + plan.axis.Word + ": " + plan.table.Layout.Describe(first, append([]layout.Dimension{x}, plan.axis.Free...)...)
	f.Y = AxisLabel{Text: words + " (s)", Log: spansDecade(lo, hi), Zero: true}
	f.Note = data.SizesOf(first.Without(x)) + meanOver("mean ± standard deviation", repeatCounts(counts))
	f.Caption = "Times are those of a cell, a fit of the whole path and its scores on the test part."
	return f
}

// knownTime is the first time that every successful cell has.
func (p *figurePlan) knownTime() int {
	for _, row := range p.rows {
		for j := range row.Entries {
			for _, sample := range row.Entries[j].Sample {
				if sample.Whole() && math.IsNaN(sample.Seconds[0]) {
					return 1
				}
			}
		}
	}
	return 0
}
