package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/testing/needs"
)

// TestOtherUser has another user of the machine plant links where a user's files go, and
// look for what it can read or change while that user runs a command: it finds nothing, what
// the links lead to stays, and the command finds none of its user's credentials.
func TestOtherUser(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	const user, other = 65533, 65534
	if os.Getuid() != 0 {
		t.Skip("only the administrator can be two other users")
	}
	needs.Program(t, "who looks for files", "find")
	dir := t.TempDir()
	for at := dir; strings.HasPrefix(at, os.TempDir()+"/"); at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Link(os.Args[0], in("coordinator")); err != nil {
		t.Skip("linking the test's program:", err)
	}
	as := func(id uint32, name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + in("home"), "TMPDIR=" + in("tmp"), asProgram + "=1"}
		if id == user {
			cmd.Env = append(cmd.Env, "AWS_SECRET_ACCESS_KEY=hunter2")
		}
		return cmd
	}
	for name, mode := range map[string]os.FileMode{"home": 0o700, "tmp": 0o777 | os.ModeSticky, "grid": 0o777} {
		if err := os.Mkdir(in(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(in(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	key := in("home/key")
	const text = "the user's key\n"
	if err := os.WriteFile(key, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"home", "home/key"} {
		if err := os.Chown(in(path), user, user); err != nil {
			t.Fatal(err)
		}
	}
	plant := as(other, "/bin/sh", "-ec", `cd "$TMPDIR"
for name in agepath-command- agepath-cells- agepath-compare- agepath-collect-; do
	mkdir ${name}open ${name}closed; ln -s ../../home/key ${name}open/.in-use; ln -s ../../home/key ${name}closed/.in-use
	chmod 777 ${name}open; ln -s ../home ${name}link; touch -d '2 hours ago' ${name}open ${name}closed
done; find . | sort; ln -s ../home/key ../grid/key.sh`)
	planted, err := plant.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, planted)
	}
	write(t, in("grid"), "look.sh", `read l; c=${l#*\"id\":\"}; c=${c%%\"*}; sleep 2
for p in /proc/[0-9]*/environ; do tr '\0' '\n' <$p; done 2>/dev/null | grep -q hunter2 && found=environ
env | grep -q hunter2 && found=env
echo "{\"cell\": \"$c\", \"error\": \"found: $found.\"}"`)
	grid := `{name: other, limits: {attempts: 1}, split: {validation: 0}, data: [diabetes], models: [{lasso: {alpha: 0.1}}], methods: [{command: {name: look, run: [/bin/sh, FILE], files: [FILE]}}]}`
	write(t, in("grid"), "grid.yaml", strings.ReplaceAll(grid, "FILE", "look.sh"))
	write(t, in("grid"), "link.yaml", strings.ReplaceAll(grid, "FILE", "key.sh"))
	if out, err := as(user, in("coordinator"), "plan", in("grid/link.yaml")).CombinedOutput(); err == nil || !strings.Contains(string(out), "link") {
		t.Errorf("a link among the files of a command: %v\n%s", err, out)
	}

	var found bytes.Buffer
	looking := as(other, "/bin/sh", "-c", `while :; do
find "$TMPDIR" "$HOME" -user 65533 \( -readable -o -writable -o -executable \)
for p in /proc/[0-9]*; do tr '\0' '\n' <$p/environ | grep hunter2; done
echo round >&2; sleep 0.05; done 2>"$0"`, in("grid/rounds"))
	looking.Stdout, looking.SysProcAttr.Setpgid = &found, true
	if err := looking.Start(); err != nil {
		t.Fatal(err)
	}
	out, err := as(user, in("coordinator"), "run", in("grid/grid.yaml"), "--allow-commands", "--out", in("home/out")).CombinedOutput()
	time.Sleep(100 * time.Millisecond)
	if err := syscall.Kill(-looking.Process.Pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	_ = looking.Wait() // it was killed
	if err == nil || !strings.Contains(string(out), "look: found: .") {
		t.Errorf("the run: %v\n%s", err, out)
	}
	rounds, err := os.ReadFile(in("grid/rounds"))
	if err != nil || strings.Count(string(rounds), "round") < 5 || found.Len() > 0 {
		t.Errorf("%v: in %d rounds the other user found\n%s", err, strings.Count(string(rounds), "round"), &found)
	}
	if have, err := os.ReadFile(key); err != nil || string(have) != text {
		t.Errorf("the key is %q, %v", have, err)
	}
	list := as(other, "/bin/sh", "-ec", `cd "$TMPDIR"; find . | sort`)
	if left, err := list.CombinedOutput(); err != nil || !bytes.Equal(left, planted) {
		t.Errorf("%v: in the folder for temporary files are\n%s, want\n%s", err, left, planted)
	}
}
