package report

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/internal/prose"
	"github.com/agepath/agepath/results/stats"
)

// writeComparisonsCSV writes one line for each pair of methods, setting and
// score, in full precision. Effects and intervals are empty where they are left
// out.
func writeComparisonsCSV(w io.Writer, r *Report) error {
	out := results.NewCSV(w)
	head := append([]string{"metric"}, analysis.DimensionColumns[:]...)
	head = append(head, "score", "method", "against", "pairs", "zeros",
		"shift", "shift_low", "shift_high", "rank_biserial", "rank_biserial_low", "rank_biserial_high", "p", "p_holm", "exact")
	if err := out.Write(head); err != nil {
		return err
	}
	for _, of := range r.Compared() {
		for _, row := range of.Rows {
			for k := range row.Comparisons {
				line := []string{string(of.Table.Metric)}
				for _, value := range row.Row.Setting {
					line = append(line, value.String())
				}
				c := &row.Comparisons[k]
				line = append(line, row.Score.String(), of.Table.Methods[c.Method], of.Table.Methods[c.Against],
					strconv.Itoa(c.Pairs()), strconv.Itoa(c.Test.Zeros))
				if row.Effects == nil {
					line = append(line, "", "", "", prose.Exact(c.Test.RankBiserial()), "", "")
				} else {
					line = append(line, csvEffect(row.Effects[k])...)
				}
				line = append(line, prose.Exact(c.Test.P), prose.Exact(c.Adjusted), strconv.FormatBool(c.Test.Exact))
				if err := out.Write(line); err != nil {
					return err
				}
			}
		}
	}
	return out.Flush()
}

func csvEffect(e stats.Effect) []string {
	return []string{
		prose.Exact(e.Shift), prose.Exact(e.ShiftRange.Low), prose.Exact(e.ShiftRange.High),
		prose.Exact(e.RankBiserial), prose.Exact(e.RankBiserialRange.Low), prose.Exact(e.RankBiserialRange.High),
	}
}

// writeRanksCSV writes one line for each score and ranked method: its mean
// rank, its distance to each test's threshold, and the tests.
func writeRanksCSV(w io.Writer, r *Report) error {
	out := results.NewCSV(w)
	lines := [][]string{{"score", "method", "mean_rank", "datasets", "critical_difference", "chi2", "p", "f", "f_p"}}
	for _, ranking := range r.Rankings {
		t := ranking.Test
		for m, method := range ranking.Methods {
			lines = append(lines, []string{
				ranking.Score.String(), method, prose.Exact(t.MeanRanks[m]), strconv.Itoa(t.Blocks), prose.Exact(ranking.Critical),
				prose.Exact(t.Chi2), prose.Exact(t.P), prose.Exact(t.F), prose.Exact(t.FP),
			})
		}
	}
	return out.WriteAll(lines)
}

// writePaperCSV writes one line for each published number and each of the run's
// that stands beside it.
func writePaperCSV(w io.Writer, r *Report) error {
	out := results.NewCSV(w)
	lines := [][]string{append([]string{"table"}, append(slices.Clone(analysis.DimensionColumns[:]), "method", "published_mean", "published_std",
		"our_mean", "our_std", "n", "difference", "standard_errors", "within_two", "notes")...)}
	for _, p := range r.Paper {
		for i := range p.Rows {
			lines = append(lines, paperLine(p, &p.Rows[i]))
		}
	}
	return out.WriteAll(lines)
}

func paperLine(p *analysis.PaperTable, row *analysis.PaperRow) []string {
	line := []string{strconv.Itoa(p.Table.Number)}
	for _, value := range row.Setting {
		line = append(line, value.String())
	}
	within := ""
	if !math.IsNaN(row.Errors()) {
		within = strconv.FormatBool(row.Within())
	}
	return append(line, row.Score.Method, prose.Exact(row.Score.Mean), prose.Exact(row.Score.Std),
		prose.Exact(row.Ours.Mean), prose.Exact(row.Ours.Std), strconv.Itoa(row.Ours.N),
		prose.Exact(row.Difference()), prose.Exact(row.Errors()), within, strings.Join(row.Published.Notes, "; "))
}
