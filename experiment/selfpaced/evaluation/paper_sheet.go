package evaluation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/experiment/selfpaced/published"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// addPaper adds the published tables and their file, which is empty without tables.
func addPaper(o *layout.Part, tables []*PaperTable) {
	s := layout.Section{Title: "Published", Name: "paper"}
	file := layout.File{Name: "paper.csv", Linked: true, Head: slices.Concat([]string{"table"}, selfpaced.Layout.Columns(),
		[]string{"method", "published_mean", "published_std", "our_mean", "our_std", "n", "difference", "standard_errors", "within_two", "notes"})}
	for _, p := range tables {
		s.Sheets = append(s.Sheets, paperSheet(p))
		for _, row := range p.Rows {
			within := ""
			if !math.IsNaN(row.Errors()) {
				within = strconv.FormatBool(row.Within())
			}
			file.Lines = append(file.Lines, []any{p.Table.Number, selfpaced.Layout.Fields(row.Setting), row.Score.Method, row.Score.Mean, row.Score.Std,
				row.Ours.Mean, row.Ours.Std, row.Ours.N, row.Difference(), row.Errors(), within, row.Published.Note})
		}
	}
	if o.Files = append(o.Files, file); len(tables) > 0 {
		o.First = append(o.First, s)
	}
}

// PaperColumn is a statement of published rows, "" for none.
type PaperColumn struct {
	layout.SheetColumn
	Text func(*published.Row) string
}

// PaperColumns are the statements in the order of tables.
var PaperColumns = []PaperColumn{
	{layout.SheetColumn{Head: "data set"}, func(r *published.Row) string { return r.Dataset }},
	{layout.SheetColumn{Head: "model"}, func(r *published.Row) string {
		return selfpaced.ModelText(layout.Setting{selfpaced.DimModel: {Text: r.Model}, selfpaced.DimKernel: {Text: r.Kernel}})
	}},
	{layout.SheetColumn{Head: "noise", Right: true}, func(r *published.Row) string { return stated(r.Noise) }},
	{layout.SheetColumn{Head: "mixture γ", Right: true}, func(r *published.Row) string { return stated(r.MixtureGamma) }},
	{layout.SheetColumn{Head: "kernel γ", Right: true}, func(r *published.Row) string { return stated(r.KernelGamma) }},
	{layout.SheetColumn{Head: "C", Right: true}, func(r *published.Row) string { return stated(r.C) }},
	{layout.SheetColumn{Head: "α", Right: true}, func(r *published.Row) string { return stated(r.Alpha) }},
}

func stated(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return prose.Short(x)
}

// Varying separates the columns in which the rows differ from what all state.
func (p *PaperTable) Varying() (varying []PaperColumn, constant []string) {
	for _, c := range PaperColumns {
		first := c.Text(p.Rows[0].Published)
		switch {
		case slices.ContainsFunc(p.Rows, func(r *PaperRow) bool { return c.Text(r.Published) != first }):
			varying = append(varying, c)
		case first != "":
			constant = append(constant, c.Head+": "+first)
		}
	}
	return varying, constant
}

func paperSheet(p *PaperTable) *layout.Sheet {
	s := &layout.Sheet{Name: "paper-" + p.Table.Name(), Title: fmt.Sprintf("Table %d of the paper: %s", p.Table.Number, p.Table.Title)}
	varying, constant := p.Varying()
	for _, c := range varying {
		s.Columns = append(s.Columns, layout.SheetColumn{Head: c.Head, Right: c.Right, Label: true})
	}
	further := furtherSettings(p)
	if further != nil {
		s.Columns = append(s.Columns, layout.SheetColumn{Head: "setting", Label: true})
	}
	s.Columns = append(s.Columns, layout.SheetColumn{Head: "method", Label: true}, layout.SheetColumn{Head: "published"}, layout.SheetColumn{Head: "ours"},
		layout.SheetColumn{Head: "repeats", Right: true}, layout.SheetColumn{Head: "difference", Right: true},
		layout.SheetColumn{Head: "in standard errors", Right: true}, layout.SheetColumn{Head: "within two"})
	remarked := slices.ContainsFunc(p.Rows, func(r *PaperRow) bool { return r.Published.Note != "" })
	floored := slices.ContainsFunc(p.Rows, func(r *PaperRow) bool { return r.Floor.N > 0 })
	if floored {
		s.Columns = append(s.Columns, layout.SheetColumn{Head: analysis.MethodLabel(selfpaced.Constant)})
	}
	if remarked {
		s.Columns = append(s.Columns, layout.SheetColumn{Head: "note"})
	}
	notes := &footnotes{}
	for i, row := range p.Rows {
		cells := lists.Map(varying, func(c PaperColumn) layout.SheetCell { return layout.SheetCell{Text: c.Text(row.Published)} })
		if further != nil {
			cells = append(cells, layout.SheetCell{Text: further[i]})
		}
		cells = append(cells, paperCells(row)...)
		if floored {
			cells = append(cells, row.Floor.Cell(4))
		}
		if remarked {
			cells = append(cells, layout.SheetCell{Text: notes.mark(row.Published.Note)})
		}
		s.Rows = append(s.Rows, cells)
	}
	s.Caption = paperWords(p, constant) + notes.text()
	return s
}

func paperCells(row *PaperRow) []layout.SheetCell {
	cells := []layout.SheetCell{
		{Text: row.Label},
		{Text: prose.Fixed(row.Score.Mean, 3), Std: prose.Fixed(row.Score.Std, 3)},
	}
	none := layout.SheetCell{Note: "-"}
	if row.Ours.N == 0 {
		return append(cells, layout.SheetCell{Note: map[bool]string{true: "missing", false: "failed"}[row.Cells == 0]}, layout.CountCell(0), none, none, none)
	}
	ours := layout.SheetCell{Text: prose.Fixed(row.Ours.Mean, 4)}
	errors, within := none, none
	if z := row.Errors(); !math.IsNaN(z) {
		ours.Std = prose.Fixed(row.Ours.Std, 4)
		errors = layout.SheetCell{Text: signed(z, 1)}
		within = layout.SheetCell{Text: map[bool]string{true: "yes", false: "no"}[row.Within()]}
	}
	return append(cells, ours, layout.CountCell(row.Ours.N), layout.SheetCell{Text: signed(row.Difference(), 4)}, errors, within)
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
func furtherSettings(p *PaperTable) []string {
	texts := make([]string, len(p.Rows))
	seen := map[string]bool{}
	several := false
	for i, row := range p.Rows {
		if row.Ours.N > 0 {
			texts[i] = selfpaced.Layout.Describe(row.Setting, selfpaced.DimDataset, selfpaced.DimModel, selfpaced.DimKernel, selfpaced.DimRegularizer, selfpaced.DimRegularizerParam)
		}
		several = several || seen[row.Key()]
		seen[row.Key()] = true
	}
	if !several {
		return nil
	}
	return texts
}

func paperWords(p *PaperTable, constant []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Published: mean ± standard deviation over %d runs (%s). "+
		"Ours: the test score at the age with the best test score, which is what the paper reports. "+
		"Difference: ours - published; in standard errors √(s²/n + S²/%[1]d) of the difference. ", published.Runs, published.Source)
	if len(constant) > 0 {
		fmt.Fprintf(&b, "All rows: %s; %s regularizer. ", strings.Join(constant, "; "), p.Table.Regularizer)
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
func (f *footnotes) mark(note string) string {
	if note == "" {
		return ""
	}
	if !slices.Contains(f.list, note) {
		f.list = append(f.list, note)
	}
	return strconv.Itoa(slices.Index(f.list, note) + 1)
}

func (f *footnotes) text() string {
	var b strings.Builder
	for i, note := range f.list {
		fmt.Fprintf(&b, " Note %d: %s.", i+1, note)
	}
	return b.String()
}
