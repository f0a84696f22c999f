package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/stats"
)

// Tests are those of a report.
type Tests = results.Tests

// DefaultTests are the settings if nothing else is asked for.
var DefaultTests = Tests{Significance: 0.05, Rope: 0.01}

// Paired is the test of the differences of paired scores. Repeats are random splits of one data set,
// which share rows: see [stats.Resampled].
type Paired struct {
	Test stats.ResampledTest
	Q    float64 // Test.P adjusted for the false discovery rate of the family; NaN if not tested
}

func adjust(family []*Paired) {
	for k, q := range stats.FalseDiscoveryRate(lists.Map(family, func(p *Paired) float64 { return p.Test.P })) {
		family[k].Q = q
	}
}

// Comparison compares two methods in one setting on the common repeats of the row: cells of one
// repeat share split and contamination. The differences are those of Method less Against. The family
// of its test is all pairs in all settings of the compared tables.
type Comparison struct {
	Method, Against int // in the table; Method > Against
	Margin          float64
	Paired
}

func (p *Paired) Tested() bool { return !math.IsNaN(p.Test.P) }

// Chances returns the probabilities that Method is better than Against by more than the margin, equal
// within it, or worse.
func (c *Comparison) Chances(metric Metric) (better, equal, worse float64) {
	chances := c.Test.Chances(c.Margin)
	if metric.Of().Higher {
		return chances.Above, chances.Within, chances.Below
	}
	return chances.Below, chances.Within, chances.Above
}

// Of returns the comparison seen from one of its methods.
func (c Comparison) Of(method int) Comparison {
	if c.Against == method {
		c.Method, c.Against, c.Test.Mean = c.Against, c.Method, -c.Test.Mean
	}
	return c
}

// CompareScores orders the better of two scores first.
func (t *ScoreTable) CompareScores(a, b float64) int {
	if t.Metric.Of().Higher {
		a, b = b, a
	}
	return cmp.Compare(a, b)
}

// ComparedRow holds the comparisons of every two methods of a row that have the score.
type ComparedRow struct {
	Row         *ScoreRow
	Comparisons []Comparison
}

// ComparedTable holds the comparisons of a table.
type ComparedTable struct {
	Table *ScoreTable
	Rows  []ComparedRow
}

// Compare compares the methods of tables by their leading scores.
func Compare(tables []*ScoreTable) []ComparedTable { return compareBy(tables, (*ScoreTable).Lead) }

func compareBy(tables []*ScoreTable, score func(*ScoreTable) Score) []ComparedTable {
	var list []ComparedTable
	var family []*Paired
	for _, table := range tables {
		of := ComparedTable{Table: table}
		for _, row := range table.Rows {
			of.Rows = append(of.Rows, ComparedRow{row, row.comparisons(table, score(table))})
			last := of.Rows[len(of.Rows)-1].Comparisons
			for k := range last {
				family = append(family, &last[k].Paired)
			}
		}
		list = append(list, of)
	}
	adjust(family)
	return list
}

func (r *ScoreRow) comparisons(table *ScoreTable, score Score) []Comparison {
	var list []Comparison
	for j := range r.Entries {
		for i := range j {
			differences, ratio := pairedDifferences(r.Entries[j].Sample, r.Entries[i].Sample, r.Common[score].Repeats, score)
			if len(differences) > 0 {
				list = append(list, Comparison{j, i, r.margin(table, score, i, j), Paired{Test: stats.Resampled(differences, ratio)}})
			}
		}
	}
	return list
}

// margin takes the larger mean of the two methods for that of a missing constant.
func (r *ScoreRow) margin(table *ScoreTable, score Score, i, j int) float64 {
	scale := max(math.Abs(r.Entries[i].Compared[score].Mean), math.Abs(r.Entries[j].Compared[score].Mean))
	switch {
	case table.Metric.Of().Higher:
		scale = 1
	case r.Floor != nil && r.Floor.Compared[score].N > 0:
		scale = math.Abs(r.Floor.Compared[score].Mean)
	}
	return table.Tests.Rope * scale
}

// pairedDifferences returns a - b on the given ascending repeats, and the mean ratio of test to
// training rows. The samples are ordered by repeat; of several cells of one repeat the first counts.
func pairedDifferences(a, b []RepeatScore, repeats []int64, score Score) (differences []float64, ratio float64) {
	largest := 0.0
	for _, repeat := range repeats {
		x, inA := scoreOf(a, repeat, score)
		y, inB := scoreOf(b, repeat, score)
		if inA != nil && inB != nil {
			differences = append(differences, x-y)
			largest = max(largest, math.Abs(x), math.Abs(y))
			ratio += inA.Ratio
		}
	}
	evenOut(differences, largest)
	return differences, ratio / float64(max(1, len(differences)))
}

// scoreOf returns no cell if none of the repeat has a finite score.
func scoreOf(sample []RepeatScore, repeat int64, score Score) (float64, *RepeatScore) {
	i, _ := slices.BinarySearchFunc(sample, repeat, func(r RepeatScore, repeat int64) int { return cmp.Compare(r.Repeat, repeat) })
	for ; i < len(sample) && sample[i].Repeat == repeat; i++ {
		if x := sample[i].Score[score]; stats.Finite(x) {
			return x, &sample[i]
		}
	}
	return 0, nil
}

// evenOut rounds differences to 40 bits below the largest score, so that rounding does not break
// ties: 0.9 - 0.8 equals 0.8 - 0.7.
func evenOut(differences []float64, largest float64) {
	_, exponent := math.Frexp(largest)
	for i, d := range differences {
		differences[i] = math.Ldexp(math.RoundToEven(math.Ldexp(d, 40-exponent)), exponent-40)
	}
}

// markEqual marks the entries that do not differ significantly from the best mean of their row.
func markEqual(tables []*ScoreTable) {
	for score := range SelectionBias {
		for _, of := range compareBy(tables, func(*ScoreTable) Score { return score }) {
			for _, row := range of.Rows {
				best := slices.IndexFunc(row.Row.Entries, func(e ScoreEntry) bool { return e.Best[score] })
				for _, c := range row.Comparisons {
					if !c.Tested() || c.Method != best && c.Against != best {
						continue
					}
					row.Row.Tested[score] = true
					e := &row.Row.Entries[c.Method+c.Against-best]
					e.Equal[score] = !e.Best[score] && c.Q > of.Table.Tests.Significance
				}
			}
		}
	}
}
