package figure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// planSensitivity lists a figure for each group of rows along an axis of the layout. An axis with
// kinds, such as the noise level, has none of rows that are along an earlier axis.
func planSensitivity(table *analysis.ScoreTable, data *analysis.DataFacts) []layout.FigurePlan {
	var plans []layout.FigurePlan
	l := table.Layout
	covered := map[*analysis.ScoreRow]bool{}
	for _, axis := range l.Sensitivity {
		free := []layout.Dimension{axis.Dimension}
		kinds := axis.Kind != layout.Dataset
		if kinds {
			free = append(free, axis.Kind)
		}
		add := func(rows []*analysis.ScoreRow) {
			if len(rows) < 2 {
				return
			}
			for _, row := range rows {
				covered[row] = true
			}
			varied := l.Column(axis.Dimension)
			if kinds {
				varied = rows[len(rows)-1].Setting[axis.Kind].String()
			}
			plan := newPlan(Sensitivity, rows[0].Setting, varied, l.SettingName(rows[0].Setting, free...))
			plan.Methods = table.Methods
			plan.Draw = func() (*layout.Figure, string) {
				return sensitivityFigure(table, rows, axis, data), "none of its cells has a score"
			}
			plans = append(plans, plan)
		}
		for _, rows := range table.Groups(free...) {
			switch {
			case !kinds:
				add(rows)
			case !covered[rows[0]]:
				for _, levels := range byKind(rows, axis.Kind) {
					add(levels)
				}
			}
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

// sensitivityFigure draws the leading score of each method along an axis, with a band of one
// standard deviation and gaps for missing scores; nil without scores. Values that are texts are in
// equal distances.
func sensitivityFigure(table *analysis.ScoreTable, rows []*analysis.ScoreRow, axis layout.Axis, data *analysis.DataFacts) *layout.Figure {
	first, last := rows[0].Setting, rows[len(rows)-1].Setting
	score, x := table.Lead(), axis.Dimension
	label, free := axis.Label, []layout.Dimension{x}
	if axis.Kind != layout.Dataset {
		label = strings.TrimSpace(last[axis.Kind].String() + " " + label)
		free = append(free, axis.Kind)
	}
	var counts []int
	of := 0
	for _, row := range rows {
		of = max(of, row.Repeats)
		for j := range row.Entries {
			if n := row.Entries[j].Summary[score].N; n > 0 {
				counts = append(counts, n)
			}
		}
	}
	if counts == nil {
		return nil
	}
	f := &layout.Figure{
		Title: fmt.Sprintf("Sensitivity to %s: %s", axis.Word, table.Layout.Describe(first, free...)),
		Note:  data.SizesOf(first) + prose.MeanOver("mean ± standard deviation", repeatsOf(counts, of)),
		X:     layout.AxisLabel{Text: label, Log: layout.SpansDecade(first[x].Number, last[x].Number)},
		Y:     layout.AxisLabel{Text: data.ScoreLabel(table.Metric, score.Head())},
	}
	if !first[x].IsNumber {
		for _, row := range rows {
			f.X.Names = append(f.X.Names, row.Setting[x].Text)
		}
	}
	for j := range table.Methods {
		pieces := layout.Pieces(len(rows), func(i int) (layout.Point, bool) {
			mean, at := rows[i].Entries[j].Summary[score], float64(i)
			if value := rows[i].Setting[x]; value.Text == "" || value.IsNumber {
				at = value.Number
			}
			return layout.Point{X: at, Y: mean.Mean, Band: mean.Std}, mean.N > 0
		})
		if len(pieces) > 0 {
			f.Series = append(f.Series, layout.Series{Method: j, Pieces: pieces})
		}
	}
	return f
}

// repeatsOf states how many of the repeats the means include; each method has its own number.
func repeatsOf(counts []int, of int) string {
	lo, hi := slices.Min(counts), slices.Max(counts)
	switch {
	case lo < hi:
		return fmt.Sprintf("%d to %d of %d repeats", lo, hi, of)
	case hi < of:
		return fmt.Sprintf("%d of %d repeats", hi, of)
	}
	return prose.Plural(hi, "repeat")
}
