//go:build unix && !linux

package outside

import (
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// EndTree ends a process.
func EndTree(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }

func endBelow(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
