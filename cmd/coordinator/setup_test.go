package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
)

// Environment variables that make the test binary run as the coordinator:
// tests that need a process to kill or to measure start themselves.
const (
	asProgram = "AGEPATH_TEST_AS_COORDINATOR"
	peakFile  = "AGEPATH_TEST_PEAK_FILE" // where to tell the memory it took, if not empty
)

// reuseVariable says that folders of results are not remembered, which is done in the user's
// cache folder, where a test does not have one of its own.
const reuseVariable = "AGEPATH_NO_REUSE"

// programs is a folder of the programs that tests build.
var programs string

func TestMain(m *testing.M) {
	command.ServeSlot(experiment.Kinds())
	path := os.Getenv(peakFile)
	switch {
	case path != "":
		code := execute(context.Background(), os.Args[1:], command.System())
		status, err := os.ReadFile("/proc/self/status")
		if err == nil {
			err = os.WriteFile(path, status, 0o600)
		}
		if err != nil {
			panic(err)
		}
		os.Exit(code)
	case os.Getenv(asProgram) != "" || os.Getenv("AGEPATH_HIDDEN") != "": // before and after it began again
		main()
	}
	var err error
	if programs, err = os.MkdirTemp("", "agepath-coordinator-"); err != nil {
		panic(err)
	}
	needs.Waiting(8)
	lookEvery = 50 * time.Millisecond
	code := m.Run()
	os.RemoveAll(programs)
	os.Exit(code)
}

// outcome is what a command line gave.
type outcome struct {
	code     int
	out, err string
}

// do runs a command line in this process, without environment variables.
func do(t *testing.T, args ...string) outcome {
	t.Helper()
	return doWith(t, t.Context(), nil, args...)
}

func doWith(t *testing.T, ctx context.Context, env map[string]string, args ...string) outcome {
	t.Helper()
	var out, err bytes.Buffer
	code := execute(ctx, args, command.Streams{
		Out: &out, Err: &err,
		Env: func(name string) (string, bool) {
			value, ok := env[name]
			if !ok && name == reuseVariable {
				return "true", true
			}
			return value, ok
		},
	})
	return outcome{code, out.String(), err.String()}
}

// must runs a command line that has to end with the exit status 0.
func must(t *testing.T, args ...string) outcome {
	t.Helper()
	o := do(t, args...)
	if o.code != command.ExitDone {
		t.Fatalf("%s: exit status %d\n%s", strings.Join(args, " "), o.code, o.err)
	}
	return o
}

// process makes a command line that runs as a process of its own.
func process(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", reuseVariable+"=true")
	return cmd
}

// write writes a file below dir and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// contents reads the files below a folder, by their paths in it.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// measure runs a command line in a process of its own and returns the most
// memory that was resident, in bytes.
func measure(t *testing.T, args ...string) (outcome, int64) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("how much memory a process took is known on Linux only")
	}
	path := filepath.Join(t.TempDir(), "status")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := process(ctx, args...)
	cmd.Env = append(cmd.Env, peakFile+"="+path)
	var out, message strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &message
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	if match == nil {
		t.Skip("this system does not tell how much memory a process took")
	}
	kilobytes, err := strconv.ParseInt(string(match[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d MiB, %v", args[0], kilobytes>>10, cmd.ProcessState.UserTime())
	return outcome{cmd.ProcessState.ExitCode(), out.String(), message.String()}, kilobytes << 10
}
