package analysis

import (
	"cmp"
	"fmt"
	"maps"
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
	Test     stats.FriedmanTest
	Critical float64  // Nemenyi's, at Significance
	LeftOut  []string // methods not scored on every data set
}

// minRanked is 3 because the signed-rank test compares two methods.
const minRanked = 3

// NewRanking ranks by one score. It returns nil if fewer than 2 data sets have at least 3 methods
// in common, or too few for the best and the worst method to differ at [Significance]. Ranks are
// within a data set, so tables of different metrics can be combined. A data set counts once: its
// means are over the settings with a score of every ranked method, each over the common repeats.
func NewRanking(tables []*ScoreTable, score Score) *Ranking {
	rows := map[string][]rankedRow{}
	scoredOn := map[string]map[string]bool{}
	for _, table := range tables {
		for _, row := range table.Rows {
			name := row.Setting[layout.Dataset].Text
			rows[name] = append(rows[name], rankedRow{table, row})
			for j, method := range table.Methods {
				if row.Entries[j].Summary[score].N > 0 {
					under(scoredOn, method)[name] = true
				}
			}
		}
	}
	r := &Ranking{Score: score}
	for _, method := range slices.SortedFunc(maps.Keys(scoredOn), CompareMethods) {
		if len(scoredOn[method]) == len(rows) {
			r.Methods = append(r.Methods, method)
		} else {
			r.LeftOut = append(r.LeftOut, method)
		}
	}
	if len(r.Methods) < minRanked {
		return nil
	}
	var losses [][]float64 // lower is better
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		means, loss := r.block(rows[name])
		if means != nil {
			r.Datasets = append(r.Datasets, name)
			r.Means, losses = append(r.Means, means), append(losses, loss)
		}
	}
	if len(r.Datasets) < 2 {
		return nil
	}
	r.Critical = stats.CriticalDifference(len(r.Methods), len(r.Datasets), Significance)
	if r.Critical > float64(len(r.Methods)-1) {
		return nil
	}
	r.Test = stats.Friedman(losses)
	return r
}

type rankedRow struct {
	table *ScoreTable
	row   *ScoreRow
}

// block returns the mean score of each method over a data set's settings, and its loss; nil if no
// setting has all methods. Means that differ only by rounding are ties.
func (r *Ranking) block(rows []rankedRow) (means, losses []float64) {
	sums := make([]float64, len(r.Methods))
	n, sign := 0, 1.0
	for _, of := range rows {
		values := make([]float64, 0, len(r.Methods))
		for _, method := range r.Methods {
			if j := slices.Index(of.table.Methods, method); j >= 0 && of.row.Entries[j].Compared[r.Score].N > 0 {
				values = append(values, of.row.Entries[j].Compared[r.Score].Mean)
			}
		}
		if len(values) < len(r.Methods) {
			continue
		}
		if n++; of.table.Metric == Accuracy {
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
	t := r.Test
	fmt.Fprintf(&b, "Mean test scores of each data set, over its settings that every method has a score in and the repeats that all methods have there, and the methods' mean ranks over %s; 1 is best. "+
		"Friedman's test: χ² = %.3f with %d degrees of freedom, p = %s; Iman and Davenport's: F = %s, p = %s. "+
		"Nemenyi's critical difference at 5 %%: %.2f.",
		prose.Plural(t.Blocks, "data set"), t.Chi2, t.Methods-1, Probability(t.P), infinite(t.F), Probability(t.FP), r.Critical)
	if len(r.LeftOut) > 0 {
		fmt.Fprintf(&b, " Left out, since they have no score on some data set: %s.", strings.Join(r.LeftOut, ", "))
	}
	return b.String()
}

func infinite(x float64) string {
	if stats.Finite(x) {
		return fmt.Sprintf("%.3f", x)
	}
	return "∞ (all data sets rank alike)"
}

// smallestShown is the smallest p-value shown as a number.
const smallestShown = 1e-4

// Probability formats a p-value.
func Probability(p float64) string {
	if p < smallestShown {
		return "< " + prose.Fixed(smallestShown, 4)
	}
	return prose.Fixed(p, 4)
}
