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

// Format is a format of reports.
type Format struct {
	Name   string // value of --format
	Files  []FormatFile
	Tables FormatTables // may be zero
}

// FormatTables are a format's files with the tables of results.
type FormatTables struct {
	Names func() []string // the cells last
	Write func(ctx context.Context, r *Report, folder string, compression results.Compression) error
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
	{Name: "csv", Files: csvFiles, Tables: FormatTables{csvNames, writeCells}},
	{Name: "latex", Files: []FormatFile{{Name: "tables.tex", Write: writeLaTeX}}},
	{Name: "html", Files: []FormatFile{{Name: "report.html", Write: writeHTML}}},
	{Name: "parquet", Tables: FormatTables{
		parquetNames,
		func(ctx context.Context, r *Report, folder string, compression results.Compression) error {
			return parquet.Write(ctx, r.Dir, folder, compression)
		},
	}},
}

func csvNames() []string {
	var names []string
	for _, kind := range experiment.Registrations() {
		if own := kind.Layout.Own; own != nil {
			names = append(names, own.Files...)
		}
	}
	return append(names, cellsCSV)
}

func parquetNames() []string {
	var names []string
	for _, kind := range experiment.Registrations() {
		for _, table := range kind.Tables().Further {
			names = append(names, parquet.Name(table.Name))
		}
	}
	return append(names, parquet.Name("cells"))
}

// FormatNamed returns a format, or an error that lists the names.
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
