//go:build unix

package queue

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFile locks a file for this process until unlockFile or until the process
// ends in whatever way.
func lockFile(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s is locked by another process: %w", name, err)
	}
	return file, nil
}

// unlockFile releases the lock before it closes the file: a child process that
// was forked meanwhile shares the open file, and with it the lock, until it
// runs its program.
func unlockFile(file *os.File) error {
	return errors.Join(syscall.Flock(int(file.Fd()), syscall.LOCK_UN), file.Close())
}
