// Package docs holds the project's documents; its tests compare them with the
// code.
package docs

import (
	"flag"
	"fmt"
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

var code = regexp.MustCompile("`([^`]+)`")

// layers returns the packages of the table of ARCHITECTURE.md in its order, without deleted wings.
func layers(t *testing.T) []string {
	t.Helper()
	var list []string
	_, text, found := strings.Cut(read(t, "ARCHITECTURE.md"), "| package | what is in it |\n")
	if !found {
		t.Fatal("ARCHITECTURE.md has no table of layers")
	}
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			break
		}
		for _, name := range code.FindAllStringSubmatch(cells[1], -1) {
			if !ofDeleted(name[1]) {
				list = append(list, name[1])
			}
		}
	}
	return list
}

// shared holds what tests share; the table has one row for all of its packages.
const shared = "internal/testing"

// rowOf returns the name of the row that a package has in the table: a wing has one.
func rowOf(folder string) string {
	rows := []string{shared, generator}
	for _, w := range wings {
		rows = append(rows, w.folder)
	}
	for _, row := range rows {
		if strings.HasPrefix(folder, row+"/") {
			return row
		}
	}
	return folder
}

// generator is the program that writes the assembly.
const generator = "internal/kernel/_asm"

// imports returns the packages of this module that each package imports, tests left out.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	walk(t, ".go", func(name string) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		folder := rowOf(path.Dir(name))
		list := found[folder]
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
			if target = rowOf(target); ours && target != folder && !slices.Contains(list, target) {
				list = append(list, target)
			}
		}
		slices.Sort(list)
		found[folder] = list
	})
	return found
}

var update = flag.Bool("update", false, "write docs/imports.txt")

// TestLayers wants each package to import only packages below it in the table of ARCHITECTURE.md,
// and docs/imports.txt to list its imports, so that a new one shows in a review. Nothing but tests
// imports what tests share.
func TestLayers(t *testing.T) {
	t.Parallel()
	table, found := layers(t), imports(t)
	var list strings.Builder
	for i, name := range table {
		if _, there := found[name]; !there {
			t.Errorf("ARCHITECTURE.md has %s, which is not a package", name)
		}
		fmt.Fprintf(&list, "%s: %s\n", name, strings.Join(found[name], " "))
		for _, target := range found[name] {
			switch {
			case target == shared:
				t.Errorf("%s imports a package of %s, which is for tests alone", name, shared)
			case slices.Index(table, target) <= i:
				t.Errorf("%s imports %s, which is not below it in ARCHITECTURE.md", name, target)
			}
		}
		delete(found, name)
	}
	for name := range found {
		t.Errorf("ARCHITECTURE.md does not have %s", name)
	}
	const file = "docs/imports.txt"
	if *update {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(file)), []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := read(t, file)
	for _, w := range wings {
		if w.deleted() {
			want = regexp.MustCompile(`(?m)^`+w.folder+`: .*\n| `+w.folder+`\b`).ReplaceAllString(want, "")
		}
	}
	if want != list.String() {
		t.Errorf("%s does not have the imports: if they are meant, run go test ./docs -run TestLayers -update", file)
	}
}

// TestNoStrayHelpers: what neither programs nor examples import is shared by tests or has
// tests alone.
func TestNoStrayHelpers(t *testing.T) {
	t.Parallel()
	found := imports(t)
	reached := map[string]bool{shared: true}
	for _, name := range layers(t) { // a package is imported by those above it
		if reached[name] || strings.HasPrefix(name, "cmd/") || strings.HasPrefix(name, "examples/") {
			reached[name] = true
			if name != shared {
				for _, target := range found[name] {
					reached[target] = true
				}
			}
			continue
		}
		own, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(name), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		own = slices.DeleteFunc(own, func(name string) bool {
			return strings.HasSuffix(name, "_test.go") || filepath.Base(name) == "doc.go"
		})
		if len(own) > 0 && name != generator && name != "deploy/release" { // programs
			t.Errorf("only tests import %s: it belongs to %s", name, shared)
		}
	}
}
