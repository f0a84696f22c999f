// Package kinds has what tests of the whole program need to know of a kind of experiment.
package kinds

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Kind is the file testdata/kind.yaml of the package of a kind.
type Kind struct {
	Name    string
	Columns map[int]string // digest of the columns of its tables by schema version
	Long    Grid           // takes some seconds
	Shared  Grid           // that two workers compute
	Small   string         // takes a moment
	Remote  string         // a grid with a file, which travels to workers
	Sweep   string         // a few cells of every method and model
	Measure string         // that replay prints
	Parts   []string       // files that replay writes

	// A file beside the grids.
	File struct{ Name, Text string }
	// Of the small grid: overrides, and what the report then has.
	Reports []struct{ Set, Wants []string }
	// What the fault campaigns compute, if anything: a grid with a place for its repeats.
	Campaign struct {
		Grid    string
		Repeats int
		Cells   int // of a repeat
		Tables  []string
	}
}

// Grid is a grid with overrides, and the number of its cells.
type Grid struct {
	Grid  string
	Set   []string
	Cells string
}

// All reads the files of all kinds that have one.
func All(t testing.TB, root string) (all []*Kind) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "*", "*", "testdata", "kind.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		kind := new(Kind)
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		decoder.KnownFields(true)
		if err := decoder.Decode(kind); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, kind)
	}
	return all
}
