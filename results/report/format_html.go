package report

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/agepath/agepath/results/analysis"
)

// page holds the parts of the HTML report.
//
//go:embed page
var page embed.FS

// htmlPage is what page.html is filled with.
type htmlPage struct {
	Name     string
	CSS      template.CSS
	JS       template.JS
	Facts    []analysis.Fact
	Missing  []string
	Sections []htmlSection
	Figures  []htmlFigure
}

type htmlSection struct {
	ID, Title string
	Sheets    []htmlSheet
}

type htmlSheet struct {
	ID, Title, Caption, Best, Equal string
	Data                            template.JS // see page.js
}

type htmlFigure struct {
	Title, Note, Caption string
	Source               template.URL
}

// writeHTML writes the whole report as one file that needs no other: style,
// script, tables as JSON, figures as SVG.
func writeHTML(w io.Writer, r *Report) error {
	var parts [3]string
	for i, name := range []string{"page.html", "page.css", "page.js"} {
		text, err := page.ReadFile("page/" + name)
		if err != nil {
			return err
		}
		parts[i] = string(text)
	}
	tmpl, err := template.New("page").Parse(parts[0])
	if err != nil {
		return err
	}
	p := &htmlPage{
		Name: r.Name, CSS: template.CSS(parts[1]), JS: template.JS(parts[2]),
		Facts: append(append([]analysis.Fact(nil), r.Facts...), r.Statuses...), Missing: r.Missing,
	}
	for _, section := range r.sections() {
		of := htmlSection{ID: section.name, Title: section.title}
		for _, s := range section.sheets {
			of.Sheets = append(of.Sheets, htmlSheet{
				ID: section.name + "-" + s.name, Title: s.title, Caption: s.caption,
				Best: s.best, Equal: s.equal, Data: s.json(),
			})
		}
		p.Sections = append(p.Sections, of)
	}
	if err := p.addFigures(r); err != nil {
		return err
	}
	return tmpl.Execute(w, p)
}

func (p *htmlPage) addFigures(r *Report) error {
	for _, f := range r.Figures {
		svg, err := f.SVG()
		if err != nil {
			return err
		}
		p.Figures = append(p.Figures, htmlFigure{
			Title: f.Title, Note: f.Note, Caption: f.Caption,
			Source: template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)),
		})
	}
	return nil
}

// json returns the sheet as page.js reads it. It is safe in a script: no field
// can end it.
func (s *sheet) json() template.JS {
	var b bytes.Buffer
	b.WriteString(`{"columns":[`)
	for j, column := range s.columns {
		comma(&b, j)
		b.WriteByte('[')
		writeJSONText(&b, column.head)
		fmt.Fprintf(&b, ",%t,%t]", column.right, column.label)
	}
	b.WriteString("],\n\"rows\":[")
	for i, row := range s.rows {
		comma(&b, i)
		b.WriteString("\n[")
		for j, cell := range row {
			comma(&b, j)
			cell.writeJSON(&b)
		}
		b.WriteByte(']')
	}
	b.WriteString("]}")
	return template.JS(b.String())
}

func (c *sheetCell) writeJSON(b *bytes.Buffer) {
	if c.std == "" && c.note == "" && c.mark == unmarked {
		writeJSONText(b, c.text)
		return
	}
	b.WriteByte('[')
	for _, text := range []string{c.text, c.std, c.note} {
		writeJSONText(b, text)
		b.WriteByte(',')
	}
	fmt.Fprintf(b, "%d]", c.mark)
}

// writeJSONText writes a text as JSON, with <, > and & escaped.
func writeJSONText(b *bytes.Buffer, text string) {
	encoded, err := json.Marshal(text)
	if err != nil { // a string can always be encoded
		panic(err)
	}
	b.Write(encoded)
}

func comma(b *bytes.Buffer, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}
