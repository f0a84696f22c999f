package disk

import (
	"os"

	"golang.org/x/sys/windows"
)

// Free returns how many bytes this user can still write to the disk that holds
// a folder. How many files can still be created there is [Unknown].
func Free(dir string) (bytes, files int64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(free), Unknown, nil
}
