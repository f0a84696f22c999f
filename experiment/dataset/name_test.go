package dataset

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDatasetName wants the name of a source to be that of what it loads.
func TestDatasetName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "Own.v2.CSV")
	if err := os.WriteFile(path, []byte("1,2\n3,5\n4,4\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		source Source
		want   string
	}{
		{Source{Name: "diabetes"}, "diabetes"},
		{Source{Name: "Diabetes"}, "diabetes"},
		{Source{Path: path}, "Own.v2"},
		{Source{Path: path, Name: "mine"}, "mine"},
		{Source{Path: path, Name: "DIGITS"}, "DIGITS"},
	} {
		d, err := (&Library{}).Load(t.Context(), c.source)
		if err != nil {
			t.Fatal(err)
		}
		if have := c.source.DatasetName(); have != c.want || d.Name != c.want {
			t.Errorf("%+v is called %q and loads as %q, want %q", c.source, have, d.Name, c.want)
		}
	}
}
