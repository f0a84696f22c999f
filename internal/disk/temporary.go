package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// beginning is how long a folder of [TemporaryFolder] may be without a lock at its start.
const beginning = time.Minute

// TemporaryFolder makes a folder in the system's folder for such files, which remove
// deletes. Nobody else can read or change it. A lock beside it is held until then: folders
// of the prefix that nobody locks, as their processes were killed, are deleted.
func TemporaryFolder(prefix string) (dir string, remove func() error, err error) {
	const lockName = ".in-use"
	// Folders of others, and links, are left alone: in a folder that is this user's alone
	// nobody else can have put anything.
	names, _ := OS{}.ReadDir(os.TempDir())
	for _, name := range names {
		old := filepath.Join(os.TempDir(), name)
		if !strings.HasPrefix(name, prefix) || !isPrivate(old, beginning) {
			continue
		}
		if lock, err := (OS{}).Lock(filepath.Join(old, lockName)); err == nil {
			_ = errors.Join(lock.Close(), os.RemoveAll(old)) // what stays is the next one's to delete
		}
	}
	whole, err := os.MkdirTemp("", prefix)
	if err != nil {
		return "", nil, err
	}
	lock, err := OS{}.Lock(filepath.Join(whole, lockName))
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(whole))
	}
	remove = func() error { return errors.Join(lock.Close(), os.RemoveAll(whole)) }
	dir = filepath.Join(whole, "files")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return dir, remove, nil
}

// CheckOwn returns an error, with what to do, for a folder that is not this user's or that
// others can write. One that is not there passes.
func CheckOwn(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !isOwn(info) {
		err = fmt.Errorf("%s belongs to another user, or others can write it: remove it, or make it yours alone by `chmod go-w`", dir)
	}
	return err
}

// isPrivate reports whether a folder, which is no link, is this user's alone and has not
// changed for a while.
func isPrivate(path string, unchanged time.Duration) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && isOwn(info) && time.Since(info.ModTime()) > unchanged
}
