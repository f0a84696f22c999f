//go:build !linux

package run

import "time"

func threadTime() (time.Duration, bool) { return 0, false }
