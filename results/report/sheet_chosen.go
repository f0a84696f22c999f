package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// leadSheets are the tables that a reader meets first: test scores with the age
// and the parameters chosen by the validation score, which a practitioner can
// have. Where no cell has a validation score, they are those at the best test
// age.
func (r *Report) leadSheets() []*sheet {
	var sheets []*sheet
	for i, table := range r.Tables {
		if i < len(r.Chosen) && r.Chosen[i].Has(analysis.TestAtBestValidation) {
			sheets = append(sheets, chosenSheet(r.Chosen[i]))
		} else {
			sheets = append(sheets, scoreSheet(table, table.Base()))
		}
	}
	return sheets
}

// hasChosen reports whether any cell has a validation score to choose by.
func (r *Report) hasChosen() bool {
	return slices.ContainsFunc(r.Chosen, func(t *analysis.ScoreTable) bool { return t.Has(analysis.TestAtBestValidation) })
}

// chosenSheet shows a table of chosenTables: a row for each setting and method,
// the choice by the validation score beside the choice by the test score.
func chosenSheet(table *analysis.ScoreTable) *sheet {
	s := &sheet{Name: string(table.Metric)}
	varied, constant := splitAspects(table)
	varied, constant = foldAspects(table, varied, constant)
	s.AddAspects(varied)
	s.Columns = append(s.Columns, sheetColumn{Head: "method", Label: true},
		sheetColumn{Head: "by validation"}, sheetColumn{Head: "by test"}, sheetColumn{Head: analysis.SelectionBias.Head()})
	ofTable := min(tableDecimals(table, analysis.TestAtBestValidation), tableDecimals(table, analysis.TestAtBestTest))
	var rests []string
	labels := analysis.MethodLabels(table.Methods)
	for at := range eachEntry(table) {
		row, entry := at.row, at.entry
		places := rowDecimals(ofTable, entry.Summary[analysis.TestAtBestValidation], entry.Summary[analysis.TestAtBestTest])
		byTest := scoreCell(row, entry, analysis.TestAtBestTest, places, len(table.Methods) > 1)
		if byTest.Text != "" {
			byTest.Note = "" // as by validation
		}
		s.Rows = append(s.Rows, append(layout.AspectCells(varied, row.Setting), sheetCell{Text: labels[at.method]},
			scoreCell(row, entry, analysis.TestAtBestValidation, places, len(table.Methods) > 1),
			byTest, meanCell(entry, row.Shown(entry, analysis.SelectionBias), places)))
		s.Rows[len(s.Rows)-1] = appendFloor(s.Rows[len(s.Rows)-1], table, row, analysis.TestAtBestValidation,
			rowDecimals(ofTable, floorSummaries(row, analysis.TestAtBestValidation)...))
		rests = append(rests, row.Rests(analysis.TestAtBestValidation))
	}
	addFloor(s, table)
	step := table.Layout.Step
	chosen, choose := step, "the "+step
	if len(table.Parameters) > 0 {
		chosen, choose = step+" and parameters", fmt.Sprintf("%s and parameters (%s)", step, strings.Join(table.Parameters, ", "))
	}
	s.Title = fmt.Sprintf("Test score with %s chosen by the validation score", chosen)
	s.Caption = sheetCaption(table, addRepeats(s, rests), constant) +
		fmt.Sprintf(" In each repeat, by validation: %s with the best score on the validation part; by test: those with the best score on the test part, by which the paper chooses the %s. Selection bias: how much better the choice by test looks.", choose, step) +
		lostCaption(table, analysis.TestAtBestValidation) + floorCaption(table, analysis.TestAtBestValidation, varied)
	if len(table.Methods) > 1 {
		s.Best = "best mean of the setting"
		addTestWords(s, table, analysis.TestAtBestValidation)
	}
	return s
}

// foldAspects moves the aspects that follow from the data set, such as a model
// for each, from the columns to the caption.
func foldAspects(table *analysis.ScoreTable, varied []analysis.Aspect, constant []analysis.Fact) ([]analysis.Aspect, []analysis.Fact) {
	if len(varied) == 0 || varied[0].Name != table.Layout.Aspects[0].Name {
		return varied, constant
	}
	kept := varied[:1:1]
	for _, a := range varied[1:] {
		texts, order, follows := map[string]string{}, []string{}, true
		for i := range table.Rows {
			data, text := varied[0].Text(table.Rows[i].Setting), a.Text(table.Rows[i].Setting)
			have, known := texts[data]
			if !known {
				texts[data] = text
				order = append(order, data)
			}
			follows = follows && (!known || have == text)
		}
		if !follows || len(order) > foldedSets {
			kept = append(kept, a)
			continue
		}
		var words []string
		for _, data := range order {
			if texts[data] != "" {
				words = append(words, fmt.Sprintf("%s (%s)", texts[data], data))
			}
		}
		constant = append(constant, analysis.Fact{Name: a.Name, Value: strings.Join(words, ", ")})
	}
	return slices.Clip(kept), constant
}

// foldedSets is of how many data sets a caption names what follows from them.
const foldedSets = 4
