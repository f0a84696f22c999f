package docs

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

// kindsFile is the one that imports kinds of experiments.
const kindsFile = "internal/command/kinds.go"

// wing is a part that is deleted with its folder, its line of [kindsFile], its grids and its pages.
type wing struct {
	folder string
	grids  string   // a pattern
	pages  []string // with their figures
}

var wings = []wing{
	{"wmmd", "grids/embedding-*.yaml", []string{"docs/embedding.md", "docs/gallery/embedding.md", "docs/gallery/embedding.png"}},
	{"rehline/benchmark", "grids/rehline-benchmark*.yaml", []string{"docs/solver-benchmark.md", "docs/gallery/solver-benchmark.md", "docs/gallery/profile.png"}},
}

// has reports whether a folder or import path is of the wing.
func (w *wing) has(folder string) bool {
	return folder == w.folder || strings.HasPrefix(folder, w.folder+"/")
}

func (w *wing) deleted() bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(w.folder)))
	return err != nil
}

// ofDeleted reports whether a page or a folder is of a wing that is not there.
func ofDeleted(name string) bool {
	return slices.ContainsFunc(wings, func(w wing) bool {
		return w.deleted() && (w.has(name) || slices.Contains(w.pages, name))
	})
}

// TestWings wants nothing outside of a wing to import it, tests included, but one line of one file.
func TestWings(t *testing.T) {
	t.Parallel()
	lines := map[string]int{}
	walk(t, ".go", func(name string) {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, filepath.FromSlash(name)), nil, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			return
		}
		for _, spec := range file.Imports {
			target, err := strconv.Unquote(spec.Path.Value)
			target, ours := strings.CutPrefix(target, module)
			for _, w := range wings {
				switch {
				case err != nil || !ours || !w.has(target) || w.has(name):
				case name == kindsFile:
					lines[w.folder]++
				default:
					t.Errorf("%s imports %s of the wing %s, which only %s may", name, target, w.folder, kindsFile)
				}
			}
		}
	})
	for _, w := range wings {
		if lines[w.folder] != 1 && !w.deleted() {
			t.Errorf("%s imports packages of the wing %s in %d lines, want one", kindsFile, w.folder, lines[w.folder])
		}
	}
}

// TestWithoutWing deletes each wing from a copy, which must build and pass.
func TestWithoutWing(t *testing.T) {
	if !needs.Long() {
		t.Skip("takes 20 minutes; AGEPATH_LONG=1 does it")
	}
	needs.Program(t, "copying the repository", "git")
	for _, w := range wings {
		t.Run(w.folder, func(t *testing.T) {
			if w.deleted() {
				t.Skip("it is not there")
			}
			dir := t.TempDir()
			copyRepository(t, dir)
			w.delete(t, dir)
			for _, args := range [][]string{{"vet", "./..."}, {"test", "-short", "-timeout", "1h", "./..."}} {
				cmd := exec.CommandContext(t.Context(), "go", args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "AGEPATH_LONG=", "AGEPATH_REQUIRE_ALL=")
				if text, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, text)
				}
			}
		})
	}
}

func copyRepository(t *testing.T, dir string) {
	t.Helper()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if os.IsNotExist(err) { // deleted and not yet committed
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, text, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (w *wing) delete(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(kindsFile))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(line string) bool {
		return strings.Contains(line, module+w.folder+"/") || strings.HasSuffix(strings.TrimSpace(line), module+w.folder+`"`)
	})
	err = os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644)
	grids, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(w.grids)))
	if err != nil || len(grids) == 0 {
		t.Fatalf("%d grids %s, %v", len(grids), w.grids, err)
	}
	for _, name := range append(slices.Clone(w.pages), w.folder) {
		grids = append(grids, filepath.Join(dir, filepath.FromSlash(name)))
	}
	for _, path := range grids {
		if _, err := os.Stat(path); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}
