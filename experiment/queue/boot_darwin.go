package queue

import "golang.org/x/sys/unix"

// bootID names the start of this system, "" where it cannot be told.
func bootID() string {
	text, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return text
}
