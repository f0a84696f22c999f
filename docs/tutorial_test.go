package docs

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/testing/needs"
)

var (
	tutorialFile    = regexp.MustCompile("(?s)`([a-z.]+)`:\n\n" + fence + "[a-z]+\n(.*?)" + fence)
	tutorialConsole = regexp.MustCompile("(?s)" + fence + "console\n(.*?)" + fence)
	duration        = regexp.MustCompile(`(< )?\b[0-9.]+ (s|min)\b`)
	digits          = regexp.MustCompile(`(\d\.\d{6})\d+`)    // those that libraries round otherwise
	runName         = regexp.MustCompile(`flats-[0-9a-f]{8}`) // it hangs on agepath.py
)

// step is a command of the tutorial and the output below it.
type step struct{ command, output string }

// tutorialSteps returns the commands of the tutorial.
func tutorialSteps(text string) (steps []step) {
	for _, block := range tutorialConsole.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(block[1]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				steps = append(steps, step{command: strings.TrimSpace(command)})
			} else if len(steps) > 0 {
				steps[len(steps)-1].output += line
			}
		}
	}
	return steps
}

// TestTutorial writes the files of docs/tutorial.md, has a shell run its commands one after
// the other, and wants the outputs that it shows, but for times, last digits, blanks and the end of the run's name. Dots
// stand for the rest of a line, a line of them for any lines.
func TestTutorial(t *testing.T) {
	needs.Patience(t, "20 s")
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a Unix shell")
	}
	bash := needs.Program(t, "the tutorial", "bash")
	server := needs.Program(t, "the tutorial's cluster", "nats-server", "/usr/sbin/nats-server")
	python := needs.Program(t, "the tutorial's method", "/usr/bin/python3", "python3")
	if out, err := exec.CommandContext(t.Context(), python, "-c", "import numpy, sklearn, pandas").CombinedOutput(); err != nil {
		needs.Lacking(t, "the tutorial's method, Debian's python3-sklearn and python3-pandas: %v\n%s", err, out)
	}
	programs, dir := builtPrograms(t), t.TempDir()
	for name, program := range map[string]string{"python3": python, "nats-server": server} {
		if err := os.Symlink(program, filepath.Join(programs, name)); err != nil {
			t.Fatal(err)
		}
	}

	_, port, _ := strings.Cut(needs.FreePorts(t, 1)[0], ":")
	text := strings.ReplaceAll(read(t, "docs/tutorial.md"), "4222", port)
	files := tutorialFile.FindAllStringSubmatch(text, -1)
	steps := tutorialSteps(text)
	if len(files) < 3 || len(steps) < 8 {
		t.Fatalf("docs/tutorial.md has %d files and %d commands", len(files), len(steps))
	}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(dir, file[1]), []byte(file[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const end = "end of the command"
	script := "trap 'kill $(jobs -p)' EXIT; trap exit TERM\n"
	for _, s := range steps {
		script += s.command + "\necho '" + end + "'\n"
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, bash, "-c", script)
	shell.Cancel = func() error { return shell.Process.Signal(os.Interrupt) }
	shell.WaitDelay = 10 * time.Second
	shell.Dir = dir
	shell.Env = append(os.Environ(), "PATH="+programs+string(filepath.ListSeparator)+os.Getenv("PATH"), "XDG_CACHE_HOME="+t.TempDir(), "AGEPATH_LOG_LEVEL=error")
	out, err := shell.CombinedOutput()
	outputs := strings.Split(string(out), end+"\n")
	if len(outputs) != len(steps)+1 {
		t.Fatalf("%d commands of %d ended: %v\n%s", len(outputs)-1, len(steps), err, out)
	}
	for i, s := range steps {
		if !matches(s.output, outputs[i]) {
			t.Errorf("$ %s\nprints\n%s\nand the tutorial shows\n%s", s.command, outputs[i], s.output)
		}
	}
}

// matches reports whether an output is as shown, where dots stand for any text. A run on
// a busy machine prints its scores before it ends.
func matches(shown, output string) bool {
	var pattern strings.Builder
	pattern.WriteString(`\A(?:Scores so far(?:.*\n)*)?`)
	for _, line := range plainLines(shown) {
		begin, open := strings.CutSuffix(line, "...")
		switch {
		case line == "...":
			pattern.WriteString(`(?:.*\n)*`)
		case open:
			pattern.WriteString(regexp.QuoteMeta(begin) + `.*\n`)
		default:
			pattern.WriteString(regexp.QuoteMeta(line) + `\n`)
		}
	}
	return regexp.MustCompile(pattern.String() + `\z`).MatchString(strings.Join(append(plainLines(output), ""), "\n"))
}

// plainLines returns the lines of a text without what differs from run to run, or between
// a table and a reader of it.
func plainLines(text string) (lines []string) {
	text = runName.ReplaceAllString(duration.ReplaceAllString(digits.ReplaceAllString(text, "$1"), "T"), "RUN")
	for line := range strings.Lines(strings.TrimSpace(text)) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return lines
}
