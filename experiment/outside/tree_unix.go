//go:build unix && !linux

package outside

import (
	"os/exec"
	"syscall"
	"time"
)

// Own does nothing on this system, where orphans are not found.
func Own() bool { return false }

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// EndTree ends a process.
func EndTree(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }

// endBelow ends the process group of a command.
func endBelow(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// EndMarked does nothing on this system.
func EndMarked(string) {}

// usage is not known on this system.
func usage([]int, bool, int64) (time.Duration, int64) { return 0, 0 }
