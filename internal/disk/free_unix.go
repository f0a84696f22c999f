//go:build darwin || freebsd || linux

package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// Free returns how many bytes this user can still write to the disk that holds
// a folder, and how many files can still be created there (inodes); [Unknown] where the
// system does not say.
func Free(dir string) (bytes, files int64, err error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	files = Unknown
	if stat.Files > 0 { // some file systems make inodes as they need them
		files = int64(stat.Ffree)
	}
	return int64(stat.Bavail) * int64(stat.Bsize), files, nil //nolint:unconvert // other types on other systems
}
