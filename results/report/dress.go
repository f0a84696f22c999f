package report

import (
	"embed"
	"io"
	"strings"
	"text/template"
	"unicode"
)

// templates are the formats' files, with the parts of the HTML report.
//
//go:embed templates
var templates embed.FS

type dress struct {
	escape func(string) string
	mean   func(sheetCell) string // with deviation and mark
}

func (d dress) cell(c sheetCell) string {
	if c.Text == "" {
		return d.escape(c.Note)
	}
	if c.Note == "" {
		return d.mean(c)
	}
	return d.mean(c) + " (" + d.escape(c.Note) + ")"
}

// Visible replaces control characters, which act on a terminal or reorder letters: texts of
// commands and of data can contain them.
func Visible(text string) string {
	return strings.Map(func(c rune) rune {
		if c != '\n' && c != '\r' && c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)) {
			return '\uFFFD'
		}
		return c
	}, text)
}

func (d dress) write(w io.Writer, r *Report, name, left, right string, funcs template.FuncMap) error {
	t, err := template.New(name+".tmpl").Delims(left, right).Funcs(template.FuncMap{"escape": d.escape, "cell": d.cell}).Funcs(funcs).
		ParseFS(templates, "templates/"+name+".tmpl")
	if err != nil {
		return err
	}
	return t.Execute(w, r)
}
