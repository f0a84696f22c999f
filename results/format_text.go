package results

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Text says how [Text.Write] shows tables on a terminal or in a log.
type Text struct {
	Bold    bool // mark the best mean by bold type instead of *; for terminals
	MaxRows int  // rows of a table at most; 0 for all
}

const (
	ansiBold  = "\x1b[1m"
	ansiReset = "\x1b[0m"
)

// Write writes one score of each table, with aligned columns.
func (t Text) Write(w io.Writer, tables []*ScoreTable, score Score) error {
	var b strings.Builder
	for i, table := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		t.writeSheet(&b, newSheet(table, score))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t Text) writeSheet(b *strings.Builder, s *sheet) {
	rows, left := s.rows, 0
	if t.MaxRows > 0 && len(rows) > t.MaxRows {
		rows, left = rows[:t.MaxRows], len(rows)-t.MaxRows
	}
	g := newTextGrid(s, rows, t.Bold)
	fmt.Fprintf(b, "%s\n%s\n\n", s.title, s.caption)
	g.write(b)
	if left > 0 {
		fmt.Fprintf(b, "... and %s\n", plural(left, "more row"))
	}
	if legend := s.legend("* best mean of the row"); legend != "" && !t.Bold {
		b.WriteString(strings.TrimSpace(legend) + "\n")
	}
}

// textCell is one cell of a grid of text. Bold cells are wider in bytes than
// on the screen, so padding goes by the text alone.
type textCell struct {
	text  string
	right bool
	bold  bool
}

// textGrid is aligned text, row by row; the first row is the head.
type textGrid [][]textCell

func newTextGrid(s *sheet, rows []sheetRow, bold bool) textGrid {
	grid := make(textGrid, 0, len(rows)+1)
	head := make([]textCell, 0, len(s.labels)+len(s.methods)+2)
	for i, label := range s.labels {
		head = append(head, textCell{text: label, right: s.numeric[i]})
	}
	for _, method := range s.methods {
		head = append(head, textCell{text: method})
	}
	head = append(head, textCell{text: "repeats", right: true}, textCell{text: "failed", right: true})
	grid = append(grid, head)
	widths := entryWidths(s, rows)
	for _, row := range rows {
		var line []textCell
		for i, label := range row.labels {
			line = append(line, textCell{text: label, right: s.numeric[i]})
		}
		for j, entry := range row.entries {
			line = append(line, textCell{text: widths[j].text(entry, bold), bold: bold && entry.best})
		}
		line = append(line,
			textCell{text: fmt.Sprint(row.repeats), right: true},
			textCell{text: fmt.Sprint(row.failed), right: true})
		grid = append(grid, line)
	}
	return grid
}

// entryWidth holds the widths of the parts of one method's entries, so that
// their decimal points line up.
type entryWidth struct{ mean, std int }

func entryWidths(s *sheet, rows []sheetRow) []entryWidth {
	widths := make([]entryWidth, len(s.methods))
	for _, row := range rows {
		for j, e := range row.entries {
			widths[j].mean = max(widths[j].mean, len(e.mean))
			widths[j].std = max(widths[j].std, len(e.std))
		}
	}
	return widths
}

func (w entryWidth) text(e sheetEntry, bold bool) string {
	if e.mean == "" {
		return e.note
	}
	text := fmt.Sprintf("%*s", w.mean, e.mean)
	switch {
	case e.std != "":
		text += fmt.Sprintf(" ± %*s", w.std, e.std)
	case w.std > 0:
		text += strings.Repeat(" ", w.std+3)
	}
	if !bold {
		mark := " "
		if e.best {
			mark = "*"
		}
		text += mark
	}
	if e.note != "" {
		text += " (" + e.note + ")"
	}
	return text
}

func (g textGrid) write(b *strings.Builder) {
	widths := make([]int, len(g[0]))
	for _, row := range g {
		for j, cell := range row {
			widths[j] = max(widths[j], utf8.RuneCountInString(cell.text))
		}
	}
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
