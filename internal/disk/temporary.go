package disk

import (
	"errors"
	"os"
	"path/filepath"
)

// TemporaryFolder makes a folder in the system's folder for such files, which remove
// deletes. It is locked until then: those of the prefix that nobody locks, as their
// processes were killed, are deleted.
func TemporaryFolder(prefix string) (dir string, remove func() error, err error) {
	const lockName = ".in-use"
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	for _, old := range left {
		if lock, err := (OS{}).Lock(filepath.Join(old, lockName)); err == nil {
			_ = errors.Join(lock.Close(), os.RemoveAll(old)) // what stays is the next one's to delete
		}
	}
	if dir, err = os.MkdirTemp("", prefix); err != nil {
		return "", nil, err
	}
	lock, err := OS{}.Lock(filepath.Join(dir, lockName))
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, func() error { return errors.Join(lock.Close(), os.RemoveAll(dir)) }, nil
}
