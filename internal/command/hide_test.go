package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// asHider makes the test binary run as a program that hides its environment.
const asHider = "AGEPATH_TEST_AS_HIDER"

// showHidden hides the environment, and shows what the program itself and a child have of it.
func showHidden(_ context.Context, args []string, streams Streams) int {
	if err := streams.Hide(); err != nil {
		fmt.Fprintln(streams.Out, err)
		return ExitFailed
	}
	secret, _ := streams.Env("AGEPATH_NATS_URL")
	fmt.Fprintln(streams.Out, "own:", secret, os.Getenv("AWS_SECRET_ACCESS_KEY"), args, os.Getpid())
	child := exec.Command("/bin/sh", "-c", "cat /proc/$PPID/environ; head -c 1 /proc/$PPID/mem")
	child.Env = slotEnvironment(os.Environ())
	out, err := child.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		out = append(out, err.Error()...)
	}
	fmt.Fprintf(streams.Out, "child: %s\n", out)
	again := exec.Command("/proc/self/exe") // as a slot is started
	again.Env = append(slotEnvironment(os.Environ()), asHider+"Z=1")
	again.Args = []string{"x", "-test.run=^$"}
	out, err = again.CombinedOutput()
	fmt.Fprintf(streams.Out, "slot: %v %s\n", err, out)
	return ExitDone
}

// TestHide starts a program with credentials in its environment, as this user and as one
// that is not the administrator: the program has them, as the same process, and nothing of
// them is in /proc for its children.
func TestHide(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("/proc is Linux's")
	}
	program := filepath.Join(t.TempDir(), "program")
	if err := os.Link(os.Args[0], program); err != nil {
		t.Skip("linking the test's program:", err)
	}
	for dir := filepath.Dir(program); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, user := range []int{os.Getuid(), 65534} {
		cmd := exec.CommandContext(t.Context(), program, "one", "two")
		cmd.Dir = "/"
		if user != os.Getuid() {
			if os.Getuid() != 0 {
				continue // only the administrator can be another
			}
			asUser(cmd, user)
		}
		cmd.Env = append(os.Environ(), asHider+"=1", "AGEPATH_NATS_URL=nats://anna:hunter2@host", "AWS_SECRET_ACCESS_KEY=hunter3", "PATH=/usr/bin:/bin")
		out, err := cmd.CombinedOutput()
		own, child, _ := strings.Cut(string(out), "child:")
		if want := fmt.Sprintf("own: nats://anna:hunter2@host hunter3 [one two] %d\n", cmd.Process.Pid); err != nil || own != want {
			t.Errorf("user %d: %v, %s; want %s", user, err, out, want)
		}
		if strings.Contains(child, "hunter") || !strings.Contains(child, "slot: <nil>") {
			t.Errorf("user %d: a child sees %s", user, child)
		}
		proc, _, _ := strings.Cut(child, "slot:")
		if denied := strings.Count(proc, "denied"); user != 0 && denied != 2 {
			t.Errorf("user %d: a child sees %s; want it denied twice", user, child)
		}
	}
}

// TestSlotEnvironment wants nothing but the needful in the environment of slots.
func TestSlotEnvironment(t *testing.T) {
	t.Setenv("GOOGLE_API_KEY", "hunter2")
	t.Setenv("AGEPATH_NATS_URL", "nats://anna:hunter2@host")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
	t.Setenv("GODEBUG", "x=1")
	make, err := SlotProcess(1)
	if err != nil {
		t.Fatal(err)
	}
	env := strings.Join(make().Env, "\n")
	if strings.Contains(env, "hunter2") || !strings.Contains(env, "GODEBUG=x=1") || !strings.Contains(env, "PATH=") {
		t.Errorf("the environment of a slot is\n%s", env)
	}
}

// TestHiddenVariable follows what the program says where the variable of its hidden environment is set.
func TestHiddenVariable(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("Linux alone hides the environment")
	}
	start := func(with ...string) string {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), append(with, asHider+"=1")...)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	if said := start("AGEPATH_HIDDEN=yes"); !strings.Contains(said, "AGEPATH_HIDDEN is set; unset it") {
		t.Errorf("with the variable: %s", said)
	}
	if said := start(); !strings.Contains(said, "own:") {
		t.Errorf("without: %s", said)
	}
}
