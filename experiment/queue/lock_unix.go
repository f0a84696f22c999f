//go:build unix

package queue

import (
	"fmt"
	"os"
	"syscall"
)

// lockFile locks a file for this process until it is closed or the process
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
