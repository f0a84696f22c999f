package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// Text writes tables for a terminal or a log.
type Text struct {
	Bold    bool // mark the best mean by bold type instead of *
	MaxRows int  // of a table; 0 for all
}

const (
	ansiBold  = "\x1b[1m"
	ansiReset = "\x1b[0m"
)

// Write writes the first part of a report in a width of 100, and what is missing.
func (t Text) Write(w io.Writer, r *Report) error {
	var b strings.Builder
	if err := t.WriteAnswer(&b, r.Answer()); err != nil {
		return err
	}
	for _, s := range r.First()[1:] {
		b.WriteByte('\n')
		t.writeSheets(&b, s.Sheets)
	}
	writeNotes(&b, r.Missing)
	_, err := io.WriteString(w, b.String())
	return err
}

func (t Text) writeSheets(b *strings.Builder, sheets []*sheet) {
	for i, s := range sheets {
		if i > 0 {
			b.WriteByte('\n')
		}
		t.writeSheet(b, s)
	}
}

func writeNotes(b *strings.Builder, notes []string) {
	for _, sentence := range notes {
		b.WriteString("\n" + InLines("Note: "+sentence) + "\n")
	}
}

func (t Text) writeSheet(b *strings.Builder, s *sheet) {
	rows, left := s.Rows, 0
	if t.MaxRows > 0 && len(rows) > t.MaxRows {
		rows, left = rows[:t.MaxRows], len(rows)-t.MaxRows
	}
	best, equal := "* ", "≈ "
	if t.Bold {
		best = "Bold: "
	}
	b.WriteString(InLines(s.Title) + "\n")
	if caption := s.Caption + s.Legend(best, equal); caption != "" {
		b.WriteString(InLines(caption) + "\n")
	}
	if s.List {
		writeList(b, s, rows)
		return
	}
	for i, part := range newTextGrid(s, rows, t.Bold).fit(s.Columns) {
		if i > 0 {
			b.WriteByte('\n')
		}
		part.write(b)
	}
	if left > 0 {
		fmt.Fprintf(b, "... and %s: report.md has up to %d, --format html or csv all\n", prose.Plural(left, "more row"), markdownRows)
	}
}

// writeList writes two lines for each row: its first two fields, and the others with their heads.
func writeList(b *strings.Builder, s *sheet, rows [][]sheetCell) {
	plain := dress{func(text string) string { return text }, func(c sheetCell) string { return c.Text }}
	for _, row := range rows {
		fmt.Fprintf(b, "%s\n", InLines(plain.cell(row[0])+": "+plain.cell(row[1])))
		var fields []string
		for j, cell := range row[2:] {
			fields = append(fields, s.Columns[2+j].Head+": "+plain.cell(cell))
		}
		fmt.Fprintf(b, "%s\n", InLines("- "+strings.Join(fields, ", ")))
	}
}

// textCell is padded by the width of its text: bold cells have additional bytes.
type textCell struct {
	text  string
	right bool
	bold  bool
}

type textGrid [][]textCell

func newTextGrid(s *sheet, rows [][]sheetCell, bold bool) textGrid {
	grid := make(textGrid, 0, len(rows)+1)
	head := make([]textCell, len(s.Columns))
	grid = append(grid, head)
	widths := meanWidths(s, rows)
	for _, row := range rows {
		line := make([]textCell, len(row))
		for j, cell := range row {
			line[j] = textCell{text: Visible(widths[j].dress(bold).cell(cell)), right: s.Columns[j].Right, bold: bold && cell.Mark == layout.BestMark}
		}
		grid = append(grid, line)
	}
	for j, column := range s.Columns {
		head[j] = textCell{text: Visible(column.Head), right: column.Right}
		if widths[j].aside == (pointWidth{}) {
			continue
		}
		pad := -utf8.RuneCountInString(head[j].text) - len(column.Aside)
		for _, line := range grid[1:] {
			pad = max(pad, utf8.RuneCountInString(line[j].text)-utf8.RuneCountInString(head[j].text)-len(column.Aside))
		}
		head[j].text += strings.Repeat(" ", max(pad, 1)) + column.Aside
	}
	return grid
}

// meanWidth aligns the decimal points of a column's means.
type meanWidth struct {
	mean, std, aside pointWidth
	marked           bool
	equal            bool
}

type pointWidth struct{ whole, rest int }

func sides(text string) pointWidth {
	whole, _, _ := strings.Cut(text, ".")
	return pointWidth{len(whole), len(text) - len(whole)}
}

func (w *pointWidth) add(text string) {
	of := sides(text)
	w.whole, w.rest = max(w.whole, of.whole), max(w.rest, of.rest)
}

func (w pointWidth) before(text string) string { return strings.Repeat(" ", w.whole-sides(text).whole) }
func (w pointWidth) after(text string) string  { return strings.Repeat(" ", w.rest-sides(text).rest) }

func meanWidths(s *sheet, rows [][]sheetCell) []meanWidth {
	widths := make([]meanWidth, len(s.Columns))
	for _, row := range rows {
		for j, c := range row {
			widths[j].mean.add(c.Text)
			widths[j].std.add(c.Std)
			widths[j].aside.add(c.Aside)
			widths[j].marked = widths[j].marked || c.Mark != layout.Unmarked
			widths[j].equal = widths[j].equal || c.Mark == layout.EqualMark
		}
	}
	return widths
}

func (w meanWidth) dress(bold bool) dress {
	return dress{func(text string) string { return text }, func(c sheetCell) string {
		if w.std == (pointWidth{}) && !w.marked && c.Aside == "" {
			return c.Text
		}
		text, after := w.mean.before(c.Text)+c.Text, w.mean.after(c.Text)
		switch {
		case c.Std != "":
			text += after + " ± " + w.std.before(c.Std) + c.Std
			after = w.std.after(c.Std)
		case w.std != (pointWidth{}):
			after += strings.Repeat(" ", w.std.whole+w.std.rest+3)
		}
		switch {
		case c.Mark == layout.EqualMark:
			text += "≈"
		case c.Mark == layout.BestMark && !bold:
			text += "*"
		case !bold || w.equal:
			text += " "
		}
		if c.Aside != "" {
			after += " " + w.aside.before(c.Aside) + c.Aside + w.aside.after(c.Aside)
		}
		return text + after
	}}
}

func (g textGrid) widths() []int {
	widths := make([]int, len(g[0]))
	for _, row := range g {
		for j, cell := range row {
			widths[j] = max(widths[j], utf8.RuneCountInString(cell.text))
		}
	}
	return widths
}

func (g textGrid) width() int {
	width := 2 * (len(g[0]) - 1)
	for _, w := range g.widths() {
		width += w
	}
	return width
}

func (g textGrid) write(b *strings.Builder) {
	widths := g.widths()
	for i, row := range g {
		var line strings.Builder
		for j, cell := range row {
			if j > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell.text))
			text := cell.text
			if cell.bold {
				text = ansiBold + text + ansiReset
			}
			if cell.right {
				line.WriteString(pad + text)
			} else {
				line.WriteString(text + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		if i == 0 {
			for j, width := range widths {
				if j > 0 {
					b.WriteString("  ")
				}
				b.WriteString(strings.Repeat("-", width))
			}
			b.WriteByte('\n')
		}
	}
}

const textWidth = 100

// fit splits a table wider than textWidth by columns, into as few and as even parts as possible,
// each with the labels. A single wider column stays whole.
func (g textGrid) fit(heads []sheetColumn) []textGrid {
	if len(g) == 1 || g.fits() {
		return []textGrid{g}
	}
	var labels, others []int
	for j, column := range heads {
		if column.Label {
			labels = append(labels, j)
		} else {
			others = append(others, j)
		}
	}
	for n := 1; ; n++ {
		var parts []textGrid
		for part := range slices.Chunk(others, (len(others)+n-1)/n) {
			columns := append(slices.Clone(labels), part...)
			slices.Sort(columns)
			parts = append(parts, g.only(columns))
		}
		if n >= len(others) || !slices.ContainsFunc(parts, func(part textGrid) bool { return !part.fits() }) {
			return parts
		}
	}
}

func (g textGrid) fits() bool { return g.width() <= textWidth }

func (g textGrid) only(columns []int) textGrid {
	return lists.Map(g, func(row []textCell) []textCell {
		return lists.Map(columns, func(j int) textCell { return row[j] })
	})
}

// InLines breaks words into lines of at most 100 columns.
func InLines(text string) string {
	fits := func(line string) bool { return utf8.RuneCountInString(line) <= textWidth }
	return strings.Join(prose.Lines(strings.Fields(Visible(text)), fits), "\n")
}
