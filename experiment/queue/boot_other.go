//go:build !linux && !darwin

package queue

// bootID names the start of this system, "" where it cannot be told, as here.
func bootID() string { return "" }
