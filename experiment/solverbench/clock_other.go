//go:build !linux

package solverbench

import "time"

// clock returns the time of day.
func clock() time.Duration { return time.Since(start) }

var start = time.Now()
