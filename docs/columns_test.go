package docs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/agepath/agepath/experiment"
)

// schemaColumns is a digest of the names and types of all columns of all kinds, by the schema
// version that has them.
var schemaColumns = map[int]string{10: "59ab384f50915530"}

// TestSchemaVersion wants the schema version to rise with every column that comes, goes or changes:
// readers refuse a folder of another version by a sentence, but trip over columns that differ.
func TestSchemaVersion(t *testing.T) {
	t.Parallel()
	sum := sha256.New()
	for _, kind := range experiment.Registrations() {
		tables := kind.Tables()
		for _, table := range append([]experiment.Table{tables.Cells()}, tables.Further...) {
			for _, column := range table.Columns {
				fmt.Fprintln(sum, kind.Name(), table.Name, column.Name, column.Type)
			}
		}
	}
	if is := hex.EncodeToString(sum.Sum(nil)[:8]); is != schemaColumns[experiment.SchemaVersion] {
		t.Errorf("the columns are not those of schema version %d: raise experiment.SchemaVersion, with the number in docs/results.md, and write {%d: %q} here",
			experiment.SchemaVersion, experiment.SchemaVersion+1, is)
	}
}
