package report

import (
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/stats"
)

func rankSheet(r *analysis.Ranking) *sheet {
	s := &sheet{Name: prose.Slug("ranks", r.Score.String()), Title: "Mean ranks over data sets"}
	s.Columns = []sheetColumn{{Head: "method", Label: true}}
	for _, name := range r.Datasets {
		s.Columns = append(s.Columns, sheetColumn{Head: name, Right: true})
	}
	for _, head := range []string{"mean rank", "below the best", "p (Nemenyi)"} {
		s.Columns = append(s.Columns, sheetColumn{Head: head, Right: true})
	}
	ranks := r.Test.MeanRanks
	order, _ := r.Cliques()
	best := order[0]
	labels := analysis.MethodLabels(r.Methods)
	for _, m := range order {
		cells := []sheetCell{sheetCell{Text: labels[m]}}
		for d := range r.Datasets {
			cells = append(cells, layout.NumberCell(r.Means[d][m], 4))
		}
		mean := layout.NumberCell(ranks[m], 2)
		distance := layout.NumberCell(ranks[m]-ranks[best], 2)
		p := sheetCell{Note: "-"}
		switch {
		case ranks[m] == ranks[best]:
			mean.Mark = layout.BestMark
		default:
			value := stats.Nemenyi(ranks[m]-ranks[best], len(r.Methods), len(r.Datasets))
			if p = probabilityCell(value); value > analysis.Significance {
				mean.Mark = layout.EqualMark
			}
		}
		s.Rows = append(s.Rows, append(cells, mean, distance, p))
	}
	s.Best = "best mean rank"
	s.Equal = "within the critical difference of the best"
	s.Caption = r.Words()
	return s
}
