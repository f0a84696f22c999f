//go:build !linux

package needs

import (
	"errors"
	"testing"
)

// SmallDisk is for Linux only.
func SmallDisk(t testing.TB, _ int) (dir string, err error) {
	t.Helper()
	return t.TempDir(), errors.New("mounting a small disk: not known how on this system")
}

// ResizeDisk is for Linux only.
func ResizeDisk(t testing.TB, _ string, _ int) {
	t.Helper()
	t.Fatal("resizing a small disk: not known how on this system")
}
