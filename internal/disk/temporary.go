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
	lockName = ".in-use"
	// goneEnding ends the name of a folder that is being deleted.
	goneEnding = "-gone"
	// mostTaken bounds how many folders of one caller others may take away.
	mostTaken = 100
)

// TemporaryFolder makes a folder in the system's folder for such files, which remove
// deletes. Nobody else can read or change it. A lock beside it is held until then. Folders
// of the prefix that killed processes left go first, see [RemoveLeft].
func TemporaryFolder(prefix string) (dir string, remove func() error, err error) {
	RemoveLeft(prefix)
	for tries := 0; ; tries++ {
		dir, remove, err := lockedFolder(prefix)
		// RemoveLeft of another process can find the folder before it is locked, and takes
		// it away before it gives the lock back.
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

// RemoveLeft deletes the folders of [TemporaryFolder] that nobody locks, as their processes
// were killed. Folders of others, and links, are left alone: in a folder that is this user's
// alone nobody else can have put anything.
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
			_ = takeAway(prefix, old, lock) // what stays is the next one's to delete
		}
	}
}

// takeAway deletes a locked folder. It has another name before it is unlocked: others that
// have waited for the lock find that they hold nothing.
func takeAway(prefix, whole string, lock io.Closer) error {
	gone := filepath.Join(filepath.Dir(whole), prefix+rand.Text()+goneEnding)
	if runtime.GOOS == "windows" { // where a folder with an open file keeps its name
		return errors.Join(lock.Close(), os.Rename(whole, gone), os.RemoveAll(gone))
	}
	return errors.Join(os.Rename(whole, gone), os.RemoveAll(gone), lock.Close())
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

// isPrivate reports whether a folder, which is no link, is this user's alone.
func isPrivate(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && isOwn(info)
}
