package outside

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

// EndTree ends a process.
func EndTree(pid int) { endBelow(pid) }

func endBelow(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill() // it can have ended
	}
}
