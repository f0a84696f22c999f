//go:build !linux

package solverbench

import "time"

func clock() time.Duration { return time.Since(start) }

var start = time.Now()
