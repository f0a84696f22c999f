//go:build unix

package notify

import (
	"os/exec"
	"syscall"
)

var shell = [2]string{"sh", "-c"}

// withGroup gives a command a process group: killing it kills what the shell started, and ^C does
// not end it.
func withGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
