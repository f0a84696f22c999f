package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

func labelColumns(heads ...string) []sheetColumn { return columns(sheetColumn{Label: true}, heads) }
func rightColumns(heads ...string) []sheetColumn { return columns(sheetColumn{Right: true}, heads) }

func columns(like sheetColumn, heads []string) (list []sheetColumn) {
	for _, like.Head = range heads {
		list = append(list, like)
	}
	return list
}

// orDash has a note for no text.
func orDash(text string) sheetCell {
	if text == "" {
		return sheetCell{Note: "-"}
	}
	return sheetCell{Text: text}
}

// numberCell has a note for NaN.
func numberCell(x float64, text func(x float64) string) sheetCell {
	if math.IsNaN(x) {
		return sheetCell{Note: "-"}
	}
	return sheetCell{Text: text(x)}
}

func digitsCell(x float64) sheetCell      { return numberCell(x, digits) }
func probabilityCell(p float64) sheetCell { return numberCell(p, analysis.Probability) }

func digits(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

// chance writes a probability that is not certain.
func chance(p float64) string {
	switch {
	case p > 0.995:
		return "> 0.99"
	case p < 0.005:
		return "< 0.01"
	}
	return prose.Fixed(p, 2)
}

func (c *Comparison) runsSheet() *sheet {
	s := &sheet{
		Name: "runs", Title: "The runs compared",
		Caption: "Every run is compared with A, the baseline. Differences are the other run less A, ratios the other run to A.",
		Columns: slices.Concat(labelColumns("", "folder", "run", "computed by"), rightColumns("cells", "ok", "incomplete", "failed")),
	}
	for i, r := range c.Runs {
		failed := 0
		for status, n := range r.Statuses {
			if status.Failed() {
				failed += n
			}
		}
		cells := layout.CountCell(r.Cells)
		if r.Partial {
			cells.Note = "has not ended"
		}
		s.Rows = append(s.Rows, []sheetCell{
			{Text: runLetter(i)}, {Text: r.Dir}, orDash(r.Run), orDash(versionsText(r.Versions)),
			cells, layout.CountCell(r.Statuses[experiment.OK]), layout.CountCell(r.Statuses[experiment.Incomplete]), layout.CountCell(failed),
		})
	}
	return s
}

// versionsText adds numbers of cells for several versions.
func versionsText(versions []analysis.VersionCells) string {
	var texts []string
	for _, v := range versions {
		text := v.Version
		if len(versions) > 1 {
			text += fmt.Sprintf(" (%d)", v.Cells)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

func methodCell(method string) sheetCell {
	if method == "" {
		return sheetCell{Text: "all"}
	}
	name, settings := analysis.CutMethod(method)
	return sheetCell{Text: strings.TrimSpace(analysis.MethodLabel(name) + " " + settings)}
}

func countsSheet(p *analysis.RunPair, other string) *sheet {
	s := &sheet{
		Name: "cells", Title: "Cells",
		Caption: "Shared: of equal identity. Same labels: of equal data set, setting, method, repeat and seed, and another identity. Runs are compared on the cells of both columns.",
		Columns: append(labelColumns("method"), rightColumns("shared", "same labels", "only A", "only "+other)...),
	}
	for _, n := range p.Cells {
		s.Rows = append(s.Rows, []sheetCell{methodCell(n.Method), layout.CountCell(n.Shared), layout.CountCell(n.Counterparts), layout.CountCell(n.OnlyBaseline), layout.CountCell(n.OnlyOther)})
	}
	return s
}

// scoreChangeSheets relies on the order by score and metric.
func scoreChangeSheets(p *analysis.RunPair, other string, tests analysis.Tests) []*sheet {
	var sheets []*sheet
	for from, to := 0, 0; from < len(p.Scores); from = to {
		var differ []*analysis.ScoreChange
		for to < len(p.Scores) && p.Scores[to].Score == p.Scores[from].Score && p.Scores[to].Metric == p.Scores[from].Metric {
			if c := &p.Scores[to]; c.Differs() {
				differ = append(differ, c)
			}
			to++
		}
		if len(differ) > 0 {
			sheets = append(sheets, scoreChangeSheet(p.Layout, differ, to-from, other, tests))
		}
	}
	return sheets
}

func scoreChangeSheet(l *layout.Layout, differ []*analysis.ScoreChange, all int, other string, tests analysis.Tests) *sheet {
	score, metric := differ[0].Score, differ[0].Metric
	s := &sheet{Name: prose.Slug("scores", score.String(), string(metric)), Title: "Scores that differ: " + score.Short(l) + ", " + metric.Word() + ofScaled(metric.Of().InTarget)}
	var settings []layout.Setting
	var summaries []analysis.Summary
	for _, c := range differ {
		settings = append(settings, c.Setting)
		summaries = append(summaries, c.Baseline, c.Other)
	}
	varied, constant := l.SplitSettings(settings)
	s.AddAspects(varied)
	s.Columns = slices.Concat(s.Columns, labelColumns("method"),
		rightColumns("pairs", "A", other, "better", "worse", "difference", tests.Confidence()+" interval", "p", "q"))
	ofTable := decimals(summaries)
	for _, c := range differ {
		places := rowDecimals(ofTable, c.Baseline, c.Other) + 1
		s.Rows = append(s.Rows, append(layout.AspectCells(varied, c.Setting), methodCell(c.Method),
			layout.CountCell(c.Test.N), layout.NumberCell(c.Baseline.Mean, places), layout.NumberCell(c.Other.Mean, places), layout.CountCell(c.Better), layout.CountCell(c.Worse),
			digitsCell(c.Test.Mean), intervalCell(c.Test.Interval(1-tests.Significance), digits), probabilityCell(c.Test.P), probabilityCell(c.Q)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Test %s (%s) of %s less A, where any pair differs: %d of %d methods in settings. Differences by rounding count as none. Pairs: repeats that are ok in both; A, %s: means over them; "+
		"better, worse: pairs in which %s is so; difference: the mean; interval, p: corrected resampled t test; "+
		"q: p for the false discovery rate over all methods and settings of the score",
		metric.Word(), metric.Direction(), other, len(differ), all, other, other)
	for _, fact := range constant {
		fmt.Fprintf(&b, "; %s: %s", fact.Name, fact.Value)
	}
	b.WriteString(".")
	s.Caption = b.String()
	return s
}

func numbersSheet(p *analysis.RunPair, rounding float64) *sheet {
	n := &p.Numbers
	s := &sheet{
		Name: "numbers", Title: "Numbers that changed",
		Caption: fmt.Sprintf("Of %s of equal identity and status, %d are equal bit for bit, %d differ by rounding (relative %g or less) and %d by more. "+
			"Farthest: the largest relative difference, of max_kkt the largest difference; inf: a text, or a number in one run alone.",
			prose.Plural(n.Same+n.Rounding+n.Beyond, "cell"), n.Same, n.Rounding, rounding, n.Beyond),
		Columns: append(labelColumns("method", "column"), rightColumns("cells", "by rounding", "beyond", "farthest")...),
	}
	s.Columns = append(s.Columns, sheetColumn{Head: "in cell"})
	for _, c := range n.Columns {
		s.Rows = append(s.Rows, []sheetCell{methodCell(c.Method), {Text: c.Column}, layout.CountCell(c.Cells), layout.CountCell(c.Rounding), layout.CountCell(c.Beyond),
			distanceCell(c.Farthest.Distance), {Text: c.Farthest.Cell}})
	}
	return s
}

func distanceCell(x float64) sheetCell {
	if math.IsInf(x, 1) {
		return sheetCell{Text: "inf"}
	}
	return sheetCell{Text: digits(x)}
}

func changedSheet(n *analysis.NumberChanges) *sheet {
	s := &sheet{
		Name: "changed", List: true, Title: "Cells whose numbers changed: " + firstOf(n.Beyond),
		Caption: "Beyond rounding, the farthest first, each with the measure that differs most.",
		Columns: []sheetColumn{{Head: "cell"}, {Head: "what", Label: true, Wrap: true}, {Head: "column"}, {Head: "A", Right: true}, {Head: "other", Right: true}, {Head: "relative", Right: true}},
	}
	for _, c := range n.Cells {
		s.Rows = append(s.Rows, []sheetCell{{Text: c.Cell}, {Text: c.What}, {Text: c.Column}, orDash(c.Baseline), orDash(c.Other), distanceCell(c.Distance)})
	}
	return s
}

func timesSheet(p *analysis.RunPair, other string) *sheet {
	s := &sheet{
		Name: "times", Title: "Times: " + other + " to A",
		Caption: "Cells that both runs computed with the same status; ratios of a cell's times, below 1 where " + other + " is faster. Totals are in seconds.",
		Columns: slices.Concat(labelColumns("method", "time"), rightColumns("cells", "A total", other+" total", "geometric mean"),
			rightColumns(lists.Map(analysis.TimeQuantiles[:], quantileHead)...)),
	}
	words := map[string]string{"cpu_seconds": "processor", "wall_seconds": "elapsed"}
	for _, t := range p.Times {
		row := []sheetCell{methodCell(t.Method), {Text: words[t.Column]}, layout.CountCell(t.Cells), digitsCell(t.Baseline), digitsCell(t.Other), digitsCell(t.Mean)}
		s.Rows = append(s.Rows, append(row, lists.Map(t.Quantiles[:], digitsCell)...))
	}
	return s
}

func quantileHead(p float64) string {
	switch p {
	case 0:
		return "min"
	case 0.5:
		return "median"
	case 1:
		return "max"
	}
	return fmt.Sprintf("%g %%", 100*p)
}

func statusSheet(p *analysis.RunPair) *sheet {
	s := &sheet{Name: "statuses", Title: "Statuses that differ", Caption: "Cells of both runs that ended otherwise.",
		Columns: append(labelColumns("A", "other"), rightColumns("cells")...)}
	for _, c := range p.Statuses {
		s.Rows = append(s.Rows, []sheetCell{{Text: string(c.Baseline)}, {Text: string(c.Other)}, layout.CountCell(c.Cells)})
	}
	return s
}

func failureChangesSheet(p *analysis.RunPair) *sheet {
	n := 0
	for _, c := range p.Statuses {
		n += c.Cells
	}
	s := &sheet{
		Name: "failures", List: true, Title: "Cells whose status differs: " + firstOf(n),
		Caption: "The reason is that of the other run, or of A where the other run's cell is ok.",
		Columns: []sheetColumn{{Head: "cell"}, {Head: "what", Label: true, Wrap: true}, {Head: "A"}, {Head: "other"}, {Head: "reason", Wrap: true}},
	}
	for _, f := range p.Failures {
		reason, _, _ := strings.Cut(f.Error, "\n") // without a panic's stack
		s.Rows = append(s.Rows, []sheetCell{{Text: f.Cell}, {Text: f.What}, {Text: string(f.Baseline)}, {Text: string(f.Other)}, {Text: reason}})
	}
	return s
}
