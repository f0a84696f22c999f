package analysis

import (
	"maps"
	"math"
	"slices"

	"github.com/agepath/agepath/results/layout"
)

func (s *schema) floorName() string {
	if s.Floor == nil {
		return ""
	}
	return s.Floor.Method
}

// floorOf returns the floor of rows, a copy; nil if there is none. Dimensions that are stated only
// where a data set has several values need not be in the row.
func (g *cellGroups) floorOf() func(row layout.Setting, metric Metric) *ScoreEntry {
	l, stated := g.schema.Layout, statedWhereSeveral(g.schema.Layout)
	settings := slices.SortedFunc(maps.Keys(g.floors), layout.Setting.Compare)
	return func(row layout.Setting, metric Metric) *ScoreEntry {
		for _, setting := range settings {
			if slices.ContainsFunc(l.Floor.Dimensions, func(d layout.Dimension) bool {
				return row[d] != setting[d] && !(row[d].IsNull() && slices.Contains(stated, d))
			}) {
				continue
			}
			entry := *g.floors[setting]
			entry.summarize(metric)
			return &entry
		}
		return nil
	}
}

func only(s layout.Setting, ds []layout.Dimension) (kept layout.Setting) {
	for _, d := range ds {
		kept[d] = s[d]
	}
	return kept
}

func (t *ScoreTable) HasFloor() bool {
	return slices.ContainsFunc(t.Rows, func(r *ScoreRow) bool { return r.Floor != nil })
}

// NotBetter reports whether the mean of a method (in the table) is not better than the floor's, over
// the repeats of both. Means that differ by rounding are equal.
func (t *ScoreTable) NotBetter(row *ScoreRow, method int, score Score) bool {
	if row.Floor == nil {
		return false
	}
	var own, floor []float64
	for _, repeat := range RepeatsWith(row.Entries[method].Sample, score) {
		x, _ := scoreOf(row.Entries[method].Sample, repeat, score)
		if y, there := scoreOf(row.Floor.Sample, repeat, score); there != nil {
			own, floor = append(own, x), append(floor, y)
		}
	}
	a, b := Summarize(own).Mean, Summarize(floor).Mean
	return len(own) > 0 && (!t.Metric.Better(a, b) || math.Abs(a-b) <= Rounding*math.Abs(b))
}
