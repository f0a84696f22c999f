package results

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/lists"
)

func parseVersion(text string) (int, error) {
	version, err := strconv.Atoi(text)
	if err != nil || version < experiment.OldestSchema || version > experiment.SchemaVersion {
		return 0, &VersionError{text}
	}
	return version, nil
}

// VersionError reports tables of a schema version that this agepath does not read.
type VersionError struct {
	Have string
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("the tables are of schema version %s, and this agepath reads versions %d to %d; read them with the agepath that wrote them (%s names it), or run the grid again into another folder",
		e.Have, experiment.OldestSchema, experiment.SchemaVersion, ManifestName)
}

// Keys of the metadata of every Arrow schema written here.
const (
	MetadataVersion   = "agepath.schema_version"
	MetadataRun       = "agepath.run" // the run that wrote the file; rows have theirs in the column run of cells
	MetadataTable     = "agepath.table"
	MetadataChecksums = "agepath.checksums" // of files: crc32c
	MetadataTrimmed   = "agepath.trimmed"   // of cells: "true" while further tables have rows of cells set aside
	MetadataTables    = "agepath.tables"    // of cells: tables written together with it, comma-separated
)

// columnTypes has plain utf8: not every reader supports dictionaries, and the library leaks them.
var columnTypes = [...]arrow.DataType{
	experiment.Int:       arrow.PrimitiveTypes.Int64,
	experiment.Float:     arrow.PrimitiveTypes.Float64,
	experiment.Text:      arrow.BinaryTypes.String,
	experiment.Time:      &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	experiment.FloatList: arrow.ListOf(arrow.PrimitiveTypes.Float64),
}

// tableSchema makes every column nullable: null means not applicable.
func tableSchema(table experiment.Table, run string) *arrow.Schema {
	fields := lists.Map(table.Columns, func(c experiment.Column) arrow.Field {
		return arrow.Field{Name: c.Name, Type: columnTypes[c.Type], Nullable: true}
	})
	metadata := arrow.NewMetadata(
		[]string{MetadataVersion, MetadataRun, MetadataTable},
		[]string{strconv.Itoa(experiment.SchemaVersion), run, table.Name})
	return arrow.NewSchema(fields, &metadata)
}

func withChecksums(schema *arrow.Schema) *arrow.Schema {
	return withMetadata(schema, MetadataChecksums, "crc32c")
}

func withMetadata(schema *arrow.Schema, key, value string) *arrow.Schema {
	have := schema.Metadata()
	metadata := arrow.NewMetadata(append(have.Keys(), key), append(have.Values(), value))
	return arrow.NewSchema(schema.Fields(), &metadata)
}

func schemaColumns(schema *arrow.Schema) ([]experiment.Column, error) {
	columns := make([]experiment.Column, schema.NumFields())
next:
	for j, field := range schema.Fields() {
		for t, known := range columnTypes {
			if arrow.TypeEqual(field.Type, known) {
				columns[j] = experiment.Column{Name: field.Name, Type: experiment.Type(t)}
				continue next
			}
		}
		return nil, fmt.Errorf("column %s has the Arrow type %s, which no table of agepath has", field.Name, field.Type)
	}
	return columns, nil
}

// CellsFile is the table of cells in DIR.
const CellsFile = "cells.arrow"
