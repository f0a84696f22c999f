//go:build !unix

package outside

import (
	"os"
	"os/exec"
	"time"
)

// Own does nothing on this system, where orphans are not found.
func Own() bool { return false }

func ownGroup(*exec.Cmd) {}

// EndTree ends a process.
func EndTree(pid int) { endBelow(pid) }

// endBelow ends a command.
func endBelow(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill() // it can have ended
	}
}

// EndMarked does nothing on this system.
func EndMarked(string) {}

// usage is not known on this system.
func usage([]int, bool, int64) (time.Duration, int64) { return 0, 0 }
