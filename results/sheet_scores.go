package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
)

// scoreSheet shows one score of a table: a row for each setting, a column for
// each method.
func scoreSheet(table *ScoreTable, score Score) *sheet {
	s := &sheet{name: slug(score.String()), title: score.title()}
	varied, constant := splitAspects(table.Rows)
	s.addAspects(varied)
	for _, style := range methodStylesOf(table.Methods) {
		s.columns = append(s.columns, sheetColumn{head: style.label})
	}
	s.columns = append(s.columns, sheetColumn{head: "repeats", right: true}, sheetColumn{head: "failed", right: true})
	places := table.decimals(score)
	for i := range table.Rows {
		row := &table.Rows[i]
		cells := aspectCells(varied, row.Setting)
		for j := range row.Entries {
			cells = append(cells, scoreCell(&row.Entries[j], score, row.Repeats, places, len(table.Methods) > 1))
		}
		s.rows = append(s.rows, append(cells, countCell(row.Repeats), countCell(row.Failed())))
	}
	s.caption = sheetCaption(table, constant)
	if len(table.Methods) > 1 {
		s.best = "best mean of the row"
		s.addTestWords(table, score)
	}
	return s
}

// addTestWords says what stands behind the second mark, or why there is none.
func (s *sheet) addTestWords(table *ScoreTable, score Score) {
	tested, compared := 0, 0
	for i := range table.Rows {
		if table.Rows[i].tested[score] {
			tested++
		}
		n := 0
		for j := range table.Rows[i].Entries {
			if table.Rows[i].Entries[j].Summary[score].N > 0 {
				n++
			}
		}
		if n > 1 {
			compared++
		}
	}
	if tested > 0 {
		s.equal = "not significantly worse than the best (Wilcoxon's signed-rank test on the same splits, Holm's correction over the row, 5 %)"
	}
	if tested == compared {
		return
	}
	k := len(table.Methods)
	need := fmt.Sprintf("a test of %d methods needs %d repeats to find one at 5 %%.", k, neededRepeats(k*(k-1)/2))
	if tested == 0 {
		s.caption += " Too few repeats to tell differences from chance: " + need
		return
	}
	s.caption += fmt.Sprintf(" In %s of %d there are too few repeats to tell differences from chance, and no such mark: %s",
		plural(compared-tested, "row"), compared, need)
}

// selectionSheet shows the ways to choose the age side by side: a row for each
// setting and method.
func selectionSheet(table *ScoreTable) *sheet {
	shown := []Score{TestAtBestTest, TestAtEnd}
	words := " At best test: at the age with the best test score, as in the paper. At end: at the end of the path."
	if table.has(TestAtBestValidation) {
		shown = Scores
		difference := "at best validation - at best test"
		if table.Metric == Accuracy {
			difference = "at best test - at best validation"
		}
		words = " At best validation: at the age with the best validation score." + words +
			" Selection bias: " + difference + ", what choosing the age by the test score adds."
	}
	s := &sheet{name: "selection", title: "Choice of the age: the test scores side by side"}
	varied, constant := splitAspects(table.Rows)
	s.addAspects(varied)
	s.columns = append(s.columns, sheetColumn{head: "method", label: true})
	places := [scores]int{}
	for _, score := range shown {
		s.columns = append(s.columns, sheetColumn{head: score.head()})
		places[score] = table.decimals(score)
	}
	s.columns = append(s.columns, sheetColumn{head: "repeats", right: true}, sheetColumn{head: "failed", right: true})
	styles := methodStylesOf(table.Methods)
	for i := range table.Rows {
		row := &table.Rows[i]
		for j, style := range styles {
			entry := &row.Entries[j]
			if entry.Cells == 0 {
				continue
			}
			cells := append(aspectCells(varied, row.Setting), sheetCell{text: style.label})
			for _, score := range shown {
				cells = append(cells, scoreCell(entry, score, row.Repeats, places[score], false))
			}
			s.rows = append(s.rows, append(cells, countCell(entry.Cells), countCell(entry.Failed)))
		}
	}
	s.caption = sheetCaption(table, constant) + words
	return s
}

func (s *sheet) addAspects(varied []aspect) {
	for _, a := range varied {
		s.columns = append(s.columns, sheetColumn{head: a.name, right: a.numeric, label: true})
	}
}

func aspectCells(varied []aspect, setting Setting) []sheetCell {
	var cells []sheetCell
	for _, a := range varied {
		cells = append(cells, sheetCell{text: a.text(setting)})
	}
	return cells
}

// scoreCell shows one score of an entry, marked or not.
func scoreCell(e *ScoreEntry, score Score, repeats, places int, marked bool) sheetCell {
	s := e.Summary[score]
	cell := sheetCell{}
	switch {
	case s.N > 0:
	case e.Cells == 0:
		cell.note = "-"
		return cell
	case e.Failed == e.Cells:
		cell.note = "failed"
		return cell
	case e.Incomplete+e.Failed == e.Cells:
		cell.note = "incomplete"
		return cell
	default:
		cell.note = "no score"
		return cell
	}
	cell.text = fixed(s.Mean, places)
	if s.N > 1 {
		cell.std = fixed(s.Std, places)
	}
	if s.N < repeats || s.N == 1 {
		cell.note = "n=" + strconv.Itoa(s.N)
	}
	switch {
	case marked && e.Best[score]:
		cell.mark = bestMark
	case marked && e.Equal[score]:
		cell.mark = equalMark
	}
	return cell
}

// decimals returns how many decimals the sheet of a score has. Differences
// have as many as the scores they are differences of.
func (t *ScoreTable) decimals(score Score) int {
	if score == SelectionBias {
		score = TestAtBestTest
	}
	var summaries []Summary
	for i := range t.Rows {
		for j := range t.Rows[i].Entries {
			summaries = append(summaries, t.Rows[i].Entries[j].Summary[score])
		}
	}
	return decimals(summaries)
}

// splitAspects tells the aspects that differ between rows from those that do
// not; the latter come with their value. Aspects that apply to no row are in
// neither.
func splitAspects(rows []ScoreRow) (varied []aspect, constant []Fact) {
	for _, a := range aspects {
		applies := false
		differs := false
		for i := range rows {
			for _, d := range a.dimensions {
				applies = applies || !rows[i].Setting[d].IsNull()
			}
			differs = differs || a.text(rows[i].Setting) != a.text(rows[0].Setting)
		}
		switch {
		case differs:
			varied = append(varied, a)
		case applies:
			constant = append(constant, Fact{a.name, a.text(rows[0].Setting)})
		}
	}
	return varied, constant
}

// sheetCaption says what the numbers are and what holds for every row.
func sheetCaption(table *ScoreTable, constant []Fact) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Test %s (%s), mean ± standard deviation over repeats", table.Metric.word(), table.Metric.direction())
	for _, fact := range append(constant, commonFacts(table.Methods)...) {
		fmt.Fprintf(&b, "; %s: %s", fact.Name, fact.Value)
	}
	switch table.Select {
	case experiment.SelectValidation:
		b.WriteString("; parameters with the best validation score of each repeat")
	case experiment.SelectTest:
		b.WriteString("; parameters with the best test score of each repeat")
	}
	b.WriteString(".")
	if table.incomplete() {
		b.WriteString(" n: repeats that count where they are fewer than the row's or only one; - : no cells.")
	}
	return b.String()
}

// incomplete reports whether an entry rests on fewer repeats than its row.
func (t *ScoreTable) incomplete() bool {
	return slices.ContainsFunc(t.Rows, func(r ScoreRow) bool {
		return slices.ContainsFunc(r.Entries, func(e ScoreEntry) bool {
			return e.Summary[TestAtBestTest].N < max(r.Repeats, 2)
		})
	})
}

// median returns the lower median of xs, which it sorts.
func median(xs []float64) float64 {
	slices.Sort(xs)
	return xs[(len(xs)-1)/2]
}
