package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/stats"
)

// ScoreChange compares one score of a method in a setting between two runs on their common repeats:
// the other run's minus the baseline's. The family of its test is all settings and methods.
type ScoreChange struct {
	Setting         layout.Setting
	Method          string
	Metric          Metric
	Score           Score
	Baseline, Other Summary
	Better, Worse   int // pairs, for the other run
	Paired
}

func (c *comparedCells) scoreChanges(a, b *ComparedRun, pairs []cellPair, rounding float64) []ScoreChange {
	groups := map[int32][]cellPair{}
	for _, of := range pairs {
		if a.rows[of.baseline].status == experiment.OK && b.rows[of.other].status == experiment.OK {
			group := a.rows[of.baseline].labels.group
			groups[group] = append(groups[group], of)
		}
	}
	var changes []ScoreChange
	for group, of := range groups {
		for score := range SelectionBias {
			change := ScoreChange{Setting: c.groups[group].setting, Method: c.groups[group].method, Metric: c.metrics[group], Score: score}
			if change.compare(a, b, of, rounding) {
				changes = append(changes, change)
			}
		}
	}
	slices.SortFunc(changes, func(x, y ScoreChange) int {
		return cmp.Or(cmp.Compare(x.Score, y.Score), cmp.Compare(x.Metric, y.Metric),
			x.Setting.Compare(y.Setting), CompareMethods(x.Method, y.Method))
	})
	var families [SelectionBias][]*Paired
	for i := range changes {
		families[changes[i].Score] = append(families[changes[i].Score], &changes[i].Paired)
	}
	for _, family := range families {
		adjust(family)
	}
	return changes
}

func (s *ScoreChange) Differs() bool { return s.Better+s.Worse > 0 }

// compare returns false if there is no pair. Differences within rounding count as 0: with equal
// signs the test would find them significant.
func (s *ScoreChange) compare(a, b *ComparedRun, pairs []cellPair, rounding float64) bool {
	var before, after, differences []float64
	largest, ratio := 0.0, 0.0
	seen := map[int64]bool{}
	for _, of := range pairs {
		x, y := a.rows[of.baseline].score[s.Score], b.rows[of.other].score[s.Score]
		repeat := a.rows[of.baseline].labels.repeat
		difference, size := y-x, max(math.Abs(x), math.Abs(y))
		if !stats.Finite(difference) || seen[repeat] {
			continue
		}
		seen[repeat] = true
		if math.Abs(difference) <= rounding*size {
			difference = 0
		}
		before, after, differences = append(before, x), append(after, y), append(differences, difference)
		largest, ratio = max(largest, size), ratio+a.rows[of.baseline].ratio
	}
	if len(differences) == 0 {
		return false
	}
	evenOut(differences, largest)
	for _, d := range differences {
		switch {
		case d == 0:
		case s.Metric.Better(d, 0):
			s.Better++
		default:
			s.Worse++
		}
	}
	s.Baseline, s.Other = Summarize(before), Summarize(after)
	s.Test = stats.Resampled(differences, ratio/float64(len(differences)))
	return true
}

// NumberChanges compares the measures of computed cells of equal identity and status.
type NumberChanges struct {
	Same, Rounding, Beyond int // cells: equal bit for bit, within rounding, beyond
	Columns                []NumberChange
	Cells                  []CellChange // beyond rounding, by descending distance
}

// NumberChange is a measure of a method that differs in some cells.
type NumberChange struct {
	Method, Column   string
	Cells            int // compared
	Rounding, Beyond int // cells
	Farthest         CellChange
}

// CellChange is a cell and its measure that differs most.
type CellChange struct {
	Cell, What, Column string
	Baseline, Other    string  // "" for null
	Distance           float64 // relative, as max_kkt is already; infinite for texts and nulls
}

func (c *comparedCells) numberChanges(a, b *ComparedRun, pairs []cellPair, rounding float64) NumberChanges {
	n := NumberChanges{}
	type key struct {
		method string
		column int
	}
	byColumn := map[key]*NumberChange{}
	for _, of := range pairs {
		cell := &a.rows[of.baseline]
		if !of.same || !cell.status.Computed() || cell.status != b.rows[of.other].status {
			continue
		}
		method := c.groups[cell.labels.group].method
		worst, farthest, rounded := -1, 0.0, false // a measure beyond rounding
		for j := range c.measures {
			change := valueOf(byColumn, key{method, j}, NumberChange{Method: method, Column: c.measures[j].Name})
			change.Cells++
			distance := c.distance(a, b, of, j)
			if distance == 0 {
				continue
			}
			if distance > rounding || c.measures[j].Type == experiment.Int {
				change.Beyond++
				if distance > farthest {
					worst, farthest = j, distance
				}
			} else {
				change.Rounding++
				rounded = true
			}
			if distance > change.Farthest.Distance {
				change.Farthest = c.cellChange(a, b, of, j, distance)
			}
		}
		switch {
		case worst >= 0:
			n.Beyond++
			n.Cells = append(n.Cells, c.cellChange(a, b, of, worst, farthest))
			if len(n.Cells) > 50*MaxFailures {
				n.Cells = firstFew(n.Cells, CellChange.compare)
			}
		case rounded:
			n.Rounding++
		default:
			n.Same++
		}
	}
	n.Cells = firstFew(n.Cells, CellChange.compare)
	for _, change := range byColumn {
		if change.Rounding+change.Beyond > 0 {
			n.Columns = append(n.Columns, *change)
		}
	}
	order := func(column string) int {
		return slices.IndexFunc(c.measures, func(m experiment.Column) bool { return m.Name == column })
	}
	slices.SortFunc(n.Columns, func(x, y NumberChange) int {
		return cmp.Or(CompareMethods(x.Method, y.Method), cmp.Compare(order(x.Column), order(y.Column)))
	})
	return n
}

func (c CellChange) compare(other CellChange) int {
	return cmp.Or(cmp.Compare(other.Distance, c.Distance), cmp.Compare(c.Cell, other.Cell))
}

func (c *comparedCells) distance(a, b *ComparedRun, of cellPair, measure int) float64 {
	x, textX, nullX := a.value(of.baseline, measure)
	y, textY, nullY := b.value(of.other, measure)
	switch {
	case nullX && c.lacks(a.runCells, of.baseline, measure), nullY && c.lacks(b.runCells, of.other, measure):
		return 0
	case nullX != nullY, textX != textY:
		return math.Inf(1)
	case nullX, x == y, math.IsNaN(x) && math.IsNaN(y):
		return 0
	case !stats.Finite(x), !stats.Finite(y):
		return math.Inf(1)
	case c.measures[measure].Name == c.schema.Certificate:
		return math.Abs(x - y)
	}
	largest := max(math.Abs(x), math.Abs(y))
	return math.Abs(x/largest - y/largest)
}

// lacks reports whether a row is older than the schema version of a measure: it has none that came
// with that version.
func (c *comparedCells) lacks(r *runCells, at int32, measure int) bool {
	since := c.measures[measure].Since
	for j := range c.measures {
		if _, _, null := r.value(at, j); !null && c.measures[j].Since == since {
			return false
		}
	}
	return since > experiment.OldestSchema
}

// value returns an integer (below 2^53) or a float, or else a text.
func (r *runCells) value(at int32, measure int) (x float64, text string, null bool) {
	cell := &r.rows[at]
	v, row := &r.measures[cell.batch][measure], int(cell.row)
	switch {
	case v.IsNull(row):
		return 0, "", true
	case v.Floats != nil:
		return v.Floats[row], "", false
	case v.Ints != nil:
		return float64(v.Ints[row]), "", false
	}
	return 0, v.Texts[row], false
}

func (c *comparedCells) cellChange(a, b *ComparedRun, of cellPair, measure int, distance float64) CellChange {
	cell := &a.rows[of.baseline]
	return CellChange{
		Cell: cell.key.String(), What: c.what(cell), Column: c.measures[measure].Name, Distance: distance,
		Baseline: c.valueText(a, of.baseline, measure), Other: c.valueText(b, of.other, measure),
	}
}

func (c *comparedCells) valueText(r *ComparedRun, at int32, measure int) string {
	x, text, null := r.value(at, measure)
	if null || c.measures[measure].Type == experiment.Text {
		return text
	}
	return exact(x)
}

// TimeQuantiles are the quantiles of a [TimeRatio].
var TimeQuantiles = [...]float64{0, 0.05, 0.25, 0.5, 0.75, 0.95, 1}

// TimeRatio is the time in the other run relative to the baseline, of cells that both computed
// separately with the same status.
type TimeRatio struct {
	Method          string // "" for all
	Column          string
	Cells           int
	Baseline, Other float64 // total seconds
	Mean            float64 // geometric
	Quantiles       [len(TimeQuantiles)]float64
}

func (c *comparedCells) timeRatios(a, b *ComparedRun, pairs []cellPair) []TimeRatio {
	var list []TimeRatio
	for clock, column := range timeColumns {
		sums, ratios := map[string]*TimeRatio{}, map[string][]float64{}
		for _, of := range pairs {
			x, y := &a.rows[of.baseline], &b.rows[of.other]
			if !x.status.Computed() || x.status != y.status || isCopy(x, y) || !(x.seconds[clock] > 0) || !(y.seconds[clock] > 0) {
				continue
			}
			for _, method := range []string{"", c.groups[x.labels.group].method} {
				t := valueOf(sums, method, TimeRatio{Method: method, Column: column})
				t.Baseline += x.seconds[clock]
				t.Other += y.seconds[clock]
				ratios[method] = append(ratios[method], y.seconds[clock]/x.seconds[clock])
			}
		}
		for method, t := range sums {
			of := ratios[method]
			slices.Sort(of)
			t.Cells = len(of)
			for _, ratio := range of {
				t.Mean += math.Log(ratio) / float64(len(of))
			}
			t.Mean = math.Exp(t.Mean)
			for k, p := range TimeQuantiles {
				t.Quantiles[k] = stats.Quantile(of, p)
			}
			list = append(list, *t)
		}
	}
	slices.SortFunc(list, func(x, y TimeRatio) int {
		all := func(t TimeRatio) int { return min(len(t.Method), 1) }
		return cmp.Or(cmp.Compare(all(x), all(y)), CompareMethods(x.Method, y.Method), cmp.Compare(x.Column, y.Column))
	})
	return list
}
