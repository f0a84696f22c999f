package evaluation

import (
	"math"
	"slices"

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
				f.X = layout.AxisLabel{Text: axis.label, Log: spansDecade(first[axis.d].Number, rows[len(rows)-1].Setting[axis.d].Number)}
				f.Note = r.Data.SizesOf(first.Without(axis.d)) + f.Note
				return f, ""
			}
			addFigure(o, layout.OwnFigure{Kind: selfpaced.FigureTime, Setting: rows[0].Setting, Methods: table.Methods, Draw: draw},
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
		s := layout.Series{Method: j}
		var piece []layout.Point
		most := 0
		for _, row := range rows {
			var seconds []float64
			for _, sample := range row.Entries[j].Sample {
				if sample.Whole() {
					seconds = append(seconds, sample.Seconds[which])
				}
			}
			mean := analysis.Summarize(seconds)
			if !(mean.Mean > 0) {
				s.Pieces, piece = append(s.Pieces, piece), nil
				continue
			}
			lo, hi, most = min(lo, mean.Mean), max(hi, mean.Mean), max(most, mean.N)
			piece = append(piece, layout.Point{X: row.Setting[x].Number, Y: mean.Mean, Band: mean.Std})
		}
		s.Pieces = slices.DeleteFunc(append(s.Pieces, piece), func(piece []layout.Point) bool { return len(piece) == 0 })
		if len(s.Pieces) > 0 {
			f.Series = append(f.Series, s)
			counts = append(counts, analysis.RepeatCount{Label: label, N: most, Of: rows[0].Repeats})
		}
	}
	if len(f.Series) == 0 {
		return nil
	}
	f.Y = layout.AxisLabel{Text: [2]string{"processor time", "elapsed time"}[which] + " (s)", Log: spansDecade(lo, hi), Zero: true}
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
