package report

import (
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"
	"unicode"

	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/parquet"
	"github.com/agepath/agepath/results/prose"
)

// Format is a format of reports.
type Format struct {
	Name  string // value of --format
	Files []FormatFile
	// Tables writes the format's files with the tables of results and returns their names. It may be nil.
	Tables func(ctx context.Context, r *Report, folder string, compression results.Compression) ([]string, error)
}

// FormatFile is a file of a format.
type FormatFile struct {
	Name  string
	Write func(w io.Writer, r *Report) error
	// Empty files are not written, and earlier ones removed. nil means never.
	Empty func(r *Report) bool
}

// Formats lists the formats, the default first.
var Formats = []Format{
	{Name: "markdown", Files: []FormatFile{{Name: "report.md", Write: writeMarkdown}}},
	{Name: "csv", Files: csvFiles, Tables: writeCells},
	{Name: "latex", Files: []FormatFile{{Name: "tables.tex", Write: writeLaTeX}}},
	{Name: "html", Files: []FormatFile{{Name: "report.html", Write: writeHTML}}},
	{Name: "parquet", Tables: func(ctx context.Context, r *Report, folder string, compression results.Compression) ([]string, error) {
		return parquet.Write(ctx, r.Dir, folder, compression)
	}},
}

// FormatNames are the names of formats.
func FormatNames(formats []Format) []string {
	return lists.Map(formats, func(f Format) string { return f.Name })
}

// FormatNamed returns a format, or an error that lists the names.
func FormatNamed(name string) (Format, error) {
	names := FormatNames(Formats)
	if i := slices.Index(names, name); i >= 0 {
		return Formats[i], nil
	}
	return Format{}, fmt.Errorf("there is no report format %q; there are %s", name, strings.Join(names, ", "))
}

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
