package report

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// textWidth is the number of columns of a terminal that tables and words keep to.
const textWidth = 100

// fit splits rows of a sheet that are wider than textWidth: first where the
// leftmost label changes, each group with the labels that it has one value of in
// its title and without columns that it has nothing in, then by columns, each part
// with the labels. A single column wider than that stays as it is.
func (t Text) fit(s *sheet, rows [][]sheetCell) []*sheet {
	whole := &sheet{Columns: s.Columns, Rows: rows}
	if len(rows) == 0 || !t.tooWide(whole) {
		return []*sheet{whole}
	}
	var parts []*sheet
	for _, group := range groupsOf(whole) {
		parts = append(parts, t.fitColumns(withoutConstant(group))...)
	}
	return parts
}

func (t Text) tooWide(s *sheet) bool { return newTextGrid(s, s.Rows, t.Bold).width() > textWidth }

// groupsOf splits a sheet where its first column changes from row to row.
func groupsOf(s *sheet) []*sheet {
	var groups []*sheet
	for i, row := range s.Rows {
		if i == 0 || row[0].Text != s.Rows[i-1][0].Text {
			groups = append(groups, &sheet{Columns: s.Columns})
		}
		last := groups[len(groups)-1]
		last.Rows = append(last.Rows, row)
	}
	return groups
}

// withoutConstant moves the labels that have one value in all rows from the
// columns into the title, and drops columns that have nothing in any row.
func withoutConstant(s *sheet) *sheet {
	var facts []string
	kept := []int{}
	for j, column := range s.Columns {
		first := s.Rows[0][j]
		differs := slices.ContainsFunc(s.Rows, func(row []sheetCell) bool { return row[j] != first })
		switch {
		case differs, !column.Label && first.Note != "-":
			kept = append(kept, j)
		case column.Label && first.Text != "":
			facts = append(facts, column.Head+": "+first.Text)
		}
	}
	of := only(s, kept)
	of.Title = strings.Join(facts, "; ")
	return of
}

// only returns a sheet of some of the columns.
func only(s *sheet, columns []int) *sheet {
	of := &sheet{Title: s.Title}
	for _, j := range columns {
		of.Columns = append(of.Columns, s.Columns[j])
	}
	for _, row := range s.Rows {
		var cells []sheetCell
		for _, j := range columns {
			cells = append(cells, row[j])
		}
		of.Rows = append(of.Rows, cells)
	}
	return of
}

// fitColumns splits a sheet by columns, as few as it takes and as even as they go.
func (t Text) fitColumns(s *sheet) []*sheet {
	var labels, others []int
	for j, column := range s.Columns {
		if column.Label {
			labels = append(labels, j)
		} else {
			others = append(others, j)
		}
	}
	for n := 1; ; n++ {
		var parts []*sheet
		for part := range slices.Chunk(others, (len(others)+n-1)/n) {
			columns := append(slices.Clone(labels), part...)
			slices.Sort(columns)
			parts = append(parts, only(s, columns))
		}
		if n >= len(others) || !slices.ContainsFunc(parts, t.tooWide) {
			return parts
		}
	}
}

// InLines breaks words into lines of at most 100 columns.
func InLines(text string) string {
	var b strings.Builder
	width := 0
	for word := range strings.FieldsSeq(Visible(text)) {
		n := utf8.RuneCountInString(word)
		switch {
		case width == 0:
		case width+1+n > textWidth:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += n
	}
	return b.String()
}
