package report

import (
	"fmt"
	"io"
	"strings"
)

// FormatOf is one way to write a T.
type FormatOf[T any] struct {
	Name  string // what --format takes
	Files []FileOf[T]
}

// FileOf is a file of a format.
type FileOf[T any] struct {
	Name  string // in its folder
	Write func(w io.Writer, of *T) error
	// Empty reports whether there is nothing to write: an earlier file is removed
	// then. nil means never.
	Empty func(of *T) bool
}

type (
	// Format is one way to write a report.
	Format = FormatOf[Report]
	// FormatFile is a file of a format of reports.
	FormatFile = FileOf[Report]
)

// Formats lists every format of reports there is, the default first.
var Formats = []Format{
	{"markdown", []FormatFile{{Name: "report.md", Write: writeMarkdown}}},
	{"csv", csvFiles},
	{"latex", []FormatFile{{Name: "tables.tex", Write: writeLaTeX}}},
	{"html", []FormatFile{{Name: "report.html", Write: writeHTML}}},
}

// FormatNamed returns the format of reports of the given name, or an error that
// lists the names.
func FormatNamed(name string) (Format, error) { return formatNamed(Formats, name) }

func formatNamed[T any](formats []FormatOf[T], name string) (FormatOf[T], error) {
	names := make([]string, len(formats))
	for i, f := range formats {
		if f.Name == name {
			return f, nil
		}
		names[i] = f.Name
	}
	return FormatOf[T]{}, fmt.Errorf("there is no report format %q; there are %s", name, strings.Join(names, ", "))
}
