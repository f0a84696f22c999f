package evaluation

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// reach compares methods in one setting, some with several step sizes, by their share of the age
// path's best validation score and by their time.
type reach struct {
	setting layout.Setting // without the step size
	points  []reachPoint
}

// reachPoint is a method at one step size, over the repeats that the age path has.
type reachPoint struct {
	method int     // in the table
	step   float64 // NaN without steps
	time   float64 // geometric mean relative to the age path, or NaN
	// share is the best validation score relative to the path's, inverted if lower is better: above
	// 1 is better than the path.
	share analysis.Summary
}

// reachesOf returns nil without an age path or several step sizes.
func reachesOf(t *analysis.ScoreTable) []reach {
	main := slices.IndexFunc(t.Methods, func(m string) bool { return analysis.MethodName(m) == selfpaced.GAGA })
	if main < 0 {
		return nil
	}
	var list []reach
	for _, rows := range t.Groups(selfpaced.DimAgeStep) {
		if len(rows) < 2 {
			continue
		}
		of := reach{setting: rows[0].Setting.Without(selfpaced.DimAgeStep)}
		for method := range t.Methods {
			of.points = append(of.points, reachPoints(t.Metric, rows, method, main)...)
		}
		if len(of.points) > 0 {
			list = append(list, of)
		}
	}
	return list
}

// reachPoints returns one point for a method with the same cells in all rows.
func reachPoints(metric analysis.Metric, rows []*analysis.ScoreRow, method, main int) []reachPoint {
	same := func(a, b analysis.RepeatScore) bool { return a.Cell == b.Cell }
	stepless := slices.EqualFunc(rows[0].Entries[method].Sample, rows[1].Entries[method].Sample, same)
	if stepless {
		rows = rows[:1]
	}
	var points []reachPoint
	for _, row := range rows {
		point := reachPoint{method: method, step: row.Setting[selfpaced.DimAgeStep].Number}
		if stepless {
			point.step = math.NaN()
		}
		var shares, times []float64
		for _, own := range row.Entries[method].Sample {
			of := slices.IndexFunc(row.Entries[main].Sample, func(s analysis.RepeatScore) bool { return s.Repeat == own.Repeat })
			if of < 0 {
				continue
			}
			path := &row.Entries[main].Sample[of]
			share := path.BestValidation / own.BestValidation // NaN unless both are whole
			if metric == analysis.Accuracy {
				share = 1 / share
			}
			if !math.IsNaN(share) {
				shares, times = append(shares, share), append(times, math.Log(secondsOf(&own)/secondsOf(path)))
			}
		}
		point.share, point.time = analysis.Summarize(shares), math.Exp(analysis.Summarize(times).Mean)
		if point.share.N > 0 {
			points = append(points, point)
		}
	}
	return points
}

// secondsOf prefers processor time to elapsed time.
func secondsOf(r *analysis.RepeatScore) float64 {
	if math.IsNaN(r.Seconds[0]) {
		return r.Seconds[1]
	}
	return r.Seconds[0]
}

func addReaches(o *layout.Part, table *analysis.ScoreTable) {
	reaches := reachesOf(table)
	if len(reaches) == 0 {
		return
	}
	o.Time = append(o.Time, reachSheet(table, reaches))
	for i := range reaches {
		of := &reaches[i]
		addFigure(o, layout.FigurePlan{
			Kind: selfpaced.FigureReached, Setting: of.setting, Methods: table.Methods,
			Draw: func() (*layout.Figure, string) { return of.figure(table), "no method has a score and a time" },
		}, table.Layout.SettingName(of.setting))
	}
}

// reachSheet shows shares of the path's best validation score and of its time.
func reachSheet(table *analysis.ScoreTable, reaches []reach) *layout.Sheet {
	settings := make([]layout.Setting, len(reaches))
	for i := range reaches {
		settings[i] = reaches[i].setting
	}
	varied, constant := table.Layout.SplitSettings(settings)
	main := analysis.MethodLabel(selfpaced.GAGA)
	s := &layout.Sheet{
		Name: "reached", Title: "Time to the same information",
		Caption: fmt.Sprintf("Time: geometric mean over the repeats of the time of a cell / that of %s on the same split. Share: the best validation %s of a method, "+
			"divided by %[1]s's where higher is better, %[1]s's divided by it else; mean ± standard deviation. Above 1 it is better than %[1]s's.%[3]s",
			main, table.Metric.Word(), layout.ConstantWords(constant)),
	}
	s.AddAspects(varied)
	s.Columns = append(s.Columns, layout.SheetColumn{Head: "method", Label: true}, layout.SheetColumn{Head: "step", Right: true, Label: true},
		layout.SheetColumn{Head: "repeats", Right: true}, layout.SheetColumn{Head: "time", Right: true}, layout.SheetColumn{Head: "share", Right: true})
	labels := analysis.MethodLabels(table.Methods)
	for i := range reaches {
		for _, p := range reaches[i].points {
			step := layout.SheetCell{Note: "-"}
			if !math.IsNaN(p.step) {
				step = layout.SheetCell{Text: prose.Short(p.step)}
			}
			s.Rows = append(s.Rows, append(layout.AspectCells(varied, settings[i]), layout.SheetCell{Text: labels[p.method]}, step,
				layout.CountCell(p.share.N), layout.ShortCell(p.time), p.share.Cell(4)))
		}
	}
	return s
}

// figure draws each method's share of the path's best validation score against its time; nil if no
// method has both.
func (r *reach) figure(table *analysis.ScoreTable) *layout.Figure {
	main, most := analysis.MethodLabel(selfpaced.GAGA), 0
	f := &layout.Figure{
		Title: "Time to the same information: " + table.Layout.Describe(r.setting),
		X:     layout.AxisLabel{Text: "time / time of " + main, Log: true},
		Y:     layout.AxisLabel{Text: "share of " + main + "'s best validation score"},
		Rules: []float64{1},
		Caption: fmt.Sprintf("A point for each size of steps, smaller ones to the right. Times are geometric means of ratios within a repeat. "+
			"Above 1 the best validation %s is better than that of %s.", table.Metric.Word(), main),
	}
	for method := range table.Methods {
		var piece []layout.Point
		for _, p := range r.points {
			if p.method == method && p.time > 0 {
				piece = append(piece, layout.Point{X: p.time, Y: p.share.Mean, Band: p.share.Std})
				most = max(most, p.share.N)
			}
		}
		if piece == nil {
			continue
		}
		slices.SortFunc(piece, func(a, b layout.Point) int { return cmp.Compare(a.X, b.X) })
		f.Series = append(f.Series, layout.Series{Method: method, Pieces: [][]layout.Point{piece}})
	}
	if len(f.Series) == 0 {
		return nil
	}
	f.Note = prose.MeanOver("mean ± standard deviation", prose.Plural(most, "repeat"))
	return f
}
