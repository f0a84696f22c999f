package report

import (
	"fmt"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/prose"
)

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
