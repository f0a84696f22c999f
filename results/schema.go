package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agepath/agepath/experiment"
)

// SchemaVersion is the version of the tables in DIR. It grows when columns
// change their meaning, name or type.
const SchemaVersion = 7

// laterColumns are the last columns of cells, which files of versions before lack: they
// are null there.
var laterColumns = []string{"short_of", "tables"}

// oldestVersion is the oldest schema version that is read, though not added to. Files of
// it lack addedColumns, which read as null.
const oldestVersion = 6

// addedColumns are the columns of cells that files of [SchemaVersion] have and those of
// oldestVersion lack.
var addedColumns = []string{
	"protocol", "split_train", "split_test", "split_validation", "scale_features", "scale_target", "intercept",
}

// mayLack reports whether files of a version need not have a column.
func mayLack(version, column string) bool {
	return slices.Contains(laterColumns, column) ||
		version == strconv.Itoa(oldestVersion) && slices.Contains(addedColumns, column)
}

// versionError returns a [*VersionError] for a schema version that is not read.
func versionError(version string) error {
	if n, err := strconv.Atoi(version); err != nil || n < oldestVersion || n > SchemaVersion {
		return &VersionError{version}
	}
	return nil
}

// VersionError says that tables are of a schema version that is not read, because their
// columns may mean something else under the same names, or that is read and not added to.
type VersionError struct {
	Have string // the version in decimal
}

func (e *VersionError) Error() string {
	if versionError(e.Have) == nil {
		return fmt.Sprintf("the tables are of schema version %s, which this agepath reads and does not add to: it writes version %d; run the grid into another folder, with --reuse of this one",
			e.Have, SchemaVersion)
	}
	return fmt.Sprintf("the tables are of schema version %s, and this agepath reads versions %d to %d; read them with the agepath that wrote them (%s names it), or run the grid again into another folder",
		e.Have, oldestVersion, SchemaVersion, ManifestName)
}

// Keys of the metadata of every Arrow schema that is written here.
const (
	MetadataVersion   = "agepath.schema_version" // SchemaVersion in decimal
	MetadataRun       = "agepath.run"            // the run that wrote the file; the column run of cells says which one computed a row
	MetadataTable     = "agepath.table"          // name of the table
	MetadataChecksums = "agepath.checksums"      // of files: crc32c
	MetadataTrimmed   = "agepath.trimmed"        // cells.arrow: "true" while further tables still have rows of cells that were set aside
	MetadataTables    = "agepath.tables"         // cells.arrow: names of the files written together with it, with commas
)

// columnTypes are the Arrow types of the column types. Text is plain utf8:
// not every reader takes dictionaries, and arrow-go leaks them.
var columnTypes = [...]arrow.DataType{
	experiment.Int:       arrow.PrimitiveTypes.Int64,
	experiment.Float:     arrow.PrimitiveTypes.Float64,
	experiment.Text:      arrow.BinaryTypes.String,
	experiment.Time:      &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	experiment.FloatList: arrow.ListOf(arrow.PrimitiveTypes.Float64),
}

// tableSchema returns the Arrow schema of a table. Every column is nullable:
// a null is a name that does not apply, and which those are is for the kind
// of experiment to say.
func tableSchema(table experiment.Table, run string) *arrow.Schema {
	fields := make([]arrow.Field, len(table.Columns))
	for j, column := range table.Columns {
		fields[j] = arrow.Field{Name: column.Name, Type: columnTypes[column.Type], Nullable: true}
	}
	metadata := arrow.NewMetadata(
		[]string{MetadataVersion, MetadataRun, MetadataTable},
		[]string{strconv.Itoa(SchemaVersion), run, table.Name})
	return arrow.NewSchema(fields, &metadata)
}

// withTables adds the names of the tables written together with cells.
func withTables(schema *arrow.Schema, tables []string) *arrow.Schema {
	return withMetadata(schema, MetadataTables, strings.Join(tables, ","))
}

// withChecksums says that the file has checksums.
func withChecksums(schema *arrow.Schema) *arrow.Schema {
	return withMetadata(schema, MetadataChecksums, "crc32c")
}

func withMetadata(schema *arrow.Schema, key, value string) *arrow.Schema {
	have := schema.Metadata()
	metadata := arrow.NewMetadata(append(have.Keys(), key), append(have.Values(), value))
	return arrow.NewSchema(schema.Fields(), &metadata)
}

// schemaColumns tells the columns of a table from its Arrow schema.
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
