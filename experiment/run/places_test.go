package run

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/results"
)

// TestPlanOfFolderFiles has a folder with the copy of one of two files of commands: that one is read
// from there, and the other, which was too large for a copy, next to the grid.
func TestPlanOfFolderFiles(t *testing.T) {
	grid, plan, dir := commandPlan(t, map[string]string{"copied": zeros, "large": zeros})
	out := t.TempDir()
	if err := results.KeepFiles(t.Context(), out, map[string]string{"copied.sh": plan.Files["copied.sh"]}, plan.File); err != nil {
		t.Fatal(err)
	}
	m := &results.Manifest{Grid: string(grid.Source), File: grid.File, Places: placesOf(grid, plan)}
	again := func() (map[string]string, error) {
		_, p, err := planOfFolder(t.Context(), out, m, &dataset.Library{})
		if err != nil {
			return nil, err
		}
		return p.Files, nil
	}
	if err := os.WriteFile(filepath.Join(dir, "copied.sh"), []byte("exit 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := again()
	if err != nil {
		t.Fatal(err)
	}
	for name, digest := range plan.Files {
		if files[name] != digest {
			t.Errorf("%s has the digest %s, want %s", name, files[name], digest)
		}
	}
	if err := os.Remove(filepath.Join(dir, "large.sh")); err != nil {
		t.Fatal(err)
	}
	if _, err := again(); err == nil {
		t.Error("a file that is nowhere was found")
	}
}
