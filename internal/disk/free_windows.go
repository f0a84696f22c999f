package disk

import (
	"os"

	"golang.org/x/sys/windows"
)

// Free returns how many bytes this user can still write to the disk that holds
// a folder; [Unknown] where the system does not tell.
func Free(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(free), nil
}
