package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/command"
)

// TestOldFolders wants the folders of all released schema versions to be reported, verified,
// compared, continued and reused. testdata/folders/schema-N is a folder as an agepath of schema
// version N left it, with its grid.
func TestOldFolders(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("testdata/folders/schema-*")
	if err != nil || len(folders) <= experiment.SchemaVersion-experiment.OldestSchema-1 {
		t.Fatalf("folders %v, %v; each schema version before the present one needs one", folders, err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "old")
			if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
				t.Fatal(err)
			}
			grid := filepath.Join(dir, "grid.yaml")
			for _, args := range [][]string{{"report", dir, "--figures", "0"}, {"verify", dir}, {"compare", dir, dir}} {
				if o := do(t, args...); o.code != command.ExitDone {
					t.Errorf("%s: exit status %d\n%s%s", args[0], o.code, o.out, o.err)
				}
			}
			// The constant's cells, at least, have kept their version.
			count := func(o outcome, pattern string) int {
				n := -1
				if found := regexp.MustCompile(pattern).FindStringSubmatch(o.out); found != nil {
					n, _ = strconv.Atoi(found[1])
				}
				return n
			}
			original := []string{"--set", "methods=[original]", "--figures", "0", "--workers", "1"}
			other := filepath.Join(t.TempDir(), "other")
			o := must(t, append([]string{"run", grid, "--out", other, "--reuse", dir}, original...)...)
			if n := count(o, `(\d+) taken from other runs`); n < 4 {
				t.Errorf("%d cells reused, want the constant's 4 at least\n%s", n, o.out)
			}
			o = must(t, append([]string{"run", grid, "--out", dir, "--no-reuse", "--set", "repeats=3"}, original...)...)
			if n := count(o, `(\d+) of 12 cells computed`); n < 4 || n > 8 {
				t.Errorf("%d cells computed, want 8 at most\n%s", n, o.out)
			}
			must(t, "run", grid, "--out", dir, "--workers", "1", "--no-reuse", "--figures", "0", "--set", "methods=[original, acs]")
			must(t, "verify", dir)
			must(t, "compare", dir, other)
		})
	}
}
