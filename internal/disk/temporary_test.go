package disk

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

// TestTemporaryFolder wants the folders of killed processes removed, and those of others
// left.
func TestTemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.TempDir()) // Windows
	if err := os.MkdirAll(filepath.Join(os.TempDir(), "x-killed", "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(os.TempDir(), "other-x")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	first, removeFirst, err := TemporaryFolder("x-")
	if err != nil {
		t.Fatal(err)
	}
	second, removeSecond, err := TemporaryFolder("x-")
	if err != nil {
		t.Fatal(err)
	}
	want := func(dirs ...string) {
		t.Helper()
		have, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
		if slices.Sort(dirs); err != nil || !slices.Equal(have, dirs) {
			t.Errorf("folders %v, want %v; error %v", have, dirs, err)
		}
	}
	want(filepath.Dir(first), filepath.Dir(second), other)
	if err := removeFirst(); err != nil {
		t.Error(err)
	}
	want(filepath.Dir(second), other)
	if err := removeSecond(); err != nil {
		t.Error(err)
	}
	want(other)
}

// TestTemporaryFoldersAtOnce has many make folders, and remove those of killed processes,
// at the same time: each keeps its own until the end.
func TestTemporaryFoldersAtOnce(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.TempDir()) // Windows
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				dir, remove, err := TemporaryFolder("x-")
				if err != nil {
					t.Error(err)
					return
				}
				err = os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)
				runtime.Gosched()
				if err := errors.Join(err, os.Remove(filepath.Join(dir, "file")), remove()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left", err, left)
	}
}
