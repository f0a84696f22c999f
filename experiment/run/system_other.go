//go:build !linux

package run

import (
	"io"
	"time"
)

func threadTime() (time.Duration, bool) { return 0, false }

func withoutThread(in io.Reader) io.Reader { return in }
