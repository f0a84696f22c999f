package report

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// scoreSheet shows one score of a table: a row for each setting, a column for
// each method.
func scoreSheet(table *analysis.ScoreTable, score analysis.Score) *sheet {
	s := &sheet{Name: prose.Slug(score.String()), Title: score.Title(table.Layout)}
	varied, constant := splitAspects(table)
	s.AddAspects(varied)
	for _, label := range analysis.MethodLabels(table.Methods) {
		s.Columns = append(s.Columns, sheetColumn{Head: label})
	}
	ofTable := tableDecimals(table, score)
	var rests []string
	for i := range table.Rows {
		row := &table.Rows[i]
		places := rowDecimals(ofTable, rowSummaries(row, score)...)
		cells := layout.AspectCells(varied, row.Setting)
		for j := range row.Entries {
			cells = append(cells, scoreCell(row, &row.Entries[j], score, places, len(table.Methods) > 1))
		}
		s.Rows = append(s.Rows, appendFloor(cells, table, row, score, places))
		rests = append(rests, row.Rests(score))
	}
	addFloor(s, table)
	over := addRepeats(s, rests)
	s.Caption = sheetCaption(table, over, constant) + lostCaption(table, score) + floorCaption(table, score, varied)
	if anyEntry(table, func(_ *analysis.ScoreRow, e *analysis.ScoreEntry) bool { return e.Cells == 0 }) {
		s.Caption += " - : no cells."
	}
	if len(table.Methods) > 1 {
		s.Best = "best mean of the row"
		addTestWords(s, table, score)
	}
	return s
}

// lostCaption says what means rest on where methods of a table lack repeats.
func lostCaption(table *analysis.ScoreTable, score analysis.Score) string {
	if !anyEntry(table, func(r *analysis.ScoreRow, e *analysis.ScoreEntry) bool {
		return e.Cells > 0 && len(analysis.RepeatsWith(e.Sample, score)) < r.Repeats
	}) {
		return ""
	}
	return " Means are over the repeats that all methods of a setting have; in parentheses those of a method that lacks some, " +
		"and how many of its paths are incomplete, stopping before the last " + table.Layout.Step + ", or failed."
}

// addTestWords says what stands behind the second mark, or why there is none.
func addTestWords(s *sheet, table *analysis.ScoreTable, score analysis.Score) {
	tested, compared := 0, 0
	for i := range table.Rows {
		if table.Rows[i].Tested[score] {
			tested++
		}
		if table.Rows[i].Common[score].Compares() {
			compared++
		}
	}
	if tested > 0 {
		s.Equal = "not significantly worse than the best (Wilcoxon's signed-rank test on the same splits, Holm's correction over the row, 5 %)"
	}
	if tested == compared {
		return
	}
	k := len(table.Methods)
	need := fmt.Sprintf("a test of %d methods needs %d repeats to find one at 5 %%.", k, analysis.NeededRepeats(k*(k-1)/2))
	if tested == 0 {
		s.Caption += " Too few repeats to tell differences from chance: " + need
		return
	}
	s.Caption += fmt.Sprintf(" In %s of %d there are too few repeats to tell differences from chance, and no such mark: %s",
		prose.Plural(compared-tested, "row"), compared, need)
}

// selectionSheet shows the ways to choose the age side by side: a row for each
// setting and method.
func selectionSheet(table *analysis.ScoreTable) *sheet {
	shown := []analysis.Score{analysis.TestAtBestTest, analysis.TestAtEnd}
	step := table.Layout.Step
	words := " At best test: at the " + step + " with the best test score, as in the paper. At end: at the end of the path."
	if table.Has(analysis.TestAtBestValidation) {
		shown = analysis.Scores
		difference := "at best validation - at best test"
		if table.Metric == analysis.Accuracy {
			difference = "at best test - at best validation"
		}
		words = " At best validation: at the " + step + " with the best validation score." + words +
			" Selection bias: " + difference + ", what choosing the " + step + " by the test score adds."
	}
	s := &sheet{Name: "selection", Title: "Choice of the " + step + ": the test scores side by side"}
	varied, constant := splitAspects(table)
	s.AddAspects(varied)
	s.Columns = append(s.Columns, sheetColumn{Head: "method", Label: true})
	var places [analysis.SelectionBias]int
	for score := range analysis.SelectionBias {
		places[score] = tableDecimals(table, score)
	}
	for _, score := range shown {
		s.Columns = append(s.Columns, sheetColumn{Head: score.Head()})
	}
	var rests []string
	labels := analysis.MethodLabels(table.Methods)
	for at := range eachEntry(table) {
		cells := append(layout.AspectCells(varied, at.row.Setting), sheetCell{Text: labels[at.method]})
		for _, score := range shown {
			of := score
			if score == analysis.SelectionBias { // as the scores that it is between
				of = analysis.TestAtBestTest
			}
			cells = append(cells, meanCell(at.entry, at.entry.Summary[score], rowDecimals(places[of], at.entry.Summary[of])))
		}
		s.Rows = append(s.Rows, appendFloor(cells, table, at.row, table.Lead(), rowDecimals(places[table.Lead()], floorSummaries(at.row, table.Lead())...)))
		rests = append(rests, at.entry.Repeats(at.row.Repeats, analysis.TestAtBestTest))
	}
	addFloor(s, table)
	s.Caption = sheetCaption(table, addRepeats(s, rests), constant) + words + floorCaption(table, table.Lead(), varied)
	return s
}

// addRepeats adds a column that says on how many repeats rows rest, and returns
// the words for the caption: where all rest on the same they stand there instead.
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

// scoreCell shows what a row compares of an entry, marked or not.
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

// meanCell shows a mean of an entry, or why it has none.
func meanCell(e *analysis.ScoreEntry, s analysis.Summary, places int) sheetCell {
	switch lost := strings.TrimPrefix(e.Lost(), "; "); {
	case s.N > 0:
	case e.Cells == 0:
		return sheetCell{Note: "-"}
	case lost != "":
		return sheetCell{Note: lost}
	default:
		return sheetCell{Note: "no score"}
	}
	cell := sheetCell{Text: prose.Fixed(s.Mean, places)}
	if s.N > 1 {
		cell.Std = prose.Fixed(s.Std, places)
	}
	return cell
}

// tableDecimals returns how many decimals most rows of a sheet have.
func tableDecimals(t *analysis.ScoreTable, score analysis.Score) int {
	var summaries []analysis.Summary
	for i := range t.Rows {
		for j := range t.Rows[i].Entries {
			summaries = append(summaries, t.Rows[i].Entries[j].Summary[score])
		}
	}
	return decimals(summaries)
}

// rowDecimals returns how many decimals a row of a sheet has, of which most have those of the table:
// its own where they differ by more than one, so that a method that went astray in one setting does
// not round the others away.
func rowDecimals(ofTable int, row ...analysis.Summary) int {
	own := decimals(row)
	if own-ofTable <= 1 && ofTable-own <= 1 {
		own = ofTable
	}
	for _, s := range row {
		if s.N > 0 && s.Std > 1e-12*math.Abs(s.Mean) { // a digit of each deviation
			own = max(own, min(places(s.Std, 1), maxDecimals))
		}
	}
	return own
}

// rowSummaries returns the scores of a row's methods and of the floor.
func rowSummaries(row *analysis.ScoreRow, score analysis.Score) []analysis.Summary {
	summaries := floorSummaries(row, score)
	for j := range row.Entries {
		summaries = append(summaries, row.Entries[j].Summary[score])
	}
	return summaries
}

// splitAspects tells the aspects that differ between rows from those that do
// not; the latter come with their value. Aspects that apply to no row are in
// neither.
func splitAspects(table *analysis.ScoreTable) (varied []analysis.Aspect, constant []analysis.Fact) {
	settings := make([]analysis.Setting, len(table.Rows))
	for i := range table.Rows {
		settings[i] = table.Rows[i].Setting
	}
	return table.Layout.SplitSettings(settings)
}

// sheetCaption says what the numbers are, over what, and what holds for every row.
func sheetCaption(table *analysis.ScoreTable, over string, constant []analysis.Fact) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Test %s (%s), mean ± standard deviation over %s", table.Metric.Word(), table.Metric.Direction(), over)
	for _, fact := range append(constant, analysis.CommonFacts(table.Methods)...) {
		fmt.Fprintf(&b, "; %s: %s", fact.Name, fact.Value)
	}
	switch table.Select {
	case experiment.SelectValidation:
		b.WriteString("; parameters with the best validation score of each repeat")
	case experiment.SelectTest:
		b.WriteString("; parameters with the best test score of each repeat")
	}
	b.WriteString(".")
	return b.String()
}

// anyEntry reports whether an entry is such.
func anyEntry(t *analysis.ScoreTable, is func(*analysis.ScoreRow, *analysis.ScoreEntry) bool) bool {
	for i := range t.Rows {
		for j := range t.Rows[i].Entries {
			if is(&t.Rows[i], &t.Rows[i].Entries[j]) {
				return true
			}
		}
	}
	return false
}

// median returns the lower median of xs, which it sorts.
func median(xs []float64) float64 {
	slices.Sort(xs)
	return xs[(len(xs)-1)/2]
}

// maxDecimals bounds how many decimals a table shows.
const maxDecimals = 8

// decimals returns how many decimals a row of the given summaries shows:
// two significant digits of the median standard deviation, or four of the
// median mean where nothing spreads, and at least two of each mean that is
// larger than its own deviation.
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
		// A deviation at the level of rounding says nothing about digits.
		if s.Std > 1e-12*math.Abs(s.Mean) {
			stds = append(stds, s.Std)
		}
	}
	digits, from := 2, stds
	if len(stds) == 0 {
		digits, from = 4, means
	}
	if len(from) == 0 {
		return 3
	}
	return min(max(places(median(from), digits), least), maxDecimals)
}

// places returns how many decimals show so many significant digits of a number.
func places(x float64, digits int) int {
	return max(digits-1-int(math.Floor(math.Log10(math.Abs(x)))), 0)
}

type (
	section     = layout.Section
	sheet       = layout.Sheet
	sheetColumn = layout.SheetColumn
	sheetCell   = layout.SheetCell
)

// entryAt is an entry of a table that has cells, with where it is.
type entryAt struct {
	table  *analysis.ScoreTable
	row    *analysis.ScoreRow
	method int // position in the table's methods
	entry  *analysis.ScoreEntry
}

// eachEntry goes over the entries of tables that have cells, row by row and in
// the order of the methods.
func eachEntry(tables ...*analysis.ScoreTable) iter.Seq[entryAt] {
	return func(yield func(entryAt) bool) {
		for _, table := range tables {
			for i := range table.Rows {
				row := &table.Rows[i]
				for j := range row.Entries {
					if e := &row.Entries[j]; e.Cells > 0 && !yield(entryAt{table, row, j, e}) {
						return
					}
				}
			}
		}
	}
}

// addFloor adds the column of the layout's floor to a table that has its scores.
func addFloor(s *sheet, table *analysis.ScoreTable) {
	if table.HasFloor() {
		s.Columns = append(s.Columns, sheetColumn{Head: floorLabel(table)})
	}
}

func floorLabel(table *analysis.ScoreTable) string {
	return analysis.MethodLabel(table.Layout.Floor.Method)
}

// appendFloor adds what the floor reached in a row, over the repeats by which the row's methods
// are compared.
func appendFloor(cells []sheetCell, table *analysis.ScoreTable, row *analysis.ScoreRow, score analysis.Score, places int) []sheetCell {
	switch {
	case !table.HasFloor():
		return cells
	case row.Floor == nil:
		return append(cells, sheetCell{Note: "-"})
	}
	return append(cells, meanCell(row.Floor, row.Shown(row.Floor, score), places))
}

// floorCaption says what the floor is, and which methods are not better where.
func floorCaption(table *analysis.ScoreTable, score analysis.Score, varied []analysis.Aspect) string {
	if !table.HasFloor() {
		return ""
	}
	floor := floorLabel(table)
	text := fmt.Sprintf(" %s: %s.", strings.ToUpper(floor[:1])+floor[1:], table.Layout.Floor.Words)
	list := table.NotBetter(score)
	if len(list) == 0 {
		return text
	}
	labels := analysis.MethodLabels(table.Methods)
	var methods []string
	for begin, end := 0, 0; begin < len(list); begin = end {
		first := &list[begin]
		for end < len(list) && list[end].Method == first.Method {
			end++
		}
		var words []string
		for _, a := range varied {
			text := a.Text(first.Row.Setting)
			if text != "" && a.Words != nil {
				text = a.Words(text)
			}
			if text != "" {
				words = append(words, text)
			}
		}
		where := ""
		if len(words) > 0 {
			where = map[bool]string{true: "the first ", false: ""}[end-begin > 1] + strings.Join(words, ", ") + ": "
		}
		places := decimals([]analysis.Summary{{Mean: first.Mean, N: 1}, {Mean: first.Floor, N: 1}})
		methods = append(methods, fmt.Sprintf("%s in %d of %s (%s%s, %s %s)", labels[first.Method], end-begin,
			prose.Plural(settingsWith(table, first.Method, score), "setting"), where, prose.Fixed(first.Mean, places), floor, prose.Fixed(first.Floor, places)))
	}
	return text + fmt.Sprintf(" Not better than the %s, in the mean of the repeats: %s.", floor, strings.Join(methods, "; "))
}

// settingsWith counts the rows in which a method has a score.
func settingsWith(table *analysis.ScoreTable, method int, score analysis.Score) int {
	n := 0
	for i := range table.Rows {
		if table.Rows[i].Entries[method].Summary[score].N > 0 {
			n++
		}
	}
	return n
}

// floorSummaries returns what a row shows of the floor, nothing where it has none.
func floorSummaries(row *analysis.ScoreRow, score analysis.Score) []analysis.Summary {
	if row.Floor == nil {
		return nil
	}
	return []analysis.Summary{row.Shown(row.Floor, score)}
}
