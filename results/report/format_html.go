package report

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/agepath/agepath/results/figure"
)

// writeHTML writes the whole report as one self-contained file: style, script, tables as JSON,
// figures as SVG.
func writeHTML(w io.Writer, r *Report) error {
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"json": sheetJSON,
		"css": func() (template.CSS, error) {
			text, err := templates.ReadFile("templates/page.css")
			return template.CSS(text), err
		},
		"js": func() (template.JS, error) {
			text, err := templates.ReadFile("templates/page.js")
			return template.JS(text), err
		},
		"svg": func(f *figure.Figure) (template.URL, error) {
			svg, err := f.SVG()
			return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)), err
		},
	}).ParseFS(templates, "templates/page.html")
	if err != nil {
		return err
	}
	return t.Execute(w, r)
}

// sheetJSON returns a sheet in the format of page.js. It is safe in a script: no field can close
// the script element.
func sheetJSON(s *sheet) (template.JS, error) {
	columns := make([][]any, len(s.Columns))
	for j, column := range s.Columns {
		columns[j] = []any{column.Head, column.Right, column.Label, column.Aside}
	}
	head, err := json.Marshal(columns)
	if err != nil {
		return "", err
	}
	rows := make([]string, len(s.Rows))
	for i, row := range s.Rows {
		line, err := json.Marshal(row)
		if err != nil {
			return "", err
		}
		rows[i] = "\n" + string(line)
	}
	return template.JS(fmt.Sprintf("{\"columns\":%s,\n\"rows\":[%s]}", head, strings.Join(rows, ","))), nil
}
