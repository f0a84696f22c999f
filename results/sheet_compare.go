package results

import (
	"fmt"
	"math"
	"strings"

	"github.com/agepath/agepath/results/stats"
)

// comparedRow holds the comparisons of a row by one score.
type comparedRow struct {
	row         *ScoreRow
	score       Score
	comparisons []Comparison
	effects     []stats.Effect // as long as comparisons, or nil where they are left out
}

// comparedTable holds the comparisons of a table, row by row and, within a
// row, score by score.
type comparedTable struct {
	table *ScoreTable
	rows  []comparedRow
}

// compared returns the comparisons of every table, which it computes when first
// asked.
func (r *Report) compared() []comparedTable {
	if r.comparisons != nil || len(r.Tables) == 0 {
		return r.comparisons
	}
	work := 0
	var chosen []*Comparison
	for _, table := range r.Tables {
		of := comparedTable{table: table}
		for i := range table.Rows {
			for score := range SelectionBias {
				c := comparedRow{row: &table.Rows[i], score: score, comparisons: table.Rows[i].Comparisons(score)}
				cost := 0
				for k := range c.comparisons {
					cost += c.comparisons[k].Pairs() * c.comparisons[k].Pairs()
				}
				if work += cost; work <= effectWork {
					c.effects = make([]stats.Effect, len(c.comparisons))
					for k := range c.comparisons {
						chosen = append(chosen, &c.comparisons[k])
					}
				} else {
					for k := range c.comparisons {
						c.comparisons[k].differences = nil // nothing needs them any more
					}
				}
				of.rows = append(of.rows, c)
			}
		}
		r.comparisons = append(r.comparisons, of)
	}
	effects := effectsOf(chosen)
	for _, of := range r.comparisons {
		for _, c := range of.rows {
			effects = effects[copy(c.effects, effects):]
		}
	}
	return r.comparisons
}

// sheet shows the comparisons by one score that come with their effects.
func (t *comparedTable) sheet(score Score) *sheet {
	s := &sheet{name: "compared-" + score.String(), title: "Methods compared pairwise: " + score.short()}
	varied, constant := splitAspects(t.table.Rows)
	s.addAspects(varied)
	s.columns = append(s.columns, sheetColumn{head: "methods", label: true})
	for _, head := range []string{"pairs", "shift", "95 % interval", "rank-biserial", "95 % interval", "p", "p (Holm)"} {
		s.columns = append(s.columns, sheetColumn{head: head, right: true})
	}
	places := t.table.decimals(TestAtBestTest) + 1
	styles := methodStylesOf(t.table.Methods)
	left := 0
	for _, of := range t.rows {
		if of.score != score {
			continue
		}
		if of.effects == nil {
			left += len(of.comparisons)
			continue
		}
		for k, c := range of.comparisons {
			e := of.effects[k]
			s.rows = append(s.rows, append(aspectCells(varied, of.row.Setting),
				sheetCell{text: styles[c.Method].label + " - " + styles[c.Against].label}, countCell(c.Pairs()),
				numberCell(e.Shift, places), intervalCell(e.ShiftRange, places),
				numberCell(e.RankBiserial, 2), intervalCell(e.RankBiserialRange, 2),
				probabilityCell(c.Test.P), probabilityCell(c.Adjusted)))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Differences in test %s (%s) of two methods on the splits that all methods of the setting have a score on. Shift: the Hodges-Lehmann estimate; "+
		"rank-biserial: the share of ranks for a positive difference less that for a negative one; intervals: percentile bootstrap of %d resamples; "+
		"p: Wilcoxon's signed-rank test, zeros by Pratt, exact up to %d pairs; Holm's correction over the pairs of methods of a setting",
		t.table.Metric.word(), t.table.Metric.direction(), stats.Resamples, stats.MaxExact)
	for _, fact := range constant {
		fmt.Fprintf(&b, "; %s: %s", fact.Name, fact.Value)
	}
	b.WriteString(".")
	if left > 0 {
		fmt.Fprintf(&b, " Left out: %s, whose tests are in comparisons.csv (--format csv); intervals of all would take too long.", plural(left, "more comparison"))
	}
	s.caption = b.String()
	return s
}

func intervalCell(i stats.Interval, places int) sheetCell {
	if math.IsNaN(i.Low) {
		return sheetCell{note: "-"}
	}
	return sheetCell{text: fmt.Sprintf("[%s, %s]", fixed(i.Low, places), fixed(i.High, places))}
}

// smallestShown is the smallest p-value that a report writes as a number.
const smallestShown = 1e-4

func probabilityCell(p float64) sheetCell {
	if p < smallestShown {
		return sheetCell{text: "< " + fixed(smallestShown, 4)}
	}
	return sheetCell{text: fixed(p, 4)}
}
