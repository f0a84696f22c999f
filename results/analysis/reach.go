package analysis

import (
	"math"
	"slices"

	"github.com/agepath/agepath/results/layout"
)

// Reach compares methods in one setting, some with several step sizes, by their share of the main
// path's best validation score and by their time.
type Reach struct {
	Setting layout.Setting // without the step size
	Points  []ReachPoint
}

// ReachPoint is a method at one step size, over the repeats that the main path has.
type ReachPoint struct {
	Method int     // in the table
	Step   float64 // NaN without steps
	Time   float64 // geometric mean relative to the main path, or NaN
	// Share is the best validation score relative to the path's, inverted if lower is better: above
	// 1 is better than the path.
	Share Summary
}

// Reaches returns nil without a main path or several step sizes.
func (t *ScoreTable) Reaches() []Reach {
	path := t.Layout.Path
	if path == nil || path.Spacing == layout.Dataset {
		return nil
	}
	main := slices.IndexFunc(t.Methods, func(m string) bool { return MethodName(m) == path.Main })
	if main < 0 {
		return nil
	}
	var list []Reach
	for _, rows := range t.Groups(path.Spacing) {
		if len(rows) < 2 {
			continue
		}
		reach := Reach{Setting: rows[0].Setting.Without(path.Spacing)}
		for method := range t.Methods {
			reach.Points = append(reach.Points, t.reachPoints(rows, method, main)...)
		}
		if len(reach.Points) > 0 {
			list = append(list, reach)
		}
	}
	return list
}

// reachPoints returns one point for a method with the same cells in all rows.
func (t *ScoreTable) reachPoints(rows []*ScoreRow, method, main int) []ReachPoint {
	stepless := sameCells(rows[0].Entries[method].Sample, rows[1].Entries[method].Sample)
	if stepless {
		rows = rows[:1]
	}
	var points []ReachPoint
	for _, row := range rows {
		point := ReachPoint{Method: method, Step: row.Setting[t.Layout.Path.Spacing].Number}
		if stepless {
			point.Step = math.NaN()
		}
		var shares, times []float64
		for _, own := range row.Entries[method].Sample {
			of := slices.IndexFunc(row.Entries[main].Sample, func(s RepeatScore) bool { return s.Repeat == own.Repeat })
			if of < 0 {
				continue
			}
			path := &row.Entries[main].Sample[of]
			share := path.bestValidation / own.bestValidation // NaN unless both are whole
			if t.Metric == Accuracy {
				share = 1 / share
			}
			if !math.IsNaN(share) {
				shares, times = append(shares, share), append(times, math.Log(own.seconds()/path.seconds()))
			}
		}
		point.Share, point.Time = Summarize(shares), math.Exp(Summarize(times).Mean)
		if point.Share.N > 0 {
			points = append(points, point)
		}
	}
	return points
}

func sameCells(a, b []RepeatScore) bool {
	return slices.EqualFunc(a, b, func(x, y RepeatScore) bool { return x.Cell == y.Cell })
}

// seconds prefers processor time to elapsed time.
func (r *RepeatScore) seconds() float64 {
	if math.IsNaN(r.Seconds[0]) {
		return r.Seconds[1]
	}
	return r.Seconds[0]
}
