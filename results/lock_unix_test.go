//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package results

import (
	"syscall"
	"testing"
)

// TestCloseReleasesTheLock has another descriptor of the lock's open file, as a
// child process has between fork and exec.
func TestCloseReleasesTheLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	child, err := syscall.Dup(int(s.lock.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	closeStore(t, s)
	closeStore(t, openStore(t, dir))
}
