package queue

import "os"

// bootID names the start of this system, "" where it cannot be told.
func bootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return string(text)
}
