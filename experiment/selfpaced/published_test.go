package selfpaced

import (
	"slices"
	"testing"
)

func TestBesidePublished(t *testing.T) {
	t.Parallel()
	for protocol, want := range map[string]struct{ words, otherwise int }{"paper": {0, 0}, "scripts": {1, 2}, "held-out": {1, 0}} {
		words, otherwise := sectionOf(mustParse(t, leastKeys+"protocol: "+protocol+"\n")).BesidePublished()
		if len(words) != want.words || len(otherwise) != want.otherwise {
			t.Errorf("protocol %s: %q, %q", protocol, words, otherwise)
		}
	}
}

// TestPublishedTables wants each row to have a word for each column, and the dimensions that are
// said to be stated.
func TestPublishedTables(t *testing.T) {
	t.Parallel()
	tables, err := Layout.Published()
	if err != nil || len(tables) != 14 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	for _, table := range tables {
		for _, row := range table.Rows {
			if len(row.Words) != len(table.Columns) || row.Setting[DimRegularizer].IsNull() || slices.Contains(row.Words[:2], "") {
				t.Errorf("%s: %+v", table.Name, row)
			}
		}
	}
}
