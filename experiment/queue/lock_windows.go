package queue

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a file for this process until unlockFile or until the process
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

// unlockFile releases the lock and closes the file: Windows releases the locks
// of a closed file at a time of its own choice.
func unlockFile(file *os.File) error {
	return errors.Join(windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, new(windows.Overlapped)), file.Close())
}
