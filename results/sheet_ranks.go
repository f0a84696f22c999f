package results

import (
	"fmt"
	"strings"

	"github.com/agepath/agepath/results/stats"
)

// sheet shows the mean ranks of the methods over the data sets, and how far
// each is from the best.
func (r *Ranking) sheet() *sheet {
	s := &sheet{name: slug("ranks", r.Score.String()), title: "Mean ranks over data sets: " + r.Score.short()}
	s.columns = []sheetColumn{{head: "method", label: true}}
	for _, name := range r.Datasets {
		s.columns = append(s.columns, sheetColumn{head: name, right: true})
	}
	for _, head := range []string{"mean rank", "behind the best", "p (Nemenyi)"} {
		s.columns = append(s.columns, sheetColumn{head: head, right: true})
	}
	ranks := r.Test.MeanRanks
	order, _ := r.cliques()
	best := order[0]
	styles := methodStylesOf(r.Methods)
	for _, m := range order {
		cells := []sheetCell{sheetCell{text: styles[m].label}}
		for d := range r.Datasets {
			cells = append(cells, numberCell(r.Means[d][m], 4))
		}
		mean := numberCell(ranks[m], 2)
		distance := numberCell(ranks[m]-ranks[best], 2)
		p := sheetCell{note: "-"}
		switch {
		case ranks[m] == ranks[best]:
			mean.mark = bestMark
		default:
			value := stats.Nemenyi(ranks[m]-ranks[best], len(r.Methods), len(r.Datasets))
			if p = probabilityCell(value); value > Significance {
				mean.mark = equalMark
			}
		}
		s.rows = append(s.rows, append(cells, mean, distance, p))
	}
	s.best = "best mean rank"
	s.equal = "within the critical difference of the best"
	s.caption = r.words()
	return s
}

// words tells what was ranked and what the tests say.
func (r *Ranking) words() string {
	var b strings.Builder
	t := r.Test
	fmt.Fprintf(&b, "Mean test scores of each data set, over its settings that every method has a score in and the repeats that all methods have there, and the methods' mean ranks over %s; 1 is best. "+
		"Friedman's test: χ² = %.3f with %d degrees of freedom, p = %s; Iman and Davenport's: F = %s, p = %s. "+
		"Nemenyi's critical difference at 5 %%: %.2f.",
		plural(t.Blocks, "data set"), t.Chi2, t.Methods-1, probabilityCell(t.P).text, infinite(t.F), probabilityCell(t.FP).text, r.Critical)
	if len(r.LeftOut) > 0 {
		fmt.Fprintf(&b, " Left out, since they have no score on some data set: %s.", strings.Join(r.LeftOut, ", "))
	}
	return b.String()
}

// infinite writes a statistic that may be infinite.
func infinite(x float64) string {
	if isFinite(x) {
		return fmt.Sprintf("%.3f", x)
	}
	return "∞ (all data sets rank alike)"
}
