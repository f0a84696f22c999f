package docs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/kinds"
	"github.com/agepath/agepath/results"
)

// schemaColumns is a digest of the names and types of all columns of the default kind, by the schema
// version that has them. Others have theirs in their testdata/kind.yaml.
var schemaColumns = map[int]string{10: "bf367e67e48d3b22", 11: ""}

// TestSchemaVersion wants the schema version to rise with every column that comes, goes or changes:
// readers refuse a folder of another version by a sentence, but trip over columns that differ.
func TestSchemaVersion(t *testing.T) {
	t.Parallel()
	files := map[string]*kinds.Kind{}
	for _, kind := range kinds.All(t, root) {
		files[kind.Name] = kind
	}
	for _, kind := range experiment.Registrations() {
		known, where := schemaColumns, "here"
		if own := files[kind.Name()]; own != nil {
			known, where = own.Columns, "into its testdata/kind.yaml"
		} else if !kind.Default {
			t.Errorf("the kind %s has no testdata/kind.yaml", kind.Name())
			continue
		}
		sum := sha256.New()
		tables := kind.Tables()
		for _, table := range append([]experiment.Table{tables.Cells()}, tables.Further...) {
			for _, column := range table.Columns {
				fmt.Fprintln(sum, table.Name, column.Name, column.Type)
			}
		}
		if is := hex.EncodeToString(sum.Sum(nil)[:8]); is != known[results.SchemaVersion] {
			t.Errorf("the columns of %s are not those of schema version %d: raise results.SchemaVersion, with the number in docs/results.md, and write {%d: %q} %s",
				kind.Name(), results.SchemaVersion, results.SchemaVersion+1, is, where)
		}
	}
}
