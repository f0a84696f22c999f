package analysis

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/agepath/agepath/results/stats"
)

// Significance is the level of every test of a report; intervals have confidence 1 - Significance.
const Significance = 0.05

// Paired holds the differences of paired scores and their test.
type Paired struct {
	Test        stats.SignedRankTest
	Adjusted    float64       // Test.P by Holm's correction over the family
	Effect      *stats.Effect // nil if left out, since many pairs take too long
	differences []float64
}

func newPaired(differences []float64) Paired {
	return Paired{differences: differences, Test: stats.SignedRank(differences)}
}

func (p *Paired) Pairs() int { return p.Test.N + p.Test.Zeros }

// Sizes returns the effect or, if it was left out, what the test has of it.
func (p *Paired) Sizes() stats.Effect {
	if p.Effect != nil {
		return *p.Effect
	}
	nan := stats.Interval{Low: math.NaN(), High: math.NaN()}
	e := stats.Effect{Shift: math.NaN(), ShiftRange: nan, RankBiserial: p.Test.RankBiserial(), RankBiserialRange: nan}
	if p.Test.N == 0 {
		e.Shift = 0
	}
	return e
}

func adjust(family []*Paired) {
	p := make([]float64, len(family))
	for k := range family {
		p[k] = family[k].Test.P
	}
	for k, adjusted := range stats.Holm(p) {
		family[k].Adjusted = adjusted
	}
}

// Comparison compares two methods in one setting on the common repeats of the row: cells of one
// repeat share split and contamination. The family of its test is the pairs of the row.
type Comparison struct {
	Method, Against int // in the table; Method > Against
	Paired
}

// Comparisons compares every two methods of a row that have the score.
func (r *ScoreRow) Comparisons(score Score) []Comparison {
	var list []Comparison
	for j := range r.Entries {
		for i := range j {
			differences := pairedDifferences(r.Entries[j].Sample, r.Entries[i].Sample, r.Common[score].Repeats, score)
			if len(differences) > 0 {
				list = append(list, Comparison{Method: j, Against: i, Paired: newPaired(differences)})
			}
		}
	}
	adjust(familyOf(list))
	return list
}

func familyOf(list []Comparison) []*Paired {
	family := make([]*Paired, len(list))
	for k := range list {
		family[k] = &list[k].Paired
	}
	return family
}

// pairedDifferences returns a - b on the given ascending repeats. The samples are ordered by
// repeat; of several cells of one repeat the first counts.
func pairedDifferences(a, b []RepeatScore, repeats []int64, score Score) []float64 {
	var differences []float64
	largest := 0.0
	for _, repeat := range repeats {
		x, inA := scoreOf(a, repeat, score)
		y, inB := scoreOf(b, repeat, score)
		if inA && inB {
			differences = append(differences, x-y)
			largest = max(largest, math.Abs(x), math.Abs(y))
		}
	}
	evenOut(differences, largest)
	return differences
}

func scoreOf(sample []RepeatScore, repeat int64, score Score) (float64, bool) {
	i, _ := slices.BinarySearchFunc(sample, repeat, func(r RepeatScore, repeat int64) int { return cmp.Compare(r.Repeat, repeat) })
	for ; i < len(sample) && sample[i].Repeat == repeat; i++ {
		if x := sample[i].Score[score]; stats.Finite(x) {
			return x, true
		}
	}
	return 0, false
}

// evenOut rounds differences to 40 bits below the largest score, so that rounding does not break
// ties: 0.9 - 0.8 equals 0.8 - 0.7.
func evenOut(differences []float64, largest float64) {
	_, exponent := math.Frexp(largest)
	for i, d := range differences {
		differences[i] = math.Ldexp(math.RoundToEven(math.Ldexp(d, 40-exponent)), exponent-40)
	}
}

// testable reports whether m tests can reject: the smallest p-value of n pairs is 2^(1-n).
func testable(n, m int) bool { return float64(m)*math.Ldexp(1, 1-n) <= Significance }

// NeededRepeats is the minimum number of repeats with which m comparisons can find a difference.
func NeededRepeats(m int) int {
	n := 1
	for !testable(n, m) {
		n++
	}
	return n
}

// markEqual marks the entries that are not significantly worse than the best mean, if the row has
// enough repeats for a significant test.
func (r *ScoreRow) markEqual() {
	for score := range SelectionBias {
		best := -1
		for j := range r.Entries {
			if r.Entries[j].Best[score] {
				best = j
				break
			}
		}
		if best < 0 {
			continue
		}
		comparisons := r.Comparisons(score)
		for _, c := range comparisons {
			other := c.Method + c.Against - best
			if c.Method != best && c.Against != best || !testable(c.Pairs(), len(comparisons)) {
				continue
			}
			r.Tested[score] = true
			e := &r.Entries[other]
			e.Equal[score] = !e.Best[score] && c.Adjusted > Significance
		}
	}
}

// effectWork, in squared numbers of pairs, limits bootstrap intervals to about 10 s on one
// processor.
const effectWork = 2_500_000

// addEffects computes the effects of whole families, in their order, up to effectWork.
func addEffects(families [][]*Paired) {
	next := make(chan *Paired)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for p := range next {
				effect := stats.NewEffect(p.differences, 1-Significance)
				p.Effect = &effect
			}
		})
	}
	work := 0
	for _, family := range families {
		for _, p := range family {
			work += p.Pairs() * p.Pairs()
		}
		if work > effectWork {
			break
		}
		for _, p := range family {
			next <- p
		}
	}
	close(next)
	workers.Wait()
}

// ComparedRow holds the comparisons of a row by the score that leads its table.
type ComparedRow struct {
	Row         *ScoreRow
	Comparisons []Comparison
}

// ComparedTable holds the comparisons of a table.
type ComparedTable struct {
	Table *ScoreTable
	Rows  []ComparedRow
}

// Compared returns the comparisons of the tables of Chosen, computed by the first call.
func (r *Run) Compared() []ComparedTable {
	if r.comparisons != nil || len(r.Chosen) == 0 {
		return r.comparisons
	}
	var families [][]*Paired
	for _, table := range r.Chosen {
		of := ComparedTable{Table: table}
		for _, row := range table.Rows {
			c := ComparedRow{row, row.Comparisons(table.Lead())}
			families = append(families, familyOf(c.Comparisons))
			of.Rows = append(of.Rows, c)
		}
		r.comparisons = append(r.comparisons, of)
	}
	addEffects(families)
	return r.comparisons
}
