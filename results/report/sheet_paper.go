package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/published"
)

// paperColumns are what a published row may state.
var paperColumns = []struct {
	head  string
	right bool
	text  func(l *layout.Layout, r *published.Row) string
}{
	{"data set", false, func(_ *layout.Layout, r *published.Row) string { return r.Dataset }},
	{"model", false, func(l *layout.Layout, r *published.Row) string {
		var s analysis.Setting
		s[layout.Model], s[l.At("kernel")] = analysis.Value{Text: r.Model}, analysis.Value{Text: r.Kernel}
		return l.Aspects[layout.Model].Text(s)
	}},
	{"noise", true, func(_ *layout.Layout, r *published.Row) string { return statedNumber(r.Noise) }},
	{"mixture γ", true, func(_ *layout.Layout, r *published.Row) string { return statedNumber(r.MixtureGamma) }},
	{"kernel γ", true, func(_ *layout.Layout, r *published.Row) string { return statedNumber(r.KernelGamma) }},
	{"C", true, func(_ *layout.Layout, r *published.Row) string { return statedNumber(r.C) }},
	{"α", true, func(_ *layout.Layout, r *published.Row) string { return statedNumber(r.Alpha) }},
}

func statedNumber(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return prose.Short(x)
}

// paperSheet shows the published numbers beside ours.
func paperSheet(p *analysis.PaperTable) *sheet {
	s := &sheet{Name: "paper-" + p.Table.Name(), Title: fmt.Sprintf("Table %d of the paper: %s", p.Table.Number, p.Table.Title)}
	var texts []func(*layout.Layout, *published.Row) string
	var constant []string
	for _, c := range paperColumns {
		first := c.text(p.Layout, &p.Rows[0].Published)
		varies := slices.ContainsFunc(p.Rows, func(r analysis.PaperRow) bool { return c.text(p.Layout, &r.Published) != first })
		switch {
		case varies:
			s.Columns = append(s.Columns, sheetColumn{Head: c.head, Right: c.right, Label: true})
			texts = append(texts, c.text)
		case first != "":
			constant = append(constant, c.head+": "+first)
		}
	}
	further := furtherSettings(p)
	if further != nil {
		s.Columns = append(s.Columns, sheetColumn{Head: "setting", Label: true})
	}
	s.Columns = append(s.Columns, sheetColumn{Head: "method", Label: true}, sheetColumn{Head: "published"}, sheetColumn{Head: "ours"},
		sheetColumn{Head: "repeats", Right: true}, sheetColumn{Head: "difference", Right: true},
		sheetColumn{Head: "in standard errors", Right: true}, sheetColumn{Head: "within two"})
	remarked := slices.ContainsFunc(p.Rows, func(r analysis.PaperRow) bool { return len(r.Published.Notes) > 0 })
	floored := slices.ContainsFunc(p.Rows, func(r analysis.PaperRow) bool { return r.Floor.N > 0 })
	if floored {
		s.Columns = append(s.Columns, sheetColumn{Head: analysis.MethodLabel(p.Layout.Floor.Method)})
	}
	if remarked {
		s.Columns = append(s.Columns, sheetColumn{Head: "note"})
	}
	notes := &footnotes{}
	for i := range p.Rows {
		row := &p.Rows[i]
		var cells []sheetCell
		for _, text := range texts {
			cells = append(cells, sheetCell{Text: text(p.Layout, &row.Published)})
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

// summaryCell shows a mean, - for none.
func summaryCell(s analysis.Summary, places int) sheetCell {
	cell := layout.NumberCell(s.Mean, places)
	if s.N > 1 {
		cell.Std = prose.Fixed(s.Std, places)
	}
	return cell
}

// paperCells are the fields of a row from the method to whether it is within two errors.
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

// signed writes a number with its sign.
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

// furtherSettings tells, where a published row leaves a parameter open that the
// run has several values of, which setting each row is of; nil where none does.
func furtherSettings(p *analysis.PaperTable) []string {
	texts := make([]string, len(p.Rows))
	seen := map[string]bool{}
	several := false
	l := p.Layout
	stated := []analysis.Dimension{layout.Dataset, layout.Model, l.At("kernel"), l.At("regularizer"), l.At("regularizer_param")}
	for i := range p.Rows {
		row := &p.Rows[i]
		if row.Ours.N > 0 {
			texts[i] = l.Describe(row.Setting, stated...)
		}
		several = several || seen[row.Key()]
		seen[row.Key()] = true
	}
	if !several {
		return nil
	}
	return texts
}

// paperWords say what the columns are.
func paperWords(p *analysis.PaperTable, constant []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Published: mean ± standard deviation over %d runs (Qu, Li, Zhao and Gu, NeurIPS 2022). "+
		"Ours: the test score at the age with the best test score, which is what the paper reports. "+
		"Difference: ours - published; in standard errors √(s²/n + S²/%d) of the difference. ", published.Runs, published.Runs)
	if len(constant) > 0 {
		fmt.Fprintf(&b, "All rows: %s; %s regularizer. ", strings.Join(constant, "; "), p.Table.Regularizer)
	}
	for _, fact := range paperFacts(p) {
		fmt.Fprintf(&b, "Our %s: %s. ", fact.Name, fact.Value)
	}
	if p.Differs {
		b.WriteString("This run does not follow the paper's protocol (protocol: paper in the grid), so that differences are to be expected. ")
	}
	if p.SetOtherwise != nil {
		fmt.Fprintf(&b, "This run follows the published scripts (protocol: scripts in the grid): published rows stand beside it whatever they state of %s, "+
			"and errors of regression are mean absolute ones. ", strings.Join(p.SetOtherwise, " and "))
	}
	b.WriteString(p.Coverage())
	return b.String()
}

// paperFacts tells the settings of the run's methods.
func paperFacts(p *analysis.PaperTable) []analysis.Fact {
	var methods []string
	for i := range p.Rows {
		if p.Rows[i].Method != "" {
			methods = append(methods, p.Rows[i].Method)
		}
	}
	return analysis.CommonFacts(methods)
}

// footnotes numbers the notes of a sheet.
type footnotes struct{ list []string }

// marks returns the numbers of notes, which it adds where they are new.
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

// text returns the notes behind a caption.
func (f *footnotes) text() string {
	var b strings.Builder
	for i, note := range f.list {
		fmt.Fprintf(&b, " Note %d: %s.", i+1, note)
	}
	return b.String()
}
