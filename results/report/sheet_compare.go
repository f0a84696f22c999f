package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/stats"
)

// comparedSheet requires effects and enough repeats for a significant test.
func comparedSheet(t *analysis.ComparedTable) *sheet {
	score := t.Table.Lead()
	s := &sheet{Name: "compared-" + string(t.Table.Metric), Title: "Differences in test " + t.Table.Metric.Word()}
	varied, constant := foldAspects(t.Table.Layout, t.Table.Settings())
	s.AddAspects(varied)
	s.Columns = slices.Concat(s.Columns, labelColumns("methods"),
		rightColumns("pairs", "shift", "95 % interval", "rank-biserial", "95 % interval", "p", "p (Holm)"))
	ofTable, labels := tableDecimals(t.Table, score), analysis.MethodLabels(t.Table.Methods)
	left := 0
	for _, of := range t.Rows {
		if !of.Row.Tested[score] {
			continue
		}
		places := rowDecimals(ofTable, rowSummaries(of.Row, score)...) + 1
		for _, c := range of.Comparisons {
			if c.Effect == nil {
				left++
				continue
			}
			e := c.Effect
			s.Rows = append(s.Rows, append(layout.AspectCells(varied, of.Row.Setting),
				sheetCell{Text: labels[c.Method] + " - " + labels[c.Against]}, layout.CountCell(c.Pairs()),
				layout.NumberCell(e.Shift, places), intervalCell(e.ShiftRange, places),
				layout.NumberCell(e.RankBiserial, 2), intervalCell(e.RankBiserialRange, 2),
				probabilityCell(c.Test.P), probabilityCell(c.Adjusted)))
		}
	}
	if len(s.Rows) == 0 {
		return nil
	}
	s.Caption = fmt.Sprintf("On the repeats that all methods of the setting have. Shift: Hodges-Lehmann; intervals: bootstrap of %d resamples; "+
		"p: Wilcoxon's signed-rank test, exact up to %d pairs; Holm's correction over the setting.%s",
		stats.Resamples, stats.MaxExact, layout.ConstantWords(constant))
	if left > 0 {
		s.Caption += fmt.Sprintf(" Left out: %s, whose tests are in comparisons.csv (--format csv).", prose.Plural(left, "more comparison"))
	}
	return s
}

func intervalCell(i stats.Interval, places int) sheetCell {
	if math.IsNaN(i.Low) {
		return sheetCell{Note: "-"}
	}
	return sheetCell{Text: fmt.Sprintf("[%s, %s]", prose.Fixed(i.Low, places), prose.Fixed(i.High, places))}
}

func probabilityCell(p float64) sheetCell { return sheetCell{Text: analysis.Probability(p)} }
