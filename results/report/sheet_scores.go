package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/stats"
)

// scoreSheet has a row for each setting and a column for each method.
func scoreSheet(table *analysis.ScoreTable, score analysis.Score) *sheet {
	s := &sheet{Name: prose.Slug(string(table.Metric))}
	varied, constant := foldAspects(table.Layout, table.Settings())
	s.AddAspects(varied)
	oracle := score == analysis.TestAtBestValidation && table.Has(analysis.TestAtBestTest)
	column := sheetColumn{}
	if oracle {
		column.Aside = "oracle"
	}
	s.Columns = append(s.Columns, columns(column, analysis.MethodLabels(table.Methods))...)
	if table.HasFloor() {
		s.Columns = append(s.Columns, sheetColumn{Head: floorLabel(table)})
	}
	ofTable := tableDecimals(table, score)
	var rests []string
	for _, row := range table.Rows {
		places := rowDecimals(ofTable, rowSummaries(row, score)...)
		cells := layout.AspectCells(varied, row.Setting)
		for j := range row.Entries {
			e := &row.Entries[j]
			cell := scoreCell(row, e, score, places, len(table.Methods) > 1)
			if best := row.Shown(e, analysis.TestAtBestTest); oracle && cell.Text != "" && best.N > 0 {
				cell.Aside = prose.Fixed(best.Mean, places)
			}
			cells = append(cells, cell)
		}
		s.Rows = append(s.Rows, appendFloor(cells, table, row, score, places))
		rests = append(rests, row.Rests(score))
	}
	s.Title = fmt.Sprintf("Test %s (%s), mean ± standard deviation over %s", table.Metric.Word()+ofScaled(table.Scaled), table.Metric.Direction(), addRepeats(s, rests))
	s.Caption = chosenBy(table, score)
	if oracle {
		s.Caption += " Oracle: by the test part."
	}
	s.Caption += layout.ConstantWords(constant)
	for _, of := range analysis.CommonFacts(table.Methods) {
		s.Caption += fmt.Sprintf(" %s: %s.", of.Name, of.Value)
	}
	if len(table.Methods) > 1 {
		s.Best = "best"
		if slices.ContainsFunc(table.Rows, func(r *analysis.ScoreRow) bool { return r.Tested[score] }) {
			s.Equal = "not significantly worse (false discovery rate " + table.Tests.Level() + ")"
		}
	}
	return s
}

// ofScaled names the unit of scores that are not in the target's own.
func ofScaled(scaled bool) string {
	if scaled {
		return " of the scaled target"
	}
	return ""
}

func chosenBy(table *analysis.ScoreTable, score analysis.Score) string {
	words := slices.Clone(table.Parameters)
	if score != analysis.TestAtEnd {
		words = append([]string{table.Layout.Step.Word}, words...)
	}
	if len(words) == 0 {
		end := cmp.Or(table.Layout.Step.End, "at the end of the path")
		return strings.ToUpper(end[:1]) + end[1:] + "."
	}
	text := fmt.Sprintf("Chosen by %s: %s.", choiceWords[stepOf(score)], listed(words))
	if table.Select != "" && len(table.Parameters) == 0 {
		text += fmt.Sprintf(" Parameters by %s.", map[experiment.Select]string{experiment.SelectValidation: choiceWords[0], experiment.SelectTest: choiceWords[1]}[table.Select])
	}
	return text
}

// addRepeats adds a column of repeats, or returns their number for the caption if all are equal.
func addRepeats(s *sheet, rests []string) (over string) {
	first := rests[0]
	if !slices.ContainsFunc(rests, func(text string) bool { return text != first }) {
		switch first {
		case "1":
			return "1 repeat"
		case analysis.NoneCommon:
			return "the repeats of each method, " + first
		}
		return first + " repeats"
	}
	s.Columns = append(s.Columns, sheetColumn{Head: "repeats", Right: true, Label: true})
	for i, text := range rests {
		s.Rows[i] = append(s.Rows[i], sheetCell{Text: text})
	}
	return "repeats"
}

func scoreCell(row *analysis.ScoreRow, e *analysis.ScoreEntry, score analysis.Score, places int, marked bool) sheetCell {
	cell := meanCell(e, row.Shown(e, score), places)
	if cell.Text == "" {
		return cell
	}
	if text := e.Repeats(row.Repeats, score); text != strconv.Itoa(row.Repeats) && text != row.Rests(score) {
		cell.Note = text
	}
	switch {
	case marked && e.Best[score]:
		cell.Mark = layout.BestMark
	case marked && e.Equal[score]:
		cell.Mark = layout.EqualMark
	}
	return cell
}

func meanCell(e *analysis.ScoreEntry, s analysis.Summary, places int) sheetCell {
	switch lost := e.Lost(); {
	case s.N > 0:
	case e.Cells == 0:
		return sheetCell{Note: "-"}
	case lost != "":
		return sheetCell{Note: lost}
	default:
		return sheetCell{Note: "no score"}
	}
	return s.Cell(places)
}

func tableDecimals(t *analysis.ScoreTable, score analysis.Score) int {
	var summaries []analysis.Summary
	for _, row := range t.Rows {
		for j := range row.Entries {
			summaries = append(summaries, row.Entries[j].Summary[score])
		}
	}
	return decimals(summaries)
}

// rowDecimals returns the table's number of decimals, or the row's own if they differ by more than
// one: the large scores of a diverged method must not round away the digits of other rows.
func rowDecimals(ofTable int, row ...analysis.Summary) int {
	own := decimals(row)
	if own-ofTable <= 1 && ofTable-own <= 1 {
		own = ofTable
	}
	for _, s := range row {
		if s.N > 0 && s.Std > 1e-12*math.Abs(s.Mean) { // at least one digit of each deviation
			own = max(own, min(places(s.Std, 1), maxDecimals))
		}
	}
	return own
}

func rowSummaries(row *analysis.ScoreRow, score analysis.Score) []analysis.Summary {
	var summaries []analysis.Summary
	if row.Floor != nil {
		summaries = append(summaries, row.Shown(row.Floor, score))
	}
	for j := range row.Entries {
		summaries = append(summaries, row.Entries[j].Summary[score])
	}
	return summaries
}

// median returns the lower median and sorts xs.
func median(xs []float64) float64 {
	slices.Sort(xs)
	return xs[(len(xs)-1)/2]
}

const maxDecimals = 8

// decimals returns the number of decimals of a row: two significant digits of the median standard
// deviation, but only one if two would exceed four digits of the median mean; four digits of the
// median mean if no deviation is positive; and at least two digits of each mean that is larger than
// its own deviation.
func decimals(summaries []analysis.Summary) int {
	var stds, means []float64
	least := 0
	for _, s := range summaries {
		if s.N == 0 {
			continue
		}
		if s.Mean != 0 {
			means = append(means, math.Abs(s.Mean))
			if !(s.Std >= math.Abs(s.Mean)) {
				least = max(least, places(s.Mean, 2))
			}
		}
		// Rounding does not determine digits.
		if s.Std > 1e-12*math.Abs(s.Mean) {
			stds = append(stds, s.Std)
		}
	}
	switch {
	case len(stds) > 0:
		std := median(stds)
		if digits := places(std, 2); len(means) > 0 {
			least = max(least, min(digits, max(places(median(means), 4), places(std, 1))))
		} else {
			least = max(least, digits)
		}
	case len(means) > 0:
		least = max(least, places(median(means), 4))
	default:
		return 3
	}
	return min(least, maxDecimals)
}

func places(x float64, digits int) int {
	return max(digits-1-int(math.Floor(math.Log10(math.Abs(x)))), 0)
}

type (
	section     = layout.Section
	sheet       = layout.Sheet
	sheetColumn = layout.SheetColumn
	sheetCell   = layout.SheetCell
)

func floorLabel(table *analysis.ScoreTable) string {
	return analysis.MethodLabel(table.Layout.Floor.Method)
}

// appendFloor takes the mean over the common repeats.
func appendFloor(cells []sheetCell, table *analysis.ScoreTable, row *analysis.ScoreRow, score analysis.Score, places int) []sheetCell {
	switch {
	case !table.HasFloor():
		return cells
	case row.Floor == nil:
		return append(cells, sheetCell{Note: "-"})
	}
	cell := meanCell(row.Floor, row.Shown(row.Floor, score), places)
	cell.Std = ""
	return append(cells, cell)
}

// comparedSheet has the tests of every two methods of a setting.
func comparedSheet(t analysis.ComparedTable) *sheet {
	table, score := t.Table, t.Table.Lead()
	s := &sheet{Name: "compared-" + string(table.Metric), Title: "Differences in test " + table.Metric.Word() + ofScaled(table.Scaled)}
	varied, constant := foldAspects(table.Layout, table.Settings())
	s.AddAspects(varied)
	s.Columns = slices.Concat(s.Columns, labelColumns("methods"),
		rightColumns("repeats", "difference", table.Tests.Confidence()+" interval", "better", "equal", "worse", "p", "q"))
	ofTable, labels := tableDecimals(table, score), analysis.MethodLabels(table.Methods)
	for _, of := range t.Rows {
		places := rowDecimals(ofTable, rowSummaries(of.Row, score)...) + 1
		for _, c := range of.Comparisons {
			if !c.Tested() {
				continue
			}
			better, equal, worse := c.Chances(table.Metric)
			s.Rows = append(s.Rows, append(layout.AspectCells(varied, of.Row.Setting),
				sheetCell{Text: labels[c.Method] + " - " + labels[c.Against]}, layout.CountCell(c.Test.N),
				layout.NumberCell(c.Test.Mean, places), intervalCell(c.Test.Interval(1-table.Tests.Significance), func(x float64) string { return prose.Fixed(x, places) }),
				layout.NumberCell(better, 2), layout.NumberCell(equal, 2), layout.NumberCell(worse, 2), probabilityCell(c.Test.P), probabilityCell(c.Q)))
		}
	}
	if len(s.Rows) == 0 {
		return nil
	}
	of := "the constant's mean"
	if !table.HasFloor() {
		of = "the larger mean"
	}
	if table.CompareScores(1, 0) < 0 {
		of = "a score of 1"
	}
	s.Caption = fmt.Sprintf("On the repeats that all methods of the setting have. Interval, p: corrected resampled t test; better, equal, worse: "+
		"probabilities for the first method, equal within %s of %s; q: p for the false discovery rate over all rows of all tables.%s",
		prose.Short(100*table.Tests.Rope)+" %", of, layout.ConstantWords(constant))
	return s
}

func intervalCell(i stats.Interval, text func(x float64) string) sheetCell {
	if math.IsNaN(i.Low) {
		return sheetCell{Note: "-"}
	}
	return sheetCell{Text: fmt.Sprintf("[%s, %s]", text(i.Low), text(i.High))}
}

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
			if p = probabilityCell(value); value > r.Tests.Significance {
				mean.Mark = layout.EqualMark
			}
		}
		s.Rows = append(s.Rows, append(cells, mean, distance, p))
	}
	return s
}
