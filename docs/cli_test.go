package docs

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	helpFlag    = regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)`)
	helpCommand = regexp.MustCompile(`(?m)^  ([a-z]+) {2,}\S`)
	docFlag     = regexp.MustCompile("`(--[a-z-]+)")
)

// TestCommandLineDocument holds docs/cli.md against what --help says: it names
// every command and every flag, and no others.
func TestCommandLineDocument(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", dir+string(filepath.Separator), "./cmd/...")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the programs: %v\n%s", err, out)
	}
	text := read(t, "docs/cli.md")
	flags := map[string]bool{"--help": true}
	var visit func(program string, words ...string)
	visit = func(program string, words ...string) {
		name := strings.Join(append([]string{program}, words...), " ")
		command := exec.CommandContext(t.Context(), filepath.Join(dir, program), append(words, "--help")...)
		help, err := command.Output()
		if err != nil {
			t.Errorf("%s --help: %v", name, err)
			return
		}
		for _, match := range helpFlag.FindAllStringSubmatch(string(help), -1) {
			flags[match[1]] = true
		}
		commands, _, _ := strings.Cut(string(help), "\nFlags:\n")
		for _, match := range helpCommand.FindAllStringSubmatch(commands, -1) {
			if match[1] == "help" {
				continue
			}
			switch {
			case len(words) == 0 && !strings.Contains(text, "\n### "+program+" "+match[1]+" ") && !strings.Contains(text, "\n### "+program+" "+match[1]+"\n"):
				t.Errorf("docs/cli.md has no section for %s %s", name, match[1])
			case len(words) > 0 && !strings.Contains(text, "\n| `"+match[1]+"` |"):
				t.Errorf("docs/cli.md has no row for %s %s", name, match[1])
			}
			visit(program, append(words, match[1])...)
		}
	}
	visit("coordinator")
	visit("worker")
	if len(flags) < 20 {
		t.Errorf("%d flags found", len(flags))
	}
	documented := map[string]bool{"--help": true}
	for _, match := range docFlag.FindAllStringSubmatch(text, -1) {
		documented[match[1]] = true
		if !flags[match[1]] {
			t.Errorf("docs/cli.md names %s, which no command has", match[1])
		}
	}
	for flag := range flags {
		if !documented[flag] {
			t.Errorf("docs/cli.md does not name %s", flag)
		}
	}
}
