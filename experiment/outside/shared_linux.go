package outside

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// sharedFolder holds programs' shared memory. An unmapped file there counts for no process, and
// outlives them.
const sharedFolder = "/dev/shm"

// sharedVariable requests a private [sharedFolder] for a slot: numbers of user and group, then
// ownShared.
const sharedVariable, ownShared = "AGEPATH_SHM", "own"

// Isolate starts a slot's process, which calls [Isolated], in a mount namespace. Without root this
// takes a user namespace, with the same user.
func Isolate(cmd *exec.Cmd) bool {
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
	}
	cmd.Env = append(cmd.Environ(), fmt.Sprintf("%s=%d %d", sharedVariable, os.Geteuid(), os.Getegid()))
	return true
}

// Isolated reports whether [Isolate] started this process: it mounts an empty /dev/shm and executes
// its program again, without the right to mount.
func Isolated() (bool, error) {
	var user, group int
	switch text := os.Getenv(sharedVariable); text {
	case "", ownShared:
		return text != "", nil
	default:
		if _, err := fmt.Sscan(text, &user, &group); err != nil {
			return false, fmt.Errorf("%s is set; that is for this program alone", sharedVariable)
		}
	}
	if err := mountShared(user, group); err != nil {
		return false, fmt.Errorf("a %s of its own: %w", sharedFolder, err)
	}
	started, err := os.ReadFile("/proc/self/environ") // includes what the program removed from its own
	if err != nil {
		return false, err
	}
	env := strings.Split(sharedVariable+"="+ownShared+"\x00"+string(bytes.TrimRight(started, "\x00")), "\x00") // the first counts
	runtime.LockOSThread()                                                                                     // executes with this thread's rights
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return false, err
	}
	return false, syscall.Exec("/proc/self/exe", os.Args, env)
}

func mountShared(user, group int) error {
	if user == 0 { // in the users' namespace, where others would see mounts
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
			return err
		}
	} else {
		for _, file := range []struct{ name, text string }{
			{"setgroups", "deny"},
			{"uid_map", fmt.Sprintf("%d %[1]d 1", user)},
			{"gid_map", fmt.Sprintf("%d %[1]d 1", group)},
		} {
			if err := os.WriteFile("/proc/self/"+file.name, []byte(file.text), 0); err != nil {
				return err
			}
		}
	}
	return unix.Mount("tmpfs", sharedFolder, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777")
}

func sharedBytes() int64 {
	var s unix.Statfs_t
	if err := unix.Statfs(sharedFolder, &s); err != nil {
		return 0
	}
	return int64(s.Blocks-s.Bfree) * s.Bsize
}

func clearShared() {
	files, _ := filepath.Glob(sharedFolder + "/*")
	hidden, _ := filepath.Glob(sharedFolder + "/.*")
	for _, path := range append(files, hidden...) {
		_ = os.RemoveAll(path) // leftovers count
	}
}

// mapped returns a process's mapped shared memory in bytes.
func mapped(pid int) int64 {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, rest, _ := strings.Cut(string(text), "\nRssShmem:")
	rest, _, _ = strings.Cut(rest, "kB")
	kilobytes, _ := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
	return kilobytes << 10
}
