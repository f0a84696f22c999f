package docs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/kinds"
)

// schemaColumns is a digest of the names and types of all columns of the default kind, by the schema
// version that has them. Others have theirs in their testdata/kind.yaml.
var schemaColumns = map[int]string{10: "bf367e67e48d3b22", 11: "87e0d6c9a244e1f3", 12: "007ca82a7c22653f", 13: "29396c2f9f025304"}

// TestSchemaVersion wants the schema version to rise with every column that comes, and the columns of
// earlier versions to stay: folders of theirs are read by them.
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
		want := ""
		for version := experiment.OldestSchema; version <= experiment.SchemaVersion; version++ {
			if digest, changed := known[version]; changed {
				want = digest
			}
			if is := columnsDigest(kind.Tables(), version); is != want {
				t.Errorf("the columns of %s are not those of schema version %d: a new column has as Since a new experiment.SchemaVersion, which no release has yet; then write {%[2]d: %[3]q} %[4]s",
					kind.Name(), version, is, where)
			}
		}
	}
}

func columnsDigest(tables experiment.Tables, version int) string {
	sum := sha256.New()
	for _, table := range append([]experiment.Table{tables.Cells()}, tables.Further...) {
		for _, column := range table.Columns {
			if column.Since <= version {
				fmt.Fprintln(sum, table.Name, column.Name, column.Type)
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
