package results

import (
	"fmt"
	"io"
	"strings"
)

// longTable is the number of rows from which a table breaks over pages.
const longTable = 40

// writeLaTeX writes every table for \input into a document that loads
// booktabs, longtable and (without LuaTeX or XeTeX) UTF-8 input.
func writeLaTeX(w io.Writer, r *Report) error {
	var b strings.Builder
	b.WriteString("% Needs \\usepackage{booktabs} and \\usepackage{longtable}.\n")
	for i, table := range r.Tables {
		for _, score := range Scores {
			s := newSheet(table, score)
			label := fmt.Sprintf("tab:%s-%s-%d", slug(r.Name), score, i+1)
			writeLaTeXSheet(&b, s, label)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeLaTeXSheet(b *strings.Builder, s *sheet, label string) {
	spec := ""
	for _, numeric := range s.numeric {
		spec += map[bool]string{false: "l", true: "r"}[numeric]
	}
	spec += strings.Repeat("l", len(s.methods)) + "rr"
	caption := fmt.Sprintf("\\caption{%s. %s%s}\\label{%s}",
		escapeLaTeX(s.title), escapeLaTeX(s.caption), s.legend("Best mean in bold."), label)
	head := latexLine(append(escapeAll(s.labels), append(escapeAll(s.methods), "repeats", "failed")...))
	body := &strings.Builder{}
	for _, row := range s.rows {
		cells := escapeAll(row.labels)
		for _, entry := range row.entries {
			cells = append(cells, latexEntry(entry))
		}
		body.WriteString(latexLine(append(cells, fmt.Sprint(row.repeats), fmt.Sprint(row.failed))))
	}
	if len(s.rows) > longTable {
		fmt.Fprintf(b, "\n\\begin{longtable}{%s}\n%s\\\\\n\\toprule\n%s\\midrule\n\\endfirsthead\n"+
			"\\toprule\n%s\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n%s\\end{longtable}\n",
			spec, caption, head, head, body)
		return
	}
	fmt.Fprintf(b, "\n\\begin{table}\n\\centering\n%s\n\\begin{tabular}{%s}\n\\toprule\n%s\\midrule\n%s"+
		"\\bottomrule\n\\end{tabular}\n\\end{table}\n", caption, spec, head, body)
}

func latexLine(cells []string) string { return strings.Join(cells, " & ") + " \\\\\n" }

func latexEntry(e sheetEntry) string {
	if e.mean == "" {
		return escapeLaTeX(e.note)
	}
	text := e.mean
	if e.best {
		text = `\mathbf{` + text + `}`
	}
	if e.std != "" {
		text += ` \pm ` + e.std
	}
	text = "$" + text + "$"
	if e.note != "" {
		text += " (" + escapeLaTeX(e.note) + ")"
	}
	return text
}

// latexReplacer escapes what LaTeX reads as a command and spells the signs
// that not every font has.
var latexReplacer = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`,
	`&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`,
	`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	`<`, `\textless{}`, `>`, `\textgreater{}`, `"`, `''`, `|`, `\textbar{}`,
	`[`, `{[}`, `*`, `{*}`, // would be arguments of the \\ before them
	`α`, `$\alpha$`, `γ`, `$\gamma$`, `λ`, `$\lambda$`, `±`, `$\pm$`,
	"\n", " ", "\r", " ", "\t", " ",
)

func escapeLaTeX(text string) string { return latexReplacer.Replace(text) }

func escapeAll(texts []string) []string {
	escaped := make([]string, len(texts))
	for i, text := range texts {
		escaped[i] = escapeLaTeX(text)
	}
	return escaped
}
