package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results/figure"
)

// writeHTML writes one self-contained file: style, script, tables as JSON, figures as SVG.
func writeHTML(w io.Writer, r *Report) error {
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"json":      sheetJSON,
		"downloads": downloads,
		"lead":      r.Lead,
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

// mostLinked is the size, in bytes, of the largest file in a link: Chromium takes addresses of up
// to 2 MiB, and base64 adds a third.
const mostLinked = 1 << 20

type download struct {
	Name string
	URL  template.URL // "" if larger than mostLinked
}

// downloads embeds the files of the format csv: from a page that is a file (file://) browsers
// follow links to other files without saving them, and those are missing if the page was sent
// alone.
func downloads(r *Report) (list []download, err error) {
	files := slices.Clone(csvFiles)
	if r.Own != nil {
		for i := range r.Own.Files {
			if r.Own.Files[i].Linked {
				files = append(files, ownFile(&r.Own.Files[i]))
			}
		}
	}
	for _, file := range files {
		if file.Empty != nil && file.Empty(r) {
			continue
		}
		var text bytes.Buffer
		if err := file.Write(&text, r); err != nil {
			return nil, err
		}
		list = append(list, linked(file.Name, text.Bytes()))
	}
	return list, nil
}

func linked(name string, text []byte) download {
	d := download{Name: name}
	if len(text) <= mostLinked {
		d.URL = template.URL("data:text/csv;base64," + base64.StdEncoding.EncodeToString(text))
	}
	return d
}

// sheetJSON is safe in a script: no field can close the script element.
func sheetJSON(s *sheet) (template.JS, error) {
	head, err := json.Marshal(lists.Map(s.Columns, func(c sheetColumn) []any { return []any{c.Head, c.Right, c.Label, c.Aside} }))
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
