//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package results

import (
	"fmt"
	"os"
	"runtime"
)

func lockDir(dir string) (*os.File, error) {
	return nil, fmt.Errorf("writing results to %s: not supported on %s, which has no flock", dir, runtime.GOOS)
}

func unlockDir(file *os.File) error { return file.Close() }

func syncDir(string) error { return nil }
