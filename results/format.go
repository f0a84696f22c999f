package results

import (
	"fmt"
	"io"
	"strings"
)

// Format is one way to write a report to a file.
type Format struct {
	Name  string // what --format takes
	File  string // in the report's folder
	Write func(w io.Writer, r *Report) error
}

// Formats lists every format there is, the default first.
var Formats = []Format{
	{"markdown", "report.md", writeMarkdown},
	{"csv", "tables.csv", writeCSV},
	{"latex", "tables.tex", writeLaTeX},
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
