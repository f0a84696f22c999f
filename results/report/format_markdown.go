package report

import (
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// markdownRows limits the rows of a table in report.md only.
const markdownRows = 200

func writeMarkdown(w io.Writer, r *Report) error {
	return markdown.write(w, r, "report.md", "{{", "}}", template.FuncMap{
		"trim":  strings.TrimSpace,
		"first": func(rows [][]sheetCell) [][]sheetCell { return rows[:min(len(rows), markdownRows)] },
		"left": func(rows [][]sheetCell) string {
			if len(rows) <= markdownRows {
				return ""
			}
			return prose.Plural(len(rows)-markdownRows, "more row")
		},
	})
}

var markdown = dress{EscapeMarkdown, func(c sheetCell) string {
	text := EscapeMarkdown(c.Text)
	if c.Std != "" {
		text += " ± " + c.Std
	}
	switch c.Mark {
	case layout.BestMark:
		text = "**" + text + "**"
	case layout.EqualMark:
		text += " ≈"
	}
	if c.Aside != "" {
		text += " <sub>" + c.Aside + "</sub>"
	}
	return text
}}

func (r *Report) LeftOutWords() string {
	if len(r.LeftOut) == 0 {
		return ""
	}
	return fmt.Sprintf("%s left out (`coordinator report DIR --figures %d` draws all).",
		prose.Plural(len(r.LeftOut), "figure"), len(r.Figures)+len(r.LeftOut))
}

var markdownReplacer = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `|`, `\|`, `<`, `&lt;`, `>`, `&gt;`,
	`[`, `\[`, `]`, `\]`, `#`, `\#`, "\n", " ", "\r", " ", "\t", " ",
)

// EscapeMarkdown escapes a text for Markdown, also in a table.
func EscapeMarkdown(text string) string { return markdownReplacer.Replace(Visible(text)) }
