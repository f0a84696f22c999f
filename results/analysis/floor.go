package analysis

import (
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

// placedFloors are the floor's entries by the dimensions in always.
type placedFloors struct {
	layout  *layout.Layout
	always  []layout.Dimension // stated in every row
	several []layout.Dimension // stated if the data set has several values
	entries map[layout.Setting][]placedFloor
}

type placedFloor struct {
	setting layout.Setting
	entry   *ScoreEntry
}

func (g *cellGroups) floorsByPlace() *placedFloors {
	f := &placedFloors{layout: g.schema.Layout, entries: map[layout.Setting][]placedFloor{}}
	if len(g.floors) == 0 {
		return f
	}
	stated := statedWhereSeveral(f.layout)
	for _, d := range f.layout.Floor.Dimensions {
		if slices.Contains(stated, d) {
			f.several = append(f.several, d)
		} else {
			f.always = append(f.always, d)
		}
	}
	for setting, entry := range g.floors {
		place := only(setting, f.always)
		f.entries[place] = append(f.entries[place], placedFloor{setting, entry})
	}
	for _, list := range f.entries {
		slices.SortFunc(list, func(a, b placedFloor) int { return a.setting.Compare(b.setting) })
	}
	return f
}

func only(s layout.Setting, ds []layout.Dimension) (kept layout.Setting) {
	for _, d := range ds {
		kept[d] = s[d]
	}
	return kept
}

// of returns a copy, nil if there is none.
func (f *placedFloors) of(row layout.Setting, metric Metric) *ScoreEntry {
	for _, floor := range f.entries[only(row, f.always)] {
		if slices.ContainsFunc(f.several, func(d layout.Dimension) bool { return !row[d].IsNull() && row[d] != floor.setting[d] }) {
			continue
		}
		entry := *floor.entry
		entry.summarize(metric)
		return &entry
	}
	return nil
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
		if y, there := scoreOf(row.Floor.Sample, repeat, score); there {
			own, floor = append(own, x), append(floor, y)
		}
	}
	a, b := Summarize(own).Mean, Summarize(floor).Mean
	return len(own) > 0 && (!t.Metric.better(a, b) || math.Abs(a-b) <= Rounding*math.Abs(b))
}
