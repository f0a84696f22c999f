// Package docs holds the project's documents; its tests compare them with the
// code.
package docs

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/agepath/agepath/"

// root is the root of the repository, as seen from the tests.
const root = ".."

// walk calls visit with the slashed path of every file of the repository that
// ends in ending, below root.
func walk(t *testing.T, ending string, visit func(name string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() && file != root && (strings.HasPrefix(base, ".") || slices.Contains([]string{"out", "testdata", "node_modules"}, base)) {
			return fs.SkipDir
		}
		if !entry.IsDir() && strings.HasSuffix(base, ending) {
			relative, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			visit(filepath.ToSlash(relative))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// layer is a row of the table of layers.
type layer struct {
	name    string
	imports []string
}

var code = regexp.MustCompile("`([^`]+)`")

// layers reads the table of ARCHITECTURE.md.
func layers(t *testing.T) []layer {
	t.Helper()
	var list []layer
	_, text, found := strings.Cut(read(t, "ARCHITECTURE.md"), "| package | what lives there | imports |\n")
	if !found {
		t.Fatal("ARCHITECTURE.md has no table of layers")
	}
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			break
		}
		name := code.FindStringSubmatch(cells[1])
		if name == nil {
			continue // the rule below the head
		}
		row := layer{name: name[1]}
		for _, match := range code.FindAllStringSubmatch(cells[3], -1) {
			row.imports = append(row.imports, match[1])
		}
		list = append(list, row)
	}
	return list
}

// shared holds what tests share; the table has one row for all of its packages.
const shared = "internal/testing"

// rowOf returns the name of the row that a package has in the table.
func rowOf(folder string) string {
	if strings.HasPrefix(folder, shared+"/") {
		return shared
	}
	return folder
}

// TestLayers compares the table of layers with what packages import, tests
// left out. Nothing but tests imports what tests share.
func TestLayers(t *testing.T) {
	t.Parallel()
	table := layers(t)
	row := func(name string) int {
		return slices.IndexFunc(table, func(l layer) bool { return l.name == name })
	}
	for i, l := range table {
		for _, name := range l.imports {
			if j := row(name); j <= i {
				t.Errorf("ARCHITECTURE.md: %s imports %s, which is not in a row below", l.name, name)
			}
		}
	}
	seen := map[string]bool{}
	walk(t, ".go", func(name string) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		folder := rowOf(path.Dir(name))
		seen[folder] = true
		i := row(folder)
		if i < 0 {
			t.Errorf("ARCHITECTURE.md has no row for %s", folder)
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, filepath.FromSlash(name)), nil, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			return
		}
		for _, spec := range file.Imports {
			target, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Error(err)
			}
			target, ours := strings.CutPrefix(target, module)
			target = rowOf(target)
			switch {
			case !ours || target == folder:
			case target == shared:
				t.Errorf("%s imports a package of %s, which is for tests alone", name, shared)
			case !slices.Contains(table[i].imports, target):
				t.Errorf("%s imports %s, which ARCHITECTURE.md does not allow", name, target)
			}
		}
	})
	for _, l := range table {
		if !seen[l.name] {
			t.Errorf("ARCHITECTURE.md has a row for %s, which is no package", l.name)
		}
	}
}

// TestNoStrayHelpers: what neither programs nor examples import is shared by tests or has
// tests alone.
func TestNoStrayHelpers(t *testing.T) {
	t.Parallel()
	table := layers(t)
	reached := map[string]bool{shared: true}
	for _, l := range table { // a package is imported by rows above it
		if reached[l.name] || strings.HasPrefix(l.name, "cmd/") || strings.HasPrefix(l.name, "examples/") {
			reached[l.name] = true
			if l.name != shared {
				for _, name := range l.imports {
					reached[name] = true
				}
			}
			continue
		}
		own, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(l.name), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		own = slices.DeleteFunc(own, func(name string) bool {
			return strings.HasSuffix(name, "_test.go") || filepath.Base(name) == "doc.go"
		})
		if len(own) > 0 && l.name != "internal/kernel/_asm" {
			t.Errorf("only tests import %s: it belongs to %s", l.name, shared)
		}
	}
}
