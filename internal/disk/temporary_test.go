package disk

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestTemporaryFolder wants the folders of killed processes removed, and those of others
// left.
func TestTemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.TempDir()) // Windows
	killed := filepath.Join(os.TempDir(), "x-killed")
	if err := os.MkdirAll(filepath.Join(killed, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(killed, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	begun := filepath.Join(os.TempDir(), "x-begun") // whose process may be about to lock it
	if err := os.Mkdir(begun, 0o700); err != nil {
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
	want(filepath.Dir(first), filepath.Dir(second), begun, other)
	if err := removeFirst(); err != nil {
		t.Error(err)
	}
	want(filepath.Dir(second), begun, other)
	if err := removeSecond(); err != nil {
		t.Error(err)
	}
	want(begun, other)
}
