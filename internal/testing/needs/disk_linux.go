package needs

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// SmallDisk mounts a disk with room for the given bytes and 1000 files, if it may mount.
func SmallDisk(t testing.TB, bytes int) (dir string, err error) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, size(bytes)); err != nil {
		return dir, fmt.Errorf("mounting a small disk: %w", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("unmounting %s: %v", dir, err)
		}
	})
	return dir, nil
}

// ResizeDisk resizes a disk of [SmallDisk].
func ResizeDisk(t testing.TB, dir string, bytes int) {
	t.Helper()
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, size(bytes)); err != nil {
		t.Fatalf("resizing the disk of %s: %v", dir, err)
	}
}

func size(bytes int) string { return fmt.Sprintf("size=%d,nr_inodes=1000", bytes) }
