package results

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/results/stats"
)

// writeComparisonsCSV writes one line for each pair of methods, setting and
// score, in full precision. Effects and intervals are empty where they are left
// out.
func writeComparisonsCSV(w io.Writer, r *Report) error {
	out := NewCSV(w)
	head := append([]string{"metric"}, dimensionColumns[:]...)
	head = append(head, "score", "method", "against", "pairs", "zeros",
		"shift", "shift_low", "shift_high", "rank_biserial", "rank_biserial_low", "rank_biserial_high", "p", "p_holm", "exact")
	if err := out.Write(head); err != nil {
		return err
	}
	for _, of := range r.compared() {
		for _, row := range of.rows {
			for k := range row.comparisons {
				line := []string{string(of.table.Metric)}
				for _, value := range row.row.Setting {
					line = append(line, value.String())
				}
				c := &row.comparisons[k]
				line = append(line, row.score.String(), of.table.Methods[c.Method], of.table.Methods[c.Against],
					strconv.Itoa(c.Pairs()), strconv.Itoa(c.Test.Zeros))
				if row.effects == nil {
					line = append(line, "", "", "", csvNumber(c.Test.RankBiserial()), "", "")
				} else {
					line = append(line, csvEffect(row.effects[k])...)
				}
				line = append(line, csvNumber(c.Test.P), csvNumber(c.Adjusted), strconv.FormatBool(c.Test.Exact))
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
		csvNumber(e.Shift), csvNumber(e.ShiftRange.Low), csvNumber(e.ShiftRange.High),
		csvNumber(e.RankBiserial), csvNumber(e.RankBiserialRange.Low), csvNumber(e.RankBiserialRange.High),
	}
}

// writeRanksCSV writes one line for each score and ranked method: its mean
// rank, its distance to each test's threshold, and the tests.
func writeRanksCSV(w io.Writer, r *Report) error {
	out := NewCSV(w)
	lines := [][]string{{"score", "method", "mean_rank", "datasets", "critical_difference", "chi2", "p", "f", "f_p"}}
	for _, ranking := range r.Rankings {
		t := ranking.Test
		for m, method := range ranking.Methods {
			lines = append(lines, []string{
				ranking.Score.String(), method, csvNumber(t.MeanRanks[m]), strconv.Itoa(t.Blocks), csvNumber(ranking.Critical),
				csvNumber(t.Chi2), csvNumber(t.P), csvNumber(t.F), csvNumber(t.FP),
			})
		}
	}
	return out.WriteAll(lines)
}

// writePaperCSV writes one line for each published number and each of the run's
// that stands beside it.
func writePaperCSV(w io.Writer, r *Report) error {
	out := NewCSV(w)
	lines := [][]string{append([]string{"table"}, append(slices.Clone(dimensionColumns[:]), "method", "published_mean", "published_std",
		"our_mean", "our_std", "n", "difference", "standard_errors", "within_two", "notes")...)}
	for _, p := range r.Paper {
		for i := range p.Rows {
			lines = append(lines, p.csvLine(&p.Rows[i]))
		}
	}
	return out.WriteAll(lines)
}

func (p *PaperTable) csvLine(row *PaperRow) []string {
	line := []string{strconv.Itoa(p.Table.Number)}
	for _, value := range row.Setting {
		line = append(line, value.String())
	}
	within := ""
	if !math.IsNaN(row.Errors()) {
		within = strconv.FormatBool(row.Within())
	}
	return append(line, row.Score.Method, csvNumber(row.Score.Mean), csvNumber(row.Score.Std),
		csvNumber(row.Ours.Mean), csvNumber(row.Ours.Std), strconv.Itoa(row.Ours.N),
		csvNumber(row.Difference()), csvNumber(row.Errors()), within, strings.Join(row.Published.Notes, "; "))
}
