package disk

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	lockName   = ".in-use"
	goneEnding = "-gone"
	// mostTaken bounds how often others may take a caller's folder, or add their lock to one
	// that is being deleted.
	mostTaken = 100
)

// TemporaryFolder makes a private folder in the system's temporary folder, locked until remove
// deletes it. It first deletes folders of the prefix that killed processes left.
func TemporaryFolder(prefix string) (dir string, remove func() error, err error) {
	RemoveLeft(prefix)
	for tries := 0; ; tries++ {
		dir, remove, err := lockedFolder(prefix)
		// Another process's RemoveLeft may find the folder before it is locked; it removes the
		// folder before it releases the lock.
		taken := errors.As(err, new(*HeldError)) || errors.Is(err, fs.ErrNotExist)
		if !taken || tries == mostTaken {
			return dir, remove, err
		}
	}
}

func lockedFolder(prefix string) (dir string, remove func() error, err error) {
	whole, err := os.MkdirTemp("", prefix)
	if err != nil {
		return "", nil, err
	}
	lock, err := OS{}.Lock(filepath.Join(whole, lockName))
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(whole))
	}
	remove = func() error { return takeAway(prefix, whole, lock) }
	dir = filepath.Join(whole, "files")
	err = os.Mkdir(dir, 0o700)
	if err == nil && !isPrivate(whole) {
		err = fmt.Errorf("%s is another user's now", whole)
	}
	if err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return dir, remove, nil
}

// RemoveLeft deletes folders of [TemporaryFolder] that nobody locks, as their processes were
// killed. It leaves links and folders of other users alone.
func RemoveLeft(prefix string) {
	names, _ := OS{}.ReadDir(os.TempDir())
	for _, name := range names {
		old := filepath.Join(os.TempDir(), name)
		if !strings.HasPrefix(name, prefix) || !isPrivate(old) {
			continue
		}
		if strings.HasSuffix(name, goneEnding) {
			_ = os.RemoveAll(old)
		} else if lock, err := (OS{}).Lock(filepath.Join(old, lockName)); err == nil {
			_ = takeAway(prefix, old, lock) // the next call deletes what remains
		}
	}
}

// takeAway renames the locked folder before unlocking: others that waited for the lock find
// nothing.
func takeAway(prefix, whole string, lock io.Closer) error {
	gone := filepath.Join(filepath.Dir(whole), prefix+rand.Text()+goneEnding)
	if runtime.GOOS == "windows" { // a folder with an open file keeps its name
		return errors.Join(lock.Close(), os.Rename(whole, gone), os.RemoveAll(gone))
	}
	renamed := os.Rename(whole, gone)
	err := os.RemoveAll(gone)
	for tries := 0; errors.Is(err, fs.ErrExist) && tries < mostTaken; tries++ {
		err = os.RemoveAll(gone) // another process was making its lock in the folder
	}
	return errors.Join(renamed, err, lock.Close())
}

// CheckOwn returns an error, with a remedy, if a folder exists that is not this user's or that
// others can write.
func CheckOwn(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !isOwn(info) {
		err = fmt.Errorf("%s belongs to another user, or others can write it: remove it, or make it yours alone by `chown` and `chmod go-w`", dir)
	}
	return err
}

func isPrivate(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && isOwn(info)
}
