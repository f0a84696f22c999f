package report

import (
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/internal/prose"
	"github.com/agepath/agepath/results/stats"
)

// sheet shows the mean ranks of the methods over the data sets, and how far
// each is from the best.
func rankSheet(r *analysis.Ranking) *sheet {
	s := &sheet{name: prose.Slug("ranks", r.Score.String()), title: "Mean ranks over data sets: " + r.Score.Short()}
	s.columns = []sheetColumn{{head: "method", label: true}}
	for _, name := range r.Datasets {
		s.columns = append(s.columns, sheetColumn{head: name, right: true})
	}
	for _, head := range []string{"mean rank", "behind the best", "p (Nemenyi)"} {
		s.columns = append(s.columns, sheetColumn{head: head, right: true})
	}
	ranks := r.Test.MeanRanks
	order, _ := r.Cliques()
	best := order[0]
	labels := analysis.MethodLabels(r.Methods)
	for _, m := range order {
		cells := []sheetCell{sheetCell{text: labels[m]}}
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
			if p = probabilityCell(value); value > analysis.Significance {
				mean.mark = equalMark
			}
		}
		s.rows = append(s.rows, append(cells, mean, distance, p))
	}
	s.best = "best mean rank"
	s.equal = "within the critical difference of the best"
	s.caption = r.Words()
	return s
}
