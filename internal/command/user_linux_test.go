package command

import (
	"os/exec"
	"syscall"
)

// asUser has a program run as another user.
func asUser(cmd *exec.Cmd, id int) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}}
}
