package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/stats"
)

// comparedSheet shows the comparisons by one score that come with their effects.
func comparedSheet(t *analysis.ComparedTable, score analysis.Score) *sheet {
	s := &sheet{Name: "compared-" + score.String(), Title: "Methods compared pairwise: " + score.Short(t.Table.Layout)}
	varied, constant := splitAspects(t.Table)
	s.AddAspects(varied)
	s.Columns = append(s.Columns, sheetColumn{Head: "methods", Label: true})
	for _, head := range []string{"pairs", "shift", "95 % interval", "rank-biserial", "95 % interval", "p", "p (Holm)"} {
		s.Columns = append(s.Columns, sheetColumn{Head: head, Right: true})
	}
	ofTable, labels := tableDecimals(t.Table, t.Table.Base()), analysis.MethodLabels(t.Table.Methods)
	left := 0
	for _, of := range t.Rows {
		if of.Score != score {
			continue
		}
		if of.Effects == nil {
			left += len(of.Comparisons)
			continue
		}
		places := rowDecimals(ofTable, rowSummaries(of.Row, t.Table.Base())...) + 1
		for k, c := range of.Comparisons {
			e := of.Effects[k]
			s.Rows = append(s.Rows, append(layout.AspectCells(varied, of.Row.Setting),
				sheetCell{Text: labels[c.Method] + " - " + labels[c.Against]}, layout.CountCell(c.Pairs()),
				layout.NumberCell(e.Shift, places), intervalCell(e.ShiftRange, places),
				layout.NumberCell(e.RankBiserial, 2), intervalCell(e.RankBiserialRange, 2),
				probabilityCell(c.Test.P), probabilityCell(c.Adjusted)))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Differences in test %s (%s) of two methods on the splits that all methods of the setting have a score on. Shift: the Hodges-Lehmann estimate; "+
		"rank-biserial: the share of ranks for a positive difference less that for a negative one; intervals: percentile bootstrap of %d resamples; "+
		"p: Wilcoxon's signed-rank test, zeros by Pratt, exact up to %d pairs; Holm's correction over the pairs of methods of a setting",
		t.Table.Metric.Word(), t.Table.Metric.Direction(), stats.Resamples, stats.MaxExact)
	for _, fact := range constant {
		fmt.Fprintf(&b, "; %s: %s", fact.Name, fact.Value)
	}
	b.WriteString(".")
	if left > 0 {
		fmt.Fprintf(&b, " Left out: %s, whose tests are in comparisons.csv (--format csv); intervals of all would take too long.", prose.Plural(left, "more comparison"))
	}
	s.Caption = b.String()
	return s
}

func intervalCell(i stats.Interval, places int) sheetCell {
	if math.IsNaN(i.Low) {
		return sheetCell{Note: "-"}
	}
	return sheetCell{Text: fmt.Sprintf("[%s, %s]", prose.Fixed(i.Low, places), prose.Fixed(i.High, places))}
}

func probabilityCell(p float64) sheetCell { return sheetCell{Text: analysis.Probability(p)} }
