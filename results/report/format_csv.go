package report

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/stats"
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
	csvFile("comparisons.csv", withSetting([]string{"metric"}, "score", "method", "against", "repeats", "test_ratio",
		"difference", "difference_low", "difference_high", "margin", "better", "equal", "worse", "p", "q"),
		addComparisons, nil),
	csvFile("ranks.csv", plainHead("score", "method", "mean_rank", "datasets", "critical_difference", "chi2", "p", "f", "f_p"),
		addRanks, func(r *Report) bool { return !r.Ranking.Shows() }),
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
	for _, of := range analysis.Compare(r.Chosen) {
		for _, row := range of.Rows {
			for k := range row.Comparisons {
				c := &row.Comparisons[k]
				interval := c.Test.Interval(1 - of.Table.Tests.Significance)
				better, equal, worse := c.Chances(of.Table.Metric)
				out.Add(of.Table.Metric, r.Layout.Fields(row.Row.Setting), of.Table.Lead(), of.Table.Methods[c.Method], of.Table.Methods[c.Against],
					c.Test.N, c.Test.Ratio, c.Test.Mean, interval.Low, interval.High, c.Margin, better, equal, worse, c.Test.P, c.Q)
			}
		}
	}
}

func addRanks(out *results.CSV, r *Report) {
	if !r.Ranking.Shows() {
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

const cellsCSV = "cells.csv"

// writeCells writes the files of the kind's own part, then the cells, including streams. Only one
// batch is in memory.
func writeCells(ctx context.Context, r *Report, folder string, _ results.Compression) (names []string, err error) {
	if r.Own != nil {
		for i := range r.Own.Files {
			if err := writeFile(r, folder, ownFile(&r.Own.Files[i])); err != nil {
				return nil, err
			}
			names = append(names, r.Own.Files[i].Name)
		}
	}
	return append(names, cellsCSV), disk.Advise(disk.Replace(disk.OS{}, filepath.Join(folder, cellsCSV), func(file disk.File) error {
		return r.addCells(ctx, file)
	}))
}

func ownFile(f *layout.File) FormatFile {
	lines := func(out *results.CSV, _ *Report) {
		for _, line := range f.Lines {
			out.Add(line...)
		}
	}
	return csvFile(f.Name, plainHead(f.Head...), lines, func(*Report) bool { return len(f.Lines) == 0 })
}

func (r *Report) addCells(ctx context.Context, to io.Writer) error {
	kind, err := analysis.KindOf(r.Dir)
	if err != nil {
		return err
	}
	columns := kind.Tables().Cells().Columns
	out := results.NewCSV(to)
	out.Add(experiment.Names(columns))
	line := make([]any, len(columns))
	_, err = results.EachNewest(ctx, r.Dir, "cells", columns, func(f *results.Frame) error {
		for row := range f.Rows() {
			for j := range line {
				line[j] = f.At(j, row)
				if x, is := line[j].(float64); is && !stats.Finite(x) { // NaN is no null here
					line[j] = strings.TrimPrefix(fmt.Sprint(x), "+")
				}
			}
			out.Add(line...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Flush()
}
