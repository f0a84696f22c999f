package campaign

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func mountDisk(dir string, bytes int) error {
	return unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes))
}

func unmountDisk(dir string) error { return unix.Unmount(dir, 0) }
