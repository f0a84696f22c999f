package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

const commandsFile = "docs/commands.md"

var (
	helpFlag    = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z-]+)(.*?) {2,}(.*)$`)
	helpCommand = regexp.MustCompile(`(?m)^  ([a-z]+) {2,}\S`)
	docFlag     = regexp.MustCompile("`--([a-z-]+)")
	perCore     = regexp.MustCompile(`(one per core)( unless given)? \(default \d+\)`)
)

// programs is the folder of the coordinator and the worker, which are built once.
var (
	programs string
	build    = sync.OnceValue(func() error {
		cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", programs+string(filepath.Separator), "./cmd/...")
		cmd.Dir = root
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building the programs: %w\n%s", err, text)
		}
		return nil
	})
)

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "agepath-docs-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(programs)
	os.Exit(code)
}

func builtPrograms(t *testing.T) (dir string) {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return programs
}

// commandHelp is what --help says of one command.
type commandHelp struct {
	name     string // with the program: "coordinator run"
	text     string // what is before the use
	use      string
	examples string
	flags    []string // rows of a table
	commands []string // names of subcommands
}

// TestCommandReference compares docs/commands.md with what --help says of every command;
// -update writes the page.
func TestCommandReference(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	all := helpOfAll(t)
	uses := map[string]int{}
	for _, c := range all {
		for _, row := range c.flags {
			uses[row]++
		}
	}
	shared := func(row string) bool { return uses[row] >= 8 } // flags of a server, and of every command
	var page strings.Builder
	page.WriteString("# Commands and flags\n\n<!-- Generated from --help: go test ./docs -run TestCommandReference -update -->\n\n" +
		"[cli.md](cli.md) explains configuration, exit statuses, output for scripts and notifications.\n\n" +
		"## Shared flags\n\nCommands that name these flags take them.\n\n")
	table := func(rows []string) {
		page.WriteString("| flag | meaning |\n| --- | --- |\n" + strings.Join(rows, "") + "\n")
	}
	var common []string
	for _, c := range all {
		for _, row := range c.flags {
			if shared(row) && !slices.Contains(common, row) {
				common = append(common, row)
			}
		}
	}
	slices.Sort(common)
	table(common)
	for _, c := range all {
		fmt.Fprintf(&page, "## %s\n\n%s\n\n    %s\n\n", c.name, c.text, c.use)
		if c.examples != "" {
			fmt.Fprintf(&page, "Examples:\n\n%s\n\n", c.examples)
		}
		var own, also []string
		for _, row := range c.flags {
			if shared(row) {
				also = append(also, "`--"+docFlag.FindStringSubmatch(row)[1]+"`")
			} else {
				own = append(own, row)
			}
		}
		if len(own) > 0 {
			table(own)
		}
		if len(also) > 0 {
			fmt.Fprintf(&page, "[Shared](#shared-flags): %s.\n\n", strings.Join(also, ", "))
		}
	}
	text := strings.TrimRight(page.String(), "\n") + "\n<!-- end -->\n"
	if *update {
		if err := os.WriteFile(filepath.Join(root, commandsFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, commandsFile) != text {
		t.Errorf("%s is out of date: run go test ./docs -run TestCommandReference -update", commandsFile)
	}
	known := map[string]bool{"help": true, "version": true}
	for _, c := range all {
		for _, row := range c.flags {
			known[docFlag.FindStringSubmatch(row)[1]] = true
		}
	}
	for _, match := range docFlag.FindAllStringSubmatch(read(t, "docs/cli.md"), -1) {
		if !known[match[1]] {
			t.Errorf("docs/cli.md names --%s, which no command has", match[1])
		}
	}
}

// helpOfAll runs --help of every command of both programs.
func helpOfAll(t *testing.T) (all []commandHelp) {
	t.Helper()
	dir := builtPrograms(t)
	var visit func(words ...string)
	visit = func(words ...string) {
		command := exec.CommandContext(t.Context(), filepath.Join(dir, words[0]), append(slices.Clone(words[1:]), "--help")...)
		command.Env = append(os.Environ(), "NO_COLOR=1")
		help, err := command.Output()
		if err != nil {
			t.Fatalf("%s --help: %v", strings.Join(words, " "), err)
		}
		c := readHelp(strings.Join(words, " "), string(help))
		if len(c.flags) == 0 || c.use == "" {
			t.Errorf("%s --help has no flags or no use:\n%s", c.name, help)
		}
		all = append(all, c)
		for _, name := range c.commands {
			visit(append(slices.Clone(words), name)...)
		}
	}
	visit("coordinator")
	visit("worker")
	if len(all) < 25 {
		t.Errorf("%d commands found", len(all))
	}
	return all
}

// readHelp takes the help of a command apart.
func readHelp(name, help string) commandHelp {
	before, after, _ := strings.Cut(help, "\nUsage:\n")
	c := commandHelp{name: name, text: strings.TrimSpace(before)}
	use, _, _ := strings.Cut(strings.TrimSpace(after), "\n")
	c.use = strings.TrimSuffix(strings.TrimSpace(use), " [flags]")
	if _, examples, ok := strings.Cut(after, "\nExamples:\n"); ok {
		examples, _, _ = strings.Cut(examples, "\n\n")
		c.examples = "  " + strings.ReplaceAll(strings.TrimRight(examples, "\n"), "\n", "\n  ")
	}
	commands, flags, _ := strings.Cut(after, "\nFlags:\n")
	for _, match := range helpCommand.FindAllStringSubmatch(commands, -1) {
		if match[1] != "help" && match[1] != name[:strings.IndexByte(name+" ", ' ')] {
			c.commands = append(c.commands, match[1])
		}
	}
	for _, match := range helpFlag.FindAllStringSubmatch(flags, -1) {
		if match[1] != "help" && match[1] != "version" {
			meaning := perCore.ReplaceAllString(strings.ReplaceAll(match[3], "|", `\|`), "$1$2")
			c.flags = append(c.flags, fmt.Sprintf("| `--%s%s` | %s |\n", match[1], match[2], meaning))
		}
	}
	return c
}
