package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
)

// csvFile has full precision. Fields that do not apply are empty, not 0.
func csvFile(name string, head func(r *Report) []string, lines func(out *results.CSV, r *Report), empty func(*Report) bool) FormatFile {
	return FormatFile{
		Name: name,
		Write: func(w io.Writer, r *Report) error {
			out := results.NewCSV(w)
			out.Add(head(r))
			lines(out, r)
			return out.Flush()
		},
		Empty: empty,
	}
}

var csvFiles = []FormatFile{
	csvFile("tables.csv", scoresHead, func(out *results.CSV, r *Report) { addScores(out, r.Tables) }, nil),
	csvFile("answer.csv", scoresHead, func(out *results.CSV, r *Report) { addScores(out, r.Overall) },
		func(r *Report) bool { return len(r.Overall) == 0 }),
	csvFile("chosen.csv", scoresHead, func(out *results.CSV, r *Report) { addScores(out, r.Chosen) },
		func(r *Report) bool { return len(r.Chosen) == 0 }),
	csvFile("comparisons.csv", withSetting([]string{"metric"}, "score", "method", "against", "pairs", "zeros",
		"shift", "shift_low", "shift_high", "rank_biserial", "rank_biserial_low", "rank_biserial_high", "p", "p_holm", "exact"),
		addComparisons, nil),
	csvFile("ranks.csv", plainHead("score", "method", "mean_rank", "datasets", "critical_difference", "chi2", "p", "f", "f_p"),
		addRanks, func(r *Report) bool { return r.Ranking == nil }),
}

// selectedFile lists the choices of select: best. Its column cell is the key to the other files.
var selectedFile = csvFile(analysis.SelectedFile, withSetting(nil, slices.Concat(
	[]string{"method", "method_settings", "repeat", "cell", "chosen_by", "chosen_score"},
	analysis.ScoreColumns, []string{"candidates", "incomplete", "failed"})...),
	addSelected, func(r *Report) bool { return r.Selected == nil })

func withSetting(before []string, after ...string) func(*Report) []string {
	return func(r *Report) []string { return slices.Concat(before, r.Layout.Columns(), after) }
}

func plainHead(names ...string) func(*Report) []string {
	return func(*Report) []string { return names }
}

func scoresHead(r *Report) []string {
	head := withSetting([]string{"metric"}, "method", "cells", "incomplete", "failed", "chosen", "chosen_repeats", "median_"+r.Layout.Step.Word)(r)
	for _, score := range analysis.Scores {
		columns := []string{"mean", "std", "n", "compared_mean", "compared_n", "best", "equal"}
		if score == analysis.SelectionBias {
			columns = columns[:3]
		}
		for _, column := range columns {
			head = append(head, fmt.Sprintf("%s_%s", score, column))
		}
		if floor := r.Layout.Floor; floor != nil && score != analysis.SelectionBias {
			head = append(head, fmt.Sprintf("%s_%s", score, floor.Method))
		}
	}
	return head
}

// addScores adds one line for each row and method: all dimensions, counts, and for each score the
// mean, the standard deviation and the number of repeats; the mean over the common repeats and
// their number; its marks; and the mean of the layout's floor.
func addScores(out *results.CSV, tables []*analysis.ScoreTable) {
	for at := range analysis.EachEntry(tables...) {
		e := at.Entry
		line := []any{at.Table.Metric, at.Table.Layout.Fields(at.Row.Setting), at.Table.Methods[at.Method], e.Cells, e.Incomplete, e.Failed, "", "", math.NaN()}
		if len(e.Chosen) > 0 {
			line = append(line[:len(line)-3], e.Chosen[0].Words, e.Chosen[0].Repeats, medianStep(e, at.Table.Lead()))
		}
		for _, score := range analysis.Scores {
			s := e.Summary[score]
			line = append(line, s.Mean, s.Std, s.N)
			if score != analysis.SelectionBias {
				equal := "" // not tested
				if at.Row.Tested[score] && s.N > 0 {
					equal = strconv.FormatBool(e.Best[score] || e.Equal[score])
				}
				line = append(line, e.Compared[score].Mean, e.Compared[score].N, e.Best[score], equal)
				if at.Table.Layout.Floor != nil {
					floor := math.NaN()
					if at.Row.Floor != nil {
						floor = at.Row.Shown(at.Row.Floor, score).Mean
					}
					line = append(line, floor)
				}
			}
		}
		out.Add(line...)
	}
}

func addComparisons(out *results.CSV, r *Report) {
	for _, of := range r.Compared() {
		for _, row := range of.Rows {
			for k := range row.Comparisons {
				c := &row.Comparisons[k]
				e := c.Sizes()
				out.Add(of.Table.Metric, r.Layout.Fields(row.Row.Setting), of.Table.Lead(), of.Table.Methods[c.Method], of.Table.Methods[c.Against],
					c.Pairs(), c.Test.Zeros, e.Shift, e.ShiftRange.Low, e.ShiftRange.High,
					e.RankBiserial, e.RankBiserialRange.Low, e.RankBiserialRange.High, c.Test.P, c.Adjusted, c.Test.Exact)
			}
		}
	}
}

func addRanks(out *results.CSV, r *Report) {
	if r.Ranking == nil {
		return
	}
	t := r.Ranking.Test
	for m, method := range r.Ranking.Methods {
		out.Add(r.Ranking.Score, method, t.MeanRanks[m], t.Blocks, r.Ranking.Critical, t.Chi2, t.P, t.F, t.FP)
	}
}

func addSelected(out *results.CSV, r *Report) {
	for i := range r.Selected {
		s := &r.Selected[i]
		name, settings := analysis.CutMethod(s.Method)
		line := []any{r.Layout.Fields(s.Setting), name, settings, s.Repeat, s.Cell, s.By, s.Value}
		for score := range analysis.SelectionBias {
			line = append(line, s.Score[score])
		}
		out.Add(append(line, s.Candidates, s.Incomplete, s.Failed)...)
	}
}
