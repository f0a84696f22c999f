package report

import (
	"slices"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/stats"
)

func rankSheet(r *analysis.Ranking) *sheet {
	s := &sheet{
		Name: prose.Slug("ranks", r.Score.String()), Title: "Mean ranks over data sets", Caption: r.Words(),
		Best: "best mean rank", Equal: "within the critical difference of the best",
		Columns: slices.Concat(labelColumns("method"), rightColumns(r.Datasets...), rightColumns("mean rank", "below the best", "p (Nemenyi)")),
	}
	ranks := r.Test.MeanRanks
	order, _ := r.Cliques()
	best := order[0]
	labels := analysis.MethodLabels(r.Methods)
	for _, m := range order {
		cells := []sheetCell{{Text: labels[m]}}
		for d := range r.Datasets {
			cells = append(cells, layout.NumberCell(r.Means[d][m], 4))
		}
		mean := layout.NumberCell(ranks[m], 2)
		distance := layout.NumberCell(ranks[m]-ranks[best], 2)
		p := sheetCell{Note: "-"}
		if ranks[m] == ranks[best] {
			mean.Mark = layout.BestMark
		} else {
			value := stats.Nemenyi(ranks[m]-ranks[best], len(r.Methods), len(r.Datasets))
			if p = probabilityCell(value); value > analysis.Significance {
				mean.Mark = layout.EqualMark
			}
		}
		s.Rows = append(s.Rows, append(cells, mean, distance, p))
	}
	return s
}
