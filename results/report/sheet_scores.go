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
)

// scoreSheet has a row for each setting and a column for each method.
func scoreSheet(table *analysis.ScoreTable, score analysis.Score) *sheet {
	s := &sheet{Name: prose.Slug(string(table.Metric))}
	varied, constant := foldAspects(table.Layout, table.Settings())
	s.AddAspects(varied)
	oracle := score == analysis.TestAtBestValidation && table.Has(analysis.TestAtBestTest)
	for _, label := range analysis.MethodLabels(table.Methods) {
		column := sheetColumn{Head: label}
		if oracle {
			column.Aside = "oracle"
		}
		s.Columns = append(s.Columns, column)
	}
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
	s.Title = fmt.Sprintf("Test %s (%s), mean ± standard deviation over %s", table.Metric.Word(), table.Metric.Direction(), addRepeats(s, rests))
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
			s.Equal = "not significantly worse (Wilcoxon's signed-rank test, Holm's correction, 5 %)"
		}
	}
	return s
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
		if first == "1" {
			return "1 repeat"
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
