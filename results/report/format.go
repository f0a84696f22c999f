package report

import (
	"fmt"
	"io"
	"strings"
)

// Format is one way to write a report.
type Format struct {
	Name  string // what --format takes
	Files []FormatFile
}

// FormatFile is a file of a format.
type FormatFile struct {
	Name  string // in the report's folder
	Write func(w io.Writer, r *Report) error
	// Empty reports whether there is nothing to write: the file of an earlier
	// report is removed then. nil means never.
	Empty func(r *Report) bool
}

// Formats lists every format there is, the default first.
var Formats = []Format{
	{"markdown", []FormatFile{{Name: "report.md", Write: writeMarkdown}}},
	{"csv", csvFiles},
	{"latex", []FormatFile{{Name: "tables.tex", Write: writeLaTeX}}},
	{"html", []FormatFile{{Name: "report.html", Write: writeHTML}}},
}

// FormatNamed returns the format of the given name, or an error that lists
// the names.
func FormatNamed(name string) (Format, error) {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		if f.Name == name {
			return f, nil
		}
		names[i] = f.Name
	}
	return Format{}, fmt.Errorf("there is no report format %q; there are %s", name, strings.Join(names, ", "))
}
