//go:build !linux

package benchmark

import "time"

func clock() time.Duration { return time.Since(start) }

var start = time.Now()
