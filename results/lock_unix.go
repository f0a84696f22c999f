//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package results

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lockDir takes the lock of DIR, which ends with the process. The file's text
// tells others who holds it.
func lockDir(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		text, _ := io.ReadAll(io.LimitReader(file, 1<<10))
		err = &LockedError{Dir: dir, Holder: strings.TrimSpace(string(text))}
	} else if err != nil {
		err = fmt.Errorf("locking %s: %w", path, err)
	} else {
		err = nameHolder(file)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func nameHolder(file *os.File) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err = file.WriteAt(fmt.Appendf(nil, "process %d on %s\n", os.Getpid(), host), 0)
	return err
}

// unlockDir releases the lock of [lockDir], and does so before it closes the
// file: a child process that was forked meanwhile shares the open file, and
// with it the lock, until it runs its program.
func unlockDir(file *os.File) error {
	return errors.Join(file.Truncate(0), syscall.Flock(int(file.Fd()), syscall.LOCK_UN), file.Close())
}

// syncDir makes the names of files in a folder durable.
func syncDir(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
