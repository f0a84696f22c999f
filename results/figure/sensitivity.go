package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/internal/prose"
)

// planSensitivity lists a figure for each group of rows along which C or α
// varies and, of the other rows, for each along which the noise level does.
func planSensitivity(table *analysis.ScoreTable) []figurePlan {
	var plans []figurePlan
	covered := map[*analysis.ScoreRow]bool{}
	add := func(rows []*analysis.ScoreRow, x analysis.Dimension, free ...analysis.Dimension) {
		if len(rows) < 2 {
			return
		}
		for _, row := range rows {
			covered[row] = true
		}
		parts := []string{string(Sensitivity), x.String()}
		if x == analysis.DimNoiseLevel {
			parts[1] = rows[len(rows)-1].Setting[analysis.DimNoiseKind].String()
		}
		plans = append(plans, figurePlan{
			kind:  Sensitivity,
			name:  prose.Slug(append(parts, settingName(rows[0].Setting, free...))...),
			table: table, rows: rows, x: x,
		})
	}
	for _, x := range []analysis.Dimension{analysis.DimC, analysis.DimAlpha} {
		for _, rows := range groupRows(table, x) {
			add(rows, x, x)
		}
	}
	for _, rows := range groupRows(table, analysis.DimNoiseKind, analysis.DimNoiseLevel) {
		if covered[rows[0]] {
			continue
		}
		for _, levels := range byNoiseKind(rows) {
			add(levels, analysis.DimNoiseLevel, analysis.DimNoiseKind, analysis.DimNoiseLevel)
		}
	}
	return plans
}

// byNoiseKind splits rows that differ in noise only by its kind; clean rows,
// which have none, belong to every kind.
func byNoiseKind(rows []*analysis.ScoreRow) [][]*analysis.ScoreRow {
	var clean []*analysis.ScoreRow
	var kinds [][]*analysis.ScoreRow
	last := analysis.Value{}
	for _, row := range rows { // sorted by kind, null first
		switch kind := row.Setting[analysis.DimNoiseKind]; {
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

// sensitivityFigure draws the table's leading score against the plan's
// dimension, a line for each method, with a band of one standard deviation.
func sensitivityFigure(plan figurePlan, data *analysis.DataFacts) *Figure {
	first, last := plan.rows[0].Setting, plan.rows[len(plan.rows)-1].Setting
	score := plan.table.Lead()
	f := &Figure{
		Kind: plan.kind,
		Name: plan.name,
		X: AxisLabel{
			Text: parameterLabel(plan.x, last),
			Log:  spansDecade(first[plan.x].Number, last[plan.x].Number),
		},
		Y: AxisLabel{Text: data.ScoreLabel(plan.table.Metric, score.Head())},
	}
	f.Series = plan.curves(func(e *analysis.ScoreEntry) (analysis.Summary, bool) {
		return e.Summary[score], e.Summary[score].N > 0
	}, func(string, int) {})
	free := []analysis.Dimension{plan.x}
	if plan.x == analysis.DimNoiseLevel {
		free = append(free, analysis.DimNoiseKind)
	}
	f.Title = fmt.Sprintf("Sensitivity to %s: %s", parameterWord(plan.x), analysis.Describe(first, free...))
	f.Note = data.SizesOf(first) + meanOver("mean ± standard deviation", repeatsOf(plan.rows, score))
	return f
}

// parameterWord names a dimension in a sentence.
func parameterWord(d analysis.Dimension) string {
	switch d {
	case analysis.DimC:
		return "C"
	case analysis.DimAlpha:
		return "α"
	}
	return "noise"
}

// parameterLabel is the label of an axis of the dimension.
func parameterLabel(d analysis.Dimension, s analysis.Setting) string {
	switch d {
	case analysis.DimC:
		return "weight of the loss C"
	case analysis.DimAlpha:
		return "weight of the penalty α"
	}
	return strings.TrimSpace(s[analysis.DimNoiseKind].String() + " noise level (fraction)")
}

// repeatsOf says on how many of their repeats the means of rows rest, each on those
// that its method has.
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
