//go:build darwin || freebsd || linux

package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// isOwn reports whether only this user owns and may write a file or folder.
func isOwn(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}

// lockFile locks a file, whose text names the holder. A link is refused: its target would be
// emptied.
func lockFile(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o666)
	if err != nil {
		return nil, err
	}
	holder, err := tryLock(file)
	for began := time.Now(); errors.Is(err, syscall.EWOULDBLOCK) && dead(holder) && time.Since(began) < inheritWait; {
		time.Sleep(inheritWait / 100) //nolint:forbidigo // a lock of another process gives no signal
		holder, err = tryLock(file)
	}
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = &HeldError{Path: name, Holder: holder}
	case err != nil:
		err = fmt.Errorf("locking %s: %w", name, err)
	default:
		err = nameHolder(file)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// inheritWait is how long to wait for the lock of a dead holder: a child process forked when it
// died shares the lock until it runs its program.
const inheritWait = 5 * time.Second

func tryLock(file *os.File) (holder string, err error) {
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		text, _ := io.ReadAll(io.NewSectionReader(file, 0, 1<<10))
		holder = strings.TrimSpace(string(text))
	}
	return holder, err
}

// dead reports whether the holder was a process of this host that has ended.
func dead(holder string) bool {
	var pid int
	var name string
	if _, err := fmt.Sscanf(holder, holderFormat, &pid, &name); err != nil {
		return false
	}
	host, err := os.Hostname()
	return err == nil && host == name && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

const holderFormat = "process %d on %s"

func nameHolder(file *os.File) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err = file.WriteAt(fmt.Appendf(nil, holderFormat+"\n", os.Getpid(), host), 0)
	return err
}

// Close releases the lock before it closes the file: a child process forked meanwhile shares the lock
// until it runs its program.
func (l fileLock) Close() error {
	return errors.Join(l.Truncate(0), syscall.Flock(int(l.Fd()), syscall.LOCK_UN), l.File.Close())
}

func syncDir(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// Free returns the bytes and the files (inodes) that this user can still create on a folder's disk,
// [Unknown] if the system does not say.
func Free(dir string) (bytes, files int64, err error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	files = Unknown
	if stat.Files > 0 { // some file systems make inodes as needed
		files = int64(stat.Ffree)
	}
	return int64(stat.Bavail) * int64(stat.Bsize), files, nil //nolint:unconvert // other types on other systems
}
