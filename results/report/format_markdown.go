package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/agepath/agepath/results/internal/prose"
)

// markdownRows is how many rows of a table report.md shows; the other formats
// have them all.
const markdownRows = 200

// writeMarkdown writes the whole report: facts, what is missing, tables, figures and how to read the files.
func writeMarkdown(w io.Writer, r *Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", escapeMarkdown(r.Name))
	for _, fact := range append(r.Facts, r.Statuses...) {
		fmt.Fprintf(&b, "- %s: %s\n", escapeMarkdown(fact.Name), escapeMarkdown(fact.Value))
	}
	if len(r.Missing) > 0 {
		b.WriteString("\n## What is missing\n\n")
		for _, sentence := range r.Missing {
			fmt.Fprintf(&b, "- %s\n", escapeMarkdown(sentence))
		}
	}
	for _, section := range r.sections() {
		fmt.Fprintf(&b, "\n## %s\n", escapeMarkdown(section.title))
		for _, s := range section.sheets {
			writeMarkdownSheet(&b, s)
		}
	}
	writeMarkdownFigures(&b, r)
	b.WriteString(markdownQuery)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeMarkdownSheet(b *strings.Builder, s *sheet) {
	fmt.Fprintf(b, "\n### %s\n\n%s%s\n\n", escapeMarkdown(s.title), escapeMarkdown(s.caption), s.legend("Bold: ", "≈: "))
	heads := make([]string, len(s.columns))
	rule := make([]string, len(s.columns))
	for j, column := range s.columns {
		heads[j] = escapeMarkdown(column.head)
		rule[j] = map[bool]string{false: "---", true: "--:"}[column.right]
	}
	markdownLine(b, heads)
	markdownLine(b, rule)
	for i, row := range s.rows {
		if i == markdownRows {
			fmt.Fprintf(b, "\nLeft out: %s; the formats csv, latex and html have all.\n", prose.Plural(len(s.rows)-i, "more row"))
			break
		}
		cells := make([]string, len(row))
		for j, cell := range row {
			cells[j] = markdownCell(cell)
		}
		markdownLine(b, cells)
	}
}

func markdownLine(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func markdownCell(c sheetCell) string {
	if c.text == "" {
		return escapeMarkdown(c.note)
	}
	text := escapeMarkdown(c.text)
	if c.std != "" {
		text += " ± " + c.std
	}
	switch c.mark {
	case bestMark:
		text = "**" + text + "**"
	case equalMark:
		text += " ≈"
	}
	if c.note != "" {
		text += " (" + c.note + ")"
	}
	return text
}

func writeMarkdownFigures(b *strings.Builder, r *Report) {
	if len(r.Figures) == 0 && len(r.LeftOut) == 0 {
		return
	}
	b.WriteString("\n## Figures\n")
	for _, f := range r.Figures {
		path := figureFolder + "/" + f.Name
		fmt.Fprintf(b, "\n![%s](%s.png)\n\n", escapeMarkdown(f.Title), path)
		if f.Caption != "" {
			fmt.Fprintf(b, "%s ", escapeMarkdown(strings.TrimSpace(f.Caption)))
		}
		fmt.Fprintf(b, "[SVG](%s.svg), [numbers](%s.csv)\n", path, path)
	}
	if len(r.LeftOut) > 0 {
		fmt.Fprintf(b, "\n%s left out (`coordinator report DIR --figures %d` draws all): ",
			prose.Plural(len(r.LeftOut), "figure"), len(r.Figures)+len(r.LeftOut))
		shown := r.LeftOut[:min(len(r.LeftOut), maxLeftOut)]
		b.WriteString(strings.Join(shown, ", "))
		if more := len(r.LeftOut) - len(shown); more > 0 {
			fmt.Fprintf(b, " and %d more", more)
		}
		b.WriteString(".\n")
	}
}

// maxLeftOut is how many figures that were left out a report names.
const maxLeftOut = 20

// markdownQuery says how to go on from the files.
const markdownQuery = `
## Ask the files

Each row of cells.arrow is one cell: its settings, status, scores, counts and times. knots.arrow holds the knots of its path, joined by the column cell. docs/scores.md of agepath says which score answers which question. Both are Arrow IPC files (Feather version 2).

` + "```python" + `
import polars as pl
cells = pl.read_ipc("cells.arrow", memory_map=False).filter(pl.col("status") == "ok")
cells.group_by("dataset", "regularizer", "method").agg(
    pl.col("test_at_best_validation", "test_at_best_test").mean())
` + "```" + `

` + "```r" + `
cells <- arrow::read_feather("cells.arrow")
aggregate(cbind(test_at_best_validation, test_at_best_test) ~ dataset + method, cells, mean)
` + "```" + `
`

// markdownReplacer escapes what Markdown, its tables and the HTML in it would
// read as marks.
var markdownReplacer = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `|`, `\|`, `<`, `&lt;`, `>`, `&gt;`,
	`[`, `\[`, `]`, `\]`, `#`, `\#`, "\n", " ", "\r", " ", "\t", " ",
)

func escapeMarkdown(text string) string { return markdownReplacer.Replace(text) }
