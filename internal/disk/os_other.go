//go:build !(windows || darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package disk

import (
	"fmt"
	"os"
	"runtime"
)

func isOwn(os.FileInfo) bool { return false }

func lockFile(name string) (*os.File, error) {
	return nil, fmt.Errorf("locking %s: not supported on %s, which has no flock", name, runtime.GOOS)
}

func unlockFile(file *os.File) error { return file.Close() }
