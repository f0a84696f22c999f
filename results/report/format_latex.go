package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/agepath/agepath/results/internal/prose"
)

// longTable is the number of rows from which a table breaks over pages.
const longTable = 40

// writeLaTeX writes every table for \input into a document that loads
// booktabs, longtable, pdflscape and (without LuaTeX or XeTeX) UTF-8 input.
func writeLaTeX(w io.Writer, r *Report) error {
	var b strings.Builder
	b.WriteString("% Needs \\usepackage{booktabs}, \\usepackage{longtable} and \\usepackage{pdflscape}.\n")
	for _, section := range r.sections() {
		for _, s := range section.sheets {
			writeLaTeXSheet(&b, s, fmt.Sprintf("tab:%s-%s-%s", prose.Slug(r.Name), section.name, s.name))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeLaTeXSheet(b *strings.Builder, s *sheet, label string) {
	spec := ""
	heads := make([]string, len(s.columns))
	for j, column := range s.columns {
		switch {
		case column.wrap:
			spec += fmt.Sprintf(`p{%gpt}`, latexWrapped)
		case column.right:
			spec += "r"
		default:
			spec += "l"
		}
		heads[j] = escapeLaTeX(column.head)
	}
	caption := fmt.Sprintf("\\caption{%s. %s%s}\\label{%s}",
		escapeLaTeX(s.title), escapeLaTeX(s.caption), escapeLaTeX(s.legend("Bold: ", "≈: ")), label)
	head := latexLine(heads)
	body := &strings.Builder{}
	for _, row := range s.rows {
		cells := make([]string, len(row))
		for j, cell := range row {
			cells[j] = latexCell(cell)
		}
		body.WriteString(latexLine(cells))
	}
	layout := layoutOf(s)
	begin, end := "", ""
	if layout.turned {
		begin, end = "\\begin{landscape}\n", "\\end{landscape}\n"
	}
	if len(s.rows) > longTable {
		fmt.Fprintf(b, "\n%s{%s\\setlength{\\LTcapwidth}{\\linewidth}%%\n\\begin{longtable}{%s}\n%s\\\\\n\\toprule\n%s\\midrule\n\\endfirsthead\n"+
			"\\toprule\n%s\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n%s\\end{longtable}}\n%s",
			begin, layout.size, spec, caption, head, head, body, end)
		return
	}
	fmt.Fprintf(b, "\n%s\\begin{table}\n\\centering%s\\setlength{\\belowcaptionskip}{4pt}\n%s\n\\begin{tabular}{%s}\n\\toprule\n%s\\midrule\n%s"+
		"\\bottomrule\n\\end{tabular}\n\\end{table}\n%s", begin, layout.size, caption, spec, head, body, end)
}

// latexLayout is how a table is set so that it is not wider than the page.
type latexLayout struct {
	size   string  // of the letters and the space between columns
	letter float64 // width of a letter, points
	space  float64 // between two columns, points
	turned bool
}

// latexLayouts in the order of preference.
var latexLayouts = []latexLayout{
	{"", 5.4, 12, false},
	{`\small\setlength{\tabcolsep}{5pt}`, 4.9, 10, false},
	{`\footnotesize\setlength{\tabcolsep}{4pt}`, 4.4, 8, false},
	{`\footnotesize\setlength{\tabcolsep}{4pt}`, 4.4, 8, true},
	{`\scriptsize\setlength{\tabcolsep}{3pt}`, 3.9, 6, true},
	{`\tiny\setlength{\tabcolsep}{2pt}`, 2.9, 4, true},
}

// Widths that tables may have, in points: the text of the class article, and
// that of a page on its side.
const latexWidth, latexTurnedWidth = 390.0, 598.0

// latexWrapped is the width of a column whose text is broken into lines, in points.
const latexWrapped = 150.0

// layoutOf picks the first layout in which a table fits, the last one where it
// fits in none.
func layoutOf(s *sheet) latexLayout {
	letters, wrapped := 0, 0
	for j, column := range s.columns {
		if column.wrap {
			wrapped++
			continue
		}
		widest := utf8.RuneCountInString(column.head)
		for _, row := range s.rows {
			c := &row[j]
			n := utf8.RuneCountInString(c.text) + utf8.RuneCountInString(c.note)
			if c.std != "" {
				n += 3 + len(c.std)
			}
			widest = max(widest, n)
		}
		letters += widest
	}
	for _, layout := range latexLayouts {
		limit := latexWidth
		if layout.turned {
			limit = latexTurnedWidth
		}
		if float64(letters)*layout.letter+float64(wrapped)*latexWrapped+float64(len(s.columns))*layout.space <= limit {
			return layout
		}
	}
	return latexLayouts[len(latexLayouts)-1]
}

func latexLine(cells []string) string { return strings.Join(cells, " & ") + " \\\\\n" }

func latexCell(c sheetCell) string {
	switch {
	case c.text == "":
		return escapeLaTeX(c.note)
	case c.std == "" && c.mark == unmarked:
		return strings.TrimSpace(escapeLaTeX(c.text) + latexNote(c))
	}
	text := c.text
	if c.mark == bestMark {
		text = `\mathbf{` + text + `}`
	}
	if c.std != "" {
		text += ` \pm ` + c.std
	}
	if c.mark == equalMark {
		text += `^{\approx}`
	}
	return "$" + text + "$" + latexNote(c)
}

func latexNote(c sheetCell) string {
	if c.note == "" {
		return ""
	}
	return " (" + escapeLaTeX(c.note) + ")"
}

// latexReplacer escapes what LaTeX reads as a command and spells the signs
// that not every font has.
var latexReplacer = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`,
	`&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`,
	`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	`<`, `\textless{}`, `>`, `\textgreater{}`, `"`, `''`, `|`, `\textbar{}`,
	`[`, `{[}`, `*`, `{*}`, // would be arguments of the \\ before them
	`−`, `$-$`, `α`, `$\alpha$`, `γ`, `$\gamma$`, `λ`, `$\lambda$`, `±`, `$\pm$`,
	`χ`, `$\chi$`, `²`, `$^2$`, `√`, `$\surd$`, `∞`, `$\infty$`, `≈`, `$\approx$`,
	"\n", " ", "\r", " ", "\t", " ",
)

// latexMinus is a hyphen that stands for a minus sign: before a number, or
// between spaces.
var latexMinus = regexp.MustCompile(`(^|[ (\[])-(\d| [\pL\d])`)

func escapeLaTeX(text string) string {
	return latexReplacer.Replace(latexMinus.ReplaceAllString(text, "${1}\u2212$2"))
}
