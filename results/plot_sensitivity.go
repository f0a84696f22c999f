package results

import (
	"fmt"
	"math"
	"strings"
)

// planSensitivity lists a figure for each group of rows along which C or α
// varies and, of the other rows, for each along which the noise level does.
func planSensitivity(table *ScoreTable) []figurePlan {
	var plans []figurePlan
	covered := map[*ScoreRow]bool{}
	add := func(rows []*ScoreRow, x Dimension, free ...Dimension) {
		if len(rows) < 2 {
			return
		}
		for _, row := range rows {
			covered[row] = true
		}
		parts := []string{string(SensitivityFigure), x.String()}
		if x == DimNoiseLevel {
			parts[1] = rows[len(rows)-1].Setting[DimNoiseKind].String()
		}
		plans = append(plans, figurePlan{
			kind:  SensitivityFigure,
			name:  slug(append(parts, settingName(rows[0].Setting, free...))...),
			table: table, rows: rows, x: x,
		})
	}
	for _, x := range []Dimension{DimC, DimAlpha} {
		for _, rows := range groupRows(table, x) {
			add(rows, x, x)
		}
	}
	for _, rows := range groupRows(table, DimNoiseKind, DimNoiseLevel) {
		if covered[rows[0]] {
			continue
		}
		for _, levels := range byNoiseKind(rows) {
			add(levels, DimNoiseLevel, DimNoiseKind, DimNoiseLevel)
		}
	}
	return plans
}

// byNoiseKind splits rows that differ in noise only by its kind; clean rows,
// which have none, belong to every kind.
func byNoiseKind(rows []*ScoreRow) [][]*ScoreRow {
	var clean []*ScoreRow
	var kinds [][]*ScoreRow
	last := Value{}
	for _, row := range rows { // sorted by kind, null first
		switch kind := row.Setting[DimNoiseKind]; {
		case kind.IsNull():
			clean = append(clean, row)
			continue
		case kind != last:
			kinds = append(kinds, append([]*ScoreRow(nil), clean...))
			last = kind
		}
		kinds[len(kinds)-1] = append(kinds[len(kinds)-1], row)
	}
	return kinds
}

// sensitivityFigure draws the table's leading score against the plan's
// dimension, a line for each method, with a band of one standard deviation.
func sensitivityFigure(plan figurePlan, data *dataFacts) *Figure {
	first, last := plan.rows[0].Setting, plan.rows[len(plan.rows)-1].Setting
	score := plan.table.lead()
	f := &Figure{
		Kind: plan.kind,
		Name: plan.name,
		X: AxisLabel{
			Text: parameterLabel(plan.x, last),
			Log:  spansDecade(first[plan.x].Number, last[plan.x].Number),
		},
		Y: AxisLabel{Text: data.scoreLabel(plan.table.Metric, score.head())},
	}
	for j, style := range methodStylesOf(plan.table.Methods) {
		s := Series{Name: style.label, style: style.series()}
		var piece []Point
		for _, row := range plan.rows {
			summary := row.Entries[j].Summary[score]
			if summary.N == 0 { // a gap: the curve is not known here
				s.Pieces, piece = append(s.Pieces, piece), nil
				continue
			}
			piece = append(piece, Point{row.Setting[plan.x].Number, summary.Mean, summary.Std})
		}
		s.Pieces = nonEmpty(append(s.Pieces, piece))
		if len(s.Pieces) > 0 {
			f.Series = append(f.Series, s)
		}
	}
	free := []Dimension{plan.x}
	if plan.x == DimNoiseLevel {
		free = append(free, DimNoiseKind)
	}
	f.Title = fmt.Sprintf("Sensitivity to %s: %s", parameterWord(plan.x), describe(first, free...))
	f.Note = data.sizesOf(first) + meanOver("mean ± standard deviation", repeatsOf(plan.rows, score))
	return f
}

// parameterWord names a dimension in a sentence.
func parameterWord(d Dimension) string {
	switch d {
	case DimC:
		return "C"
	case DimAlpha:
		return "α"
	}
	return "noise"
}

// parameterLabel is the label of an axis of the dimension.
func parameterLabel(d Dimension, s Setting) string {
	switch d {
	case DimC:
		return "weight of the loss C"
	case DimAlpha:
		return "weight of the penalty α"
	}
	return strings.TrimSpace(s[DimNoiseKind].String() + " noise level (fraction)")
}

// repeatsOf says on how many of their repeats the means of rows rest, each on those
// that its method has.
func repeatsOf(rows []*ScoreRow, score Score) string {
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
	return plural(hi, "repeat")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// nonEmpty drops empty pieces.
func nonEmpty(pieces [][]Point) [][]Point {
	kept := pieces[:0]
	for _, piece := range pieces {
		if len(piece) > 0 {
			kept = append(kept, piece)
		}
	}
	return kept
}
