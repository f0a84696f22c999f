package report

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/parquet"
)

// FormatOf is one way to write a T.
type FormatOf[T any] struct {
	Name   string // what --format takes
	Files  []FileOf[T]
	Tables TablesOf[T] // the zero value is none
}

// TablesOf are the files of a format with rows of the tables of results themselves.
type TablesOf[T any] struct {
	Names func() []string // of the files there can be, that of the cells last
	Write func(ctx context.Context, of *T, folder string, compression results.Compression) error
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
	{Name: "markdown", Files: []FormatFile{{Name: "report.md", Write: writeMarkdown}}},
	{Name: "csv", Files: csvFiles, Tables: TablesOf[Report]{csvNames, writeCells}},
	{Name: "latex", Files: []FormatFile{{Name: "tables.tex", Write: writeLaTeX}}},
	{Name: "html", Files: []FormatFile{{Name: "report.html", Write: writeHTML}}},
	{Name: "parquet", Tables: TablesOf[Report]{
		parquetNames,
		func(ctx context.Context, r *Report, folder string, compression results.Compression) error {
			return parquet.Write(ctx, r.Dir, folder, compression)
		},
	}},
}

// csvNames are the files of the kinds' own parts, and the cells.
func csvNames() []string {
	var names []string
	for _, kind := range experiment.Registrations() {
		if own := kind.Layout.Own; own != nil {
			names = append(names, own.Files...)
		}
	}
	return append(names, cellsCSV)
}

// parquetNames are the files of the kinds' tables.
func parquetNames() []string {
	var names []string
	for _, kind := range experiment.Registrations() {
		for _, table := range kind.Tables().Further {
			names = append(names, parquet.Name(table.Name))
		}
	}
	return append(names, parquet.Name("cells"))
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
