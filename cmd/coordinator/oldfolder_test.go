package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/command"
)

// oldFolder is a folder of an earlier version: what is asked of it, and how many of the cells asked for
// have to be computed, since their numbers have changed since.
type oldFolder struct {
	set             string // of cells that the folder has
	reused, resumed string // with as many repeats, with three
}

// oldFolders has the folders whose cells have changed since; of others all cells are taken.
var oldFolders = map[string]oldFolder{
	// Another default choice, and other numbers of all methods.
	"schema-10": {"methods=[original]", " 8 of 8 cells computed", " 12 of 12 cells computed"},
	"schema-11": {"methods=[original]", " 8 of 8 cells computed", " 12 of 12 cells computed"},
	"schema-12": {"methods=[original]", " 8 of 8 cells computed", " 12 of 12 cells computed"},
	// Of e3a314eb, without a choice: other numbers of the constant alone.
	"schema-10-paper": {"methods=[robust-svm]", " 4 of 12 cells computed", " 10 of 18 cells computed"},
}

// TestOldFolders wants the folders of all released schema versions to be reported, verified,
// compared, continued and reused. testdata/folders/schema-N is a folder as an agepath of schema
// version N left it, with its grid.
func TestOldFolders(t *testing.T) {
	t.Parallel()
	for version := experiment.OldestSchema; version <= experiment.SchemaVersion; version++ {
		if folder := fmt.Sprintf("testdata/folders/schema-%d", version); version < experiment.SchemaVersion {
			if _, err := os.Stat(folder); err != nil {
				t.Errorf("copy the folder of a run of schema-%d/grid.yaml there with the agepath before this column: %v", experiment.OldestSchema, err)
			}
		}
	}
	folders, err := filepath.Glob("testdata/folders/schema-*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		name := filepath.Base(folder)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "old")
			if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
				t.Fatal(err)
			}
			want, changed := oldFolders[name]
			if !changed {
				want = oldFolder{"methods=[original]", "0 cells to compute, 8 taken", " 4 of 12 cells computed"}
			}
			grid := filepath.Join(dir, "grid.yaml")
			for _, args := range [][]string{{"report", dir, "--figures", "0"}, {"verify", dir}, {"compare", dir, dir}} {
				if o := do(t, args...); o.code != command.ExitDone {
					t.Errorf("%s: exit status %d\n%s%s", args[0], o.code, o.out, o.err)
				}
			}
			// Cells without the unit of the target are shown scaled.
			if o := must(t, "report", dir, "--figures", "0"); strings.Contains(o.out, "Test RMSE of the scaled target (lower") != (name == "schema-10" || name == "schema-11") {
				t.Errorf("the unit is not stated:\n%s", o.out)
			}
			args := []string{"--set", want.set, "--figures", "0", "--workers", "1"}
			other := filepath.Join(t.TempDir(), "other")
			if o := must(t, append([]string{"run", grid, "--out", other, "--reuse", dir}, args...)...); !strings.Contains(o.out, want.reused) {
				t.Errorf("want%s, with cells of %s\n%s", want.reused, dir, o.out)
			}
			if o := must(t, append([]string{"run", grid, "--out", dir, "--no-reuse", "--set", "repeats=3"}, args...)...); !strings.Contains(o.out, want.resumed) {
				t.Errorf("want%s in %s\n%s", want.resumed, dir, o.out)
			}
			if o := must(t, "compare", folder, dir, "--json"); strings.Contains(o.out, `"farthest"`) {
				t.Errorf("cells of the same identity have other numbers:\n%s", o.out)
			}
			if !strings.HasSuffix(name, "-paper") {
				must(t, "run", grid, "--out", dir, "--workers", "1", "--no-reuse", "--figures", "0", "--set", "methods=[original, acs]")
			}
			must(t, "verify", dir)
			must(t, "compare", dir, other)
		})
	}
}
