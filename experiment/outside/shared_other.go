//go:build !linux

package outside

import "os/exec"

// Isolate does nothing on this system.
func Isolate(*exec.Cmd) bool { return false }

// Isolated reports false on this system.
func Isolated() (bool, error) { return false, nil }

func sharedBytes() int64 { return 0 }

func clearShared() {}
