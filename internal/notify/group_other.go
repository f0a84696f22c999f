//go:build !unix

package notify

import "os/exec"

var shell = [2]string{"cmd", "/C"}

func withGroup(*exec.Cmd) {}
