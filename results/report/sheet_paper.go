package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

func paperSheet(p *analysis.PaperTable) *sheet {
	s := &sheet{Name: "paper-" + p.Table.Name, Title: fmt.Sprintf("Table %d of the paper: %s", p.Table.Number, p.Table.Title)}
	var shown []int
	var constant []string
	for k, c := range p.Table.Columns {
		first := p.Rows[0].Published.Words[k]
		varies := slices.ContainsFunc(p.Rows, func(r *analysis.PaperRow) bool { return r.Published.Words[k] != first })
		switch {
		case varies:
			s.Columns = append(s.Columns, sheetColumn{Head: c.Head, Right: c.Right, Label: true})
			shown = append(shown, k)
		case first != "":
			constant = append(constant, c.Head+": "+first)
		}
	}
	further := furtherSettings(p)
	if further != nil {
		s.Columns = append(s.Columns, sheetColumn{Head: "setting", Label: true})
	}
	s.Columns = slices.Concat(s.Columns, []sheetColumn{{Head: "method", Label: true}, {Head: "published"}, {Head: "ours"}},
		rightColumns("repeats", "difference", "in standard errors"), []sheetColumn{{Head: "within two"}})
	remarked := slices.ContainsFunc(p.Rows, func(r *analysis.PaperRow) bool { return len(r.Published.Notes) > 0 })
	floored := slices.ContainsFunc(p.Rows, func(r *analysis.PaperRow) bool { return r.Floor.N > 0 })
	if floored {
		s.Columns = append(s.Columns, sheetColumn{Head: analysis.MethodLabel(p.Layout.Floor.Method)})
	}
	if remarked {
		s.Columns = append(s.Columns, sheetColumn{Head: "note"})
	}
	notes := &footnotes{}
	for i, row := range p.Rows {
		var cells []sheetCell
		for _, k := range shown {
			cells = append(cells, sheetCell{Text: row.Published.Words[k]})
		}
		if further != nil {
			cells = append(cells, sheetCell{Text: further[i]})
		}
		cells = append(cells, paperCells(row)...)
		if floored {
			cells = append(cells, summaryCell(row.Floor, 4))
		}
		if remarked {
			cells = append(cells, sheetCell{Text: notes.marks(row.Published.Notes)})
		}
		s.Rows = append(s.Rows, cells)
	}
	s.Caption = paperWords(p, constant) + notes.text()
	return s
}

func paperCells(row *analysis.PaperRow) []sheetCell {
	cells := []sheetCell{
		{Text: row.Label},
		{Text: prose.Fixed(row.Score.Mean, 3), Std: prose.Fixed(row.Score.Std, 3)},
	}
	none := sheetCell{Note: "-"}
	if row.Ours.N == 0 {
		cells = append(cells, sheetCell{Note: map[bool]string{true: "missing", false: "failed"}[row.Cells == 0]}, layout.CountCell(0), none, none, none)
	} else {
		ours := sheetCell{Text: prose.Fixed(row.Ours.Mean, 4)}
		errors, within := none, none
		if z := row.Errors(); !math.IsNaN(z) {
			ours.Std = prose.Fixed(row.Ours.Std, 4)
			errors = sheetCell{Text: signed(z, 1)}
			within = sheetCell{Text: map[bool]string{true: "yes", false: "no"}[row.Within()]}
		}
		cells = append(cells, ours, layout.CountCell(row.Ours.N),
			sheetCell{Text: signed(row.Difference(), 4)}, errors, within)
	}
	return cells
}

func signed(x float64, places int) string {
	if math.IsInf(x, 0) {
		return map[bool]string{true: "+∞", false: "-∞"}[x > 0]
	}
	text := prose.Fixed(x, places)
	if x > 0 && !strings.HasPrefix(text, "-") {
		text = "+" + text
	}
	return text
}

// furtherSettings returns the setting of each row if a published row leaves open a parameter of
// which the run has several values.
func furtherSettings(p *analysis.PaperTable) []string {
	texts := make([]string, len(p.Rows))
	seen := map[string]bool{}
	several := false
	for i, row := range p.Rows {
		if row.Ours.N > 0 {
			texts[i] = p.Layout.Describe(row.Setting, p.Table.Stated...)
		}
		several = several || seen[row.Key()]
		seen[row.Key()] = true
	}
	if !several {
		return nil
	}
	return texts
}

func paperWords(p *analysis.PaperTable, constant []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Published: mean ± standard deviation over %d runs (%s). "+
		"Ours: the test score at the age with the best test score, which is what the paper reports. "+
		"Difference: ours - published; in standard errors √(s²/n + S²/%d) of the difference. ", p.Table.Runs, p.Table.Source, p.Table.Runs)
	if len(constant) > 0 {
		fmt.Fprintf(&b, "All rows: %s; %s. ", strings.Join(constant, "; "), p.Table.Always)
	}
	var methods []string
	for _, row := range p.Rows {
		if row.Method != "" {
			methods = append(methods, row.Method)
		}
	}
	for _, fact := range analysis.CommonFacts(methods) {
		fmt.Fprintf(&b, "Our %s: %s. ", fact.Name, fact.Value)
	}
	for _, sentence := range p.Words {
		b.WriteString(sentence + " ")
	}
	b.WriteString(p.Coverage())
	return b.String()
}

type footnotes struct{ list []string }

// marks returns the numbers of notes and adds new ones.
func (f *footnotes) marks(notes []string) string {
	var marks []string
	for _, note := range notes {
		i := slices.Index(f.list, note)
		if i < 0 {
			i = len(f.list)
			f.list = append(f.list, note)
		}
		marks = append(marks, fmt.Sprint(i+1))
	}
	return strings.Join(marks, ", ")
}

func (f *footnotes) text() string {
	var b strings.Builder
	for i, note := range f.list {
		fmt.Fprintf(&b, " Note %d: %s.", i+1, note)
	}
	return b.String()
}
