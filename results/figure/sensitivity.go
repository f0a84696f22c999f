package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// planSensitivity lists a figure for each group of rows along which a parameter of the model varies;
// of the other rows, a dimension with kinds, such as the noise level; and the choice of the step.
func planSensitivity(table *analysis.ScoreTable) []figurePlan {
	var plans []figurePlan
	l := table.Layout
	covered := map[*analysis.ScoreRow]bool{}
	add := func(rows []*analysis.ScoreRow, axis layout.Axis, free ...layout.Dimension) {
		if len(rows) < 2 {
			return
		}
		for _, row := range rows {
			covered[row] = true
		}
		varied := l.Column(axis.Dimension)
		if axis.Kind != layout.Dataset {
			varied = rows[len(rows)-1].Setting[axis.Kind].String()
		}
		plan := newPlan(Sensitivity, table, rows, varied, l.SettingName(rows[0].Setting, free...))
		plan.axis = axis
		plans = append(plans, plan)
	}
	for _, axis := range l.Sensitivity {
		if axis.Kind == layout.Dataset {
			for _, rows := range table.Groups(axis.Dimension) {
				add(rows, axis, axis.Dimension)
			}
		}
	}
	for _, axis := range l.Sensitivity {
		if axis.Kind == layout.Dataset {
			continue
		}
		for _, rows := range table.Groups(axis.Kind, axis.Dimension) {
			if covered[rows[0]] {
				continue
			}
			for _, levels := range byKind(rows, axis.Kind) {
				add(levels, axis, axis.Kind, axis.Dimension)
			}
		}
	}
	if l.Path != nil && l.Path.Choice != layout.Dataset {
		word := "choice of the " + l.Step.Word
		for _, rows := range table.Groups(l.Path.Choice) {
			add(rows, layout.Axis{Dimension: l.Path.Choice, Word: "the " + word, Label: word}, l.Path.Choice)
		}
	}
	return plans
}

// byKind repeats rows without a value, such as clean ones, for every kind.
func byKind(rows []*analysis.ScoreRow, d layout.Dimension) [][]*analysis.ScoreRow {
	var clean []*analysis.ScoreRow
	var kinds [][]*analysis.ScoreRow
	last := layout.Value{}
	for _, row := range rows { // sorted by kind, null first
		switch kind := row.Setting[d]; {
		case kind.IsNull():
			clean = append(clean, row)
			continue
		case kind != last:
			kinds = append(kinds, append([]*analysis.ScoreRow(nil), clean...))
			last = kind
		}
		kinds[len(kinds)-1] = append(kinds[len(kinds)-1], row)
	}
	return kinds
}

func sensitivityFigure(plan figurePlan, data *analysis.DataFacts) *Figure {
	first, last := plan.rows[0].Setting, plan.rows[len(plan.rows)-1].Setting
	score, x := plan.table.Lead(), plan.axis.Dimension
	label := plan.axis.Label
	if plan.axis.Kind != layout.Dataset {
		label = strings.TrimSpace(last[plan.axis.Kind].String() + " " + label)
	}
	f := &Figure{
		X: AxisLabel{Text: label, Log: layout.SpansDecade(first[x].Number, last[x].Number)},
		Y: AxisLabel{Text: data.ScoreLabel(plan.table.Metric, score.Head())},
	}
	if !first[x].IsNumber {
		for _, row := range plan.rows {
			f.X.Names = append(f.X.Names, row.Setting[x].Text)
		}
	}
	f.Series = plan.curves(score)
	free := []layout.Dimension{x}
	if plan.axis.Kind != layout.Dataset {
		free = append(free, plan.axis.Kind)
	}
	f.Title = fmt.Sprintf("Sensitivity to %s: %s", plan.axis.Word, plan.table.Layout.Describe(first, free...))
	f.Note = data.SizesOf(first) + prose.MeanOver("mean ± standard deviation", repeatsOf(plan.rows, score))
	return f
}

// repeatsOf states how many repeats the means include; each method has its own.
func repeatsOf(rows []*analysis.ScoreRow, score analysis.Score) string {
	lo, hi, of := math.MaxInt, 0, 0
	for _, row := range rows {
		of = max(of, row.Repeats)
		for j := range row.Entries {
			if n := row.Entries[j].Summary[score].N; n > 0 {
				lo, hi = min(lo, n), max(hi, n)
			}
		}
	}
	switch {
	case hi == 0:
		return "no repeats"
	case lo < hi:
		return fmt.Sprintf("%d to %d of %d repeats", lo, hi, of)
	case hi < of:
		return fmt.Sprintf("%d of %d repeats", hi, of)
	}
	return prose.Plural(hi, "repeat")
}
