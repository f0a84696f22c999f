//go:build darwin || freebsd || linux

package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// Free returns how many bytes this user can still write to the disk that holds
// a folder; [Unknown] where the system does not tell.
func Free(dir string) (int64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(stat.Bavail) * int64(stat.Bsize), nil //nolint:unconvert // other types on other systems
}
