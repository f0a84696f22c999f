package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// longTable is the most rows on one page.
const longTable = 40

// writeLaTeX writes tables for \input into a document that loads booktabs, longtable, pdflscape and
// (without LuaTeX or XeTeX) UTF-8 input.
func writeLaTeX(w io.Writer, r *Report) error {
	return latex.write(w, r, "tables.tex", "<<", ">>", template.FuncMap{
		"slug":   func(text string) string { return prose.Slug(text) },
		"layout": layoutOf,
		"long":   func(s *sheet) bool { return len(s.Rows) > longTable },
		"spec":   latexSpec,
	})
}

func latexSpec(s *sheet) string {
	var spec strings.Builder
	for _, column := range s.Columns {
		switch {
		case column.Wrap:
			fmt.Fprintf(&spec, `p{%gpt}`, latexWrapped)
		case column.Right:
			spec.WriteString("r")
		default:
			spec.WriteString("l")
		}
	}
	return spec.String()
}

type latexLayout struct {
	Size   string
	letter float64 // width, points
	space  float64 // between columns
	Turned bool
}

var latexLayouts = []latexLayout{
	{"", 5.4, 12, false},
	{`\small\setlength{\tabcolsep}{5pt}`, 4.9, 10, false},
	{`\footnotesize\setlength{\tabcolsep}{4pt}`, 4.4, 8, false},
	{`\footnotesize\setlength{\tabcolsep}{4pt}`, 4.4, 8, true},
	{`\scriptsize\setlength{\tabcolsep}{3pt}`, 3.9, 6, true},
	{`\tiny\setlength{\tabcolsep}{2pt}`, 2.9, 4, true},
}

// Widths in points of the class article's text and of a turned page.
const latexWidth, latexTurnedWidth = 390.0, 598.0

// latexWrapped is the width of a column with line breaks, in points.
const latexWrapped = 150.0

// layoutOf returns the first layout that fits, or the last.
func layoutOf(s *sheet) latexLayout {
	letters, wrapped := 0, 0
	for j, column := range s.Columns {
		if column.Wrap {
			wrapped++
			continue
		}
		widest := utf8.RuneCountInString(column.Head)
		for _, row := range s.Rows {
			c := &row[j]
			n := utf8.RuneCountInString(c.Text) + utf8.RuneCountInString(c.Note)
			if c.Std != "" {
				n += 3 + len(c.Std)
			}
			n += len(c.Aside)
			widest = max(widest, n)
		}
		letters += widest
	}
	for _, layout := range latexLayouts {
		limit := latexWidth
		if layout.Turned {
			limit = latexTurnedWidth
		}
		if float64(letters)*layout.letter+float64(wrapped)*latexWrapped+float64(len(s.Columns))*layout.space <= limit {
			return layout
		}
	}
	return latexLayouts[len(latexLayouts)-1]
}

var latex = dress{escapeLaTeX, func(c sheetCell) string {
	if c.Std == "" && c.Mark == layout.Unmarked && c.Aside == "" {
		return strings.TrimSpace(escapeLaTeX(c.Text))
	}
	text := c.Text
	if c.Mark == layout.BestMark {
		text = `\mathbf{` + text + `}`
	}
	if c.Std != "" {
		text += ` \pm ` + c.Std
	}
	if c.Mark == layout.EqualMark {
		text += `^{\approx}`
	}
	text = "$" + text + "$"
	if c.Aside != "" {
		text += ` {\scriptsize ` + c.Aside + `}`
	}
	return text
}}

// latexReplacer also spells symbols that some fonts lack.
var latexReplacer = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`,
	`&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`,
	`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	`<`, `\textless{}`, `>`, `\textgreater{}`, `"`, `''`, `|`, `\textbar{}`,
	`[`, `{[}`, `*`, `{*}`, // otherwise arguments of a preceding \\
	`−`, `$-$`, `α`, `$\alpha$`, `γ`, `$\gamma$`, `λ`, `$\lambda$`, `±`, `$\pm$`,
	`χ`, `$\chi$`, `²`, `$^2$`, `√`, `$\surd$`, `∞`, `$\infty$`, `≈`, `$\approx$`,
	"\n", " ", "\r", " ", "\t", " ",
)

// latexMinus matches a hyphen before a number, or between spaces.
var latexMinus = regexp.MustCompile(`(^|[ (\[])-(\d| [\pL\d])`)

func escapeLaTeX(text string) string {
	return latexReplacer.Replace(latexMinus.ReplaceAllString(Visible(text), "${1}\u2212$2"))
}
