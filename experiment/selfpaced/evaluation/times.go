package evaluation

import (
	"math"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// timeAxes have the times of figures: what varies, its words and its label.
var timeAxes = []struct {
	d           layout.Dimension
	word, label string
}{{selfpaced.DimTrain, "training rows", "training rows"}, {selfpaced.DimAgeMax, "the range of ages", "end of the ages, largest λ"}}

func addTimes(o *layout.Part, r *analysis.Run, table *analysis.ScoreTable) {
	for _, axis := range timeAxes {
		for _, rows := range table.Groups(axis.d) {
			if len(rows) < 2 {
				continue
			}
			draw := func() (*layout.Figure, string) {
				f := timeFigure(table, rows, axis.d)
				if f == nil {
					return nil, "no time of its cells is known"
				}
				first := rows[0].Setting
				f.Title = "Running time by " + axis.word + ": " + table.Layout.Describe(first, axis.d, selfpaced.DimAgeMin)
				f.X = layout.AxisLabel{Text: axis.label, Log: layout.SpansDecade(first[axis.d].Number, rows[len(rows)-1].Setting[axis.d].Number)}
				f.Note = r.Data.SizesOf(first.Without(axis.d)) + f.Note
				return f, ""
			}
			addFigure(o, layout.FigurePlan{Kind: selfpaced.FigureTime, Setting: rows[0].Setting, Methods: table.Methods, Draw: draw},
				table.Layout.Column(axis.d), table.Layout.SettingName(rows[0].Setting, axis.d))
		}
	}
}

// timeFigure draws the mean time of each method along a dimension, with gaps for unknown ones; nil
// if no time is known.
func timeFigure(table *analysis.ScoreTable, rows []*analysis.ScoreRow, x layout.Dimension) *layout.Figure {
	which := knownTime(rows)
	lo, hi := math.Inf(1), math.Inf(-1)
	var counts []analysis.RepeatCount
	f := &layout.Figure{Caption: "Times are those of a cell, a fit of the whole path and its scores on the test part."}
	for j, label := range analysis.MethodLabels(table.Methods) {
		most := 0
		pieces := layout.Pieces(len(rows), func(i int) (layout.Point, bool) {
			var seconds []float64
			for _, sample := range rows[i].Entries[j].Sample {
				if sample.Whole() {
					seconds = append(seconds, sample.Seconds[which])
				}
			}
			mean := analysis.Summarize(seconds)
			if !(mean.Mean > 0) {
				return layout.Point{}, false
			}
			lo, hi, most = min(lo, mean.Mean), max(hi, mean.Mean), max(most, mean.N)
			return layout.Point{X: rows[i].Setting[x].Number, Y: mean.Mean, Band: mean.Std}, true
		})
		if len(pieces) > 0 {
			f.Series = append(f.Series, layout.Series{Method: j, Pieces: pieces})
			counts = append(counts, analysis.RepeatCount{Label: label, N: most, Of: rows[0].Repeats})
		}
	}
	if len(f.Series) == 0 {
		return nil
	}
	f.Y = layout.AxisLabel{Text: [2]string{"processor time", "elapsed time"}[which] + " (s)", Log: layout.SpansDecade(lo, hi), Zero: true}
	f.Note = prose.MeanOver("mean ± standard deviation", analysis.RepeatCounts(counts))
	return f
}

// knownTime is the first time that every successful cell has.
func knownTime(rows []*analysis.ScoreRow) int {
	for _, row := range rows {
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
