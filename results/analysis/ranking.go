package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/stats"
)

// Ranking compares methods over data sets, which each rank them by mean score.
type Ranking struct {
	Score    Score
	Methods  []string // scored on every data set
	Datasets []string
	Means    [][]float64 // by data set and method
	Losses   [][]float64 // likewise, lower is better
	Metrics  int         // of the data sets
	Test     stats.FriedmanTest
	Critical float64  // Nemenyi's difference of mean ranks
	LeftOut  []string // methods not scored on every data set
	Tests    Tests
	errors   bool // the scores are errors, >= 0
}

// NewRanking ranks by one score. It returns nil if fewer than 2 data sets have at least 2 methods
// in common. Ranks are within a data set, so tables of different metrics can be combined. A data set
// counts once: its means are over the settings with a score of every ranked method, each over the
// common repeats.
func NewRanking(tables []*ScoreTable, score Score, tests Tests) *Ranking {
	rows := map[string][]EntryAt{} // without a method
	scoredOn := map[string]map[string]bool{}
	for _, table := range tables {
		for _, row := range table.Rows {
			name := row.Setting[layout.Dataset].Text
			rows[name] = append(rows[name], EntryAt{Table: table, Row: row})
			for j, method := range table.Methods {
				if row.Entries[j].Summary[score].N > 0 {
					under(scoredOn, method)[name] = true
				}
			}
		}
	}
	r := &Ranking{Score: score, Metrics: len(tables), Tests: tests}
	r.errors = !slices.ContainsFunc(tables, func(table *ScoreTable) bool { return table.Metric.Of().Higher })
	for _, method := range slices.SortedFunc(maps.Keys(scoredOn), CompareMethods) {
		if len(scoredOn[method]) == len(rows) {
			r.Methods = append(r.Methods, method)
		} else {
			r.LeftOut = append(r.LeftOut, method)
		}
	}
	if len(r.Methods) < 2 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		means, loss := r.block(rows[name])
		if means != nil {
			r.Datasets = append(r.Datasets, name)
			r.Means, r.Losses = append(r.Means, means), append(r.Losses, loss)
		}
	}
	if len(r.Datasets) < 2 {
		return nil
	}
	r.Critical = stats.CriticalDifference(len(r.Methods), len(r.Datasets), tests.Significance)
	r.Test = stats.Friedman(r.Losses)
	return r
}

// Most is the largest possible difference of two mean ranks.
func (r *Ranking) Most() float64 { return float64(len(r.Methods) - 1) }

// Shows reports whether Nemenyi's test can find a difference. Of two methods [Ranking.Wilcoxon] is the
// test.
func (r *Ranking) Shows() bool { return r != nil && len(r.Methods) > 2 && r.Critical <= r.Most() }

// Needed returns the number of data sets with which a difference of half of [Ranking.Most] would be
// significant.
func (r *Ranking) Needed() int {
	n := 2 * r.Critical / r.Most()
	return int(math.Ceil(float64(len(r.Datasets)) * n * n))
}

// Wilcoxon returns the p-value of two of the methods by the signed-rank test over data sets (Demšar
// 2006), and on how many a is better. The test takes one metric: of several ok is false. Differences of
// errors, whose units vary with the data set, are relative to the two errors' sum.
func (r *Ranking) Wilcoxon(a, b int) (p float64, better int, ok bool) {
	differences := make([]float64, len(r.Losses))
	for d, losses := range r.Losses {
		difference := losses[a] - losses[b]
		if difference < 0 {
			better++
		}
		if sum := losses[a] + losses[b]; r.errors && sum > 0 {
			difference /= sum
		}
		differences[d] = difference
	}
	return stats.SignedRank(differences), better, r.Metrics == 1
}

// block returns the mean score of each method over a data set's settings, and its loss; nil if no
// setting has all methods. Means that differ only by rounding are ties.
func (r *Ranking) block(rows []EntryAt) (means, losses []float64) {
	sums := make([]float64, len(r.Methods))
	n, sign := 0, 1.0
	for _, of := range rows {
		values := make([]float64, 0, len(r.Methods))
		for _, method := range r.Methods {
			if j := slices.Index(of.Table.Methods, method); j >= 0 && of.Row.Entries[j].Compared[r.Score].N > 0 {
				values = append(values, of.Row.Entries[j].Compared[r.Score].Mean)
			}
		}
		if len(values) < len(r.Methods) {
			continue
		}
		if n++; of.Table.Metric.Of().Higher {
			sign = -1
		}
		for m, value := range values {
			sums[m] += value
		}
	}
	if n == 0 {
		return nil, nil
	}
	largest := 0.0
	for m := range sums {
		sums[m] /= float64(n)
		largest = max(largest, sums[m], -sums[m])
	}
	evenOut(sums, largest)
	for _, mean := range sums {
		losses = append(losses, sign*mean)
	}
	return sums, losses
}

// Cliques returns the order by mean rank and the maximal groups within the critical difference, as
// ranges of this order.
func (r *Ranking) Cliques() (order []int, groups [][2]int) {
	ranks := r.Test.MeanRanks
	order = stats.Order(len(r.Methods), func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	last := -1
	for from := range order {
		to := from
		for to+1 < len(order) && ranks[order[to+1]]-ranks[order[from]] <= r.Critical {
			to++
		}
		if to > from && to > last {
			groups = append(groups, [2]int{from, to})
			last = to
		}
	}
	return order, groups
}

func (r *Ranking) Words() string {
	var b strings.Builder
	t, f := r.Test, "∞ (all data sets rank alike)"
	if stats.Finite(t.F) {
		f = fmt.Sprintf("%.3f", t.F)
	}
	fmt.Fprintf(&b, "Mean test scores of each data set, over its settings that every method has a score in and the repeats that all methods have there, and the methods' mean ranks over %s; 1 is best. "+
		"Friedman's test: χ² = %.3f with %d degrees of freedom, %s; Iman and Davenport's: F = %s, %s. "+
		"Nemenyi's critical difference at %s: %.2f.",
		prose.Plural(t.Blocks, "data set"), t.Chi2, t.Methods-1, PValue(t.P), f, PValue(t.FP), r.Tests.Level(), r.Critical)
	if len(r.LeftOut) > 0 {
		fmt.Fprintf(&b, " Left out, since they have no score on some data set: %s.", strings.Join(r.LeftOut, ", "))
	}
	return b.String()
}

// smallestShown is the smallest p-value shown as a number.
const smallestShown = 1e-4

// PValue writes "p = 0.0312" or "p < 0.0001".
func PValue(p float64) string {
	if text := Probability(p); strings.HasPrefix(text, "<") {
		return "p " + text
	}
	return "p = " + Probability(p)
}

// Probability formats a p-value.
func Probability(p float64) string {
	if p < smallestShown {
		return "< " + prose.Fixed(smallestShown, 4)
	}
	return prose.Fixed(p, 4)
}
