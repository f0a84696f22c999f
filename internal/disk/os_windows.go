package disk

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// isOwn takes a user's temporary folder to be that user's.
func isOwn(os.FileInfo) bool { return true }

func lockFile(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	err = windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		err = &HeldError{Path: name} // a locked file's text cannot be read
	case err != nil:
		err = fmt.Errorf("locking %s: %w", name, err)
	default:
		return file, nil
	}
	file.Close()
	return nil, err
}

// Close releases the lock first: Windows releases locks of a closed file at any time.
func (l fileLock) Close() error {
	return errors.Join(windows.UnlockFileEx(windows.Handle(l.Fd()), 0, 1, 0, new(windows.Overlapped)), l.File.Close())
}

// syncDir does nothing: Windows has no equivalent.
func syncDir(string) error { return nil }

// Free returns the bytes that this user can still write to a folder's disk; files is [Unknown].
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
