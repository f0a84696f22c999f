package queue

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a file for this process until it is closed or the process
// ends in whatever way.
func lockFile(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	if err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, new(windows.Overlapped)); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s is locked by another process: %w", name, err)
	}
	return file, nil
}
