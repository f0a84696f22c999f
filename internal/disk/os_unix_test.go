//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package disk

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestCloseReleasesTheLock has another descriptor of the lock's open file, as a
// child process has between fork and exec.
func TestCloseReleasesTheLock(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "lock")
	lock, err := OS{}.Lock(name)
	if err != nil {
		t.Fatal(err)
	}
	child, err := syscall.Dup(int(lock.(fileLock).Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := OS{}.Lock(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
