package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

var (
	target     = regexp.MustCompile(`(?m)^([a-z]+):.*$`)
	documented = regexp.MustCompile(`(?m)^([a-z]+): ## \S`)
	script     = regexp.MustCompile(`bash (\.ci/[a-z]+)`)
	version    = regexp.MustCompile(`(?m)^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$`)
)

// TestMakefile wants every target of the Makefile to say what it does, to be listed by
// make and in CONTRIBUTING.md, and to have commands that make accepts.
func TestMakefile(t *testing.T) {
	t.Parallel()
	text := read(t, "Makefile")
	targets := target.FindAllStringSubmatch(text, -1)
	if len(targets) < 8 || len(targets) != len(documented.FindAllString(text, -1)) {
		t.Errorf("%d targets, not all of them with a text after ##", len(targets))
	}
	contributing := read(t, "CONTRIBUTING.md")
	for _, match := range targets {
		if name := match[1]; name != "help" && !strings.Contains(contributing, "`make "+name) {
			t.Errorf("CONTRIBUTING.md does not name make %s", name)
		}
	}
	program := needs.Program(t, "the Makefile", "make")
	list, err := runMake(t, program)
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range targets {
		if !strings.Contains(list, "\n"+match[1]+" ") && !strings.HasPrefix(list, match[1]+" ") {
			t.Errorf("make does not list %s:\n%s", match[1], list)
		}
		if commands, err := runMake(t, program, "-n", match[1]); err != nil || commands == "" {
			t.Errorf("make -n %s: %v\n%s", match[1], err, commands)
		}
	}
}

func runMake(t *testing.T, program string, arguments ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Dir = root
	out, err := command.CombinedOutput()
	return string(out), err
}

// TestScripts wants the scripts that the Makefile and documents name to be there and to
// be valid.
func TestScripts(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, file := range []string{"Makefile", "CONTRIBUTING.md", "docs/releasing.md"} {
		for _, match := range script.FindAllStringSubmatch(read(t, file), -1) {
			named[match[1]] = true
		}
	}
	files, err := filepath.Glob(filepath.Join(root, ".ci", "*"))
	if err != nil {
		t.Fatal(err)
	}
	bash, lacking := exec.LookPath("bash")
	for _, file := range files {
		name := ".ci/" + filepath.Base(file)
		if !named[name] {
			t.Errorf("%s is named in neither the Makefile nor CONTRIBUTING.md", name)
		}
		delete(named, name)
		if info, err := os.Stat(file); err != nil || info.Mode()&0o100 == 0 {
			t.Errorf("%s cannot be run: %v", name, err)
		}
		if lacking != nil {
			continue
		}
		if out, err := exec.CommandContext(t.Context(), bash, "-n", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	for name := range named {
		t.Errorf("%s is named and is not there", name)
	}
}

// TestChangelog wants the versions of CHANGELOG.md to be in order, Unreleased on top, each
// with a date and a link.
func TestChangelog(t *testing.T) {
	t.Parallel()
	text := read(t, "CHANGELOG.md")
	versions := version.FindAllStringSubmatch(text, -1)
	if len(versions) == 0 || versions[0][1] != "Unreleased" || versions[0][2] != "" {
		t.Fatalf("the headings are %q, want Unreleased first", versions)
	}
	for i, v := range versions {
		if !strings.Contains(text, "\n["+v[1]+"]: https://") {
			t.Errorf("no link for %s", v[1])
		}
		if i > 0 && v[2] == "" {
			t.Errorf("%s has no date", v[1])
		}
		if i > 1 && v[2] > versions[i-1][2] {
			t.Errorf("%s of %s comes after %s of %s", v[1], v[2], versions[i-1][1], versions[i-1][2])
		}
	}
	if n := strings.Count(text, "\n## "); n != len(versions) {
		t.Errorf("%d headings, of which %d are versions", n, len(versions))
	}
	kinds := []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
	for line := range strings.Lines(text) {
		if kind, found := strings.CutPrefix(strings.TrimSpace(line), "### "); found && !slices.Contains(kinds, kind) {
			t.Errorf("### %s is none of %q", kind, kinds)
		}
	}
}

// TestGlossary wants every term of docs/glossary.md to stand there once, in order within
// its table.
func TestGlossary(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	last, terms := "", 0
	for line := range strings.Lines(read(t, "docs/glossary.md")) {
		cells := strings.Split(line, " | ")
		term, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(cells[0], "| ")), ",")
		switch {
		case !strings.HasPrefix(line, "| "), strings.HasPrefix(line, "| ---"), term == "term":
			last = ""
			continue
		case len(cells) != 2:
			t.Errorf("%q has %d cells, want a term and its meaning", line, len(cells))
		case seen[term]:
			t.Errorf("%s is there twice", term)
		case term < last:
			t.Errorf("%s comes after %s", term, last)
		}
		seen[term], last = true, term
		terms++
	}
	if terms < 50 {
		t.Errorf("%d terms found", terms)
	}
}
