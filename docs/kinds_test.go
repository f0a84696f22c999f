package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	_ "github.com/agepath/agepath/internal/command" // the list of kinds
	"github.com/agepath/agepath/results/layout"
)

// kindFolders returns the kinds' own packages, with what is below them.
var kindFolders = sync.OnceValue(func() []string {
	folders := []string{"experiment/selfpaced"}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, kindsFile), nil, parser.ImportsOnly)
	if err != nil {
		panic(err)
	}
	for _, spec := range file.Imports {
		folder := strings.TrimPrefix(strings.Trim(spec.Path.Value, `"`), module)
		if !strings.HasPrefix(folder, folders[0]) {
			folders = append(folders, folder)
		}
	}
	return folders
})

func ofKind(folder string) bool {
	return slices.ContainsFunc(kindFolders(), func(p string) bool { return folder == p || strings.HasPrefix(folder, p+"/") })
}

// compound is a name of several words, or of a table's file.
var compound = regexp.MustCompile(`^[a-z][a-z0-9]*([-_][a-z0-9]+)+$|^[a-z]+[.]csv$`)

// notKinds are names that mean something without a kind of experiment: words of grids and of the
// protocol of commands, metrics, words of other formats.
var notKinds = []string{
	"accuracy", "coefficients", "columns", "mae", "none", "regularizer", "rmse", "task", // what a grid, a data set, a table or a command has
	"linear", "log", "scale", // spacing of ranges of numbers, Weibull's parameter
	"path", "time", // keys and columns, the section of times in reports
}

// namesOfKinds returns the names of the kinds: of themselves, their methods, tables, figures and
// files, every literal of several words and every constant of one word in their packages, and
// the first text of each entry of their tables of models, losses and the like. Columns that the
// runner or [layout.Columns] has, data sets and notKinds are none.
func namesOfKinds(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	add := func(list ...string) {
		for _, name := range list {
			names[name] = true
		}
	}
	kinds := experiment.Registrations()
	if len(kinds) != len(kindFolders()) {
		t.Fatalf("%d kinds in the folders %q", len(kinds), kindFolders())
	}
	for _, kind := range kinds {
		add(kind.Name())
		for _, table := range kind.Tables().Further {
			add(table.Name)
		}
		for _, method := range kind.Layout.Methods {
			add(method.Name)
		}
		if own := kind.Layout.Own; own != nil {
			add(own.Figures...)
		}
	}
	walk(t, ".go", func(name string) {
		if !ofKind(path.Dir(name)) || strings.HasSuffix(name, "_test.go") {
			return
		}
		_, file := parsed(t, name)
		eachText(file, func(text string, _ token.Pos) {
			if compound.MatchString(text) {
				add(text)
			}
		})
		for _, declared := range file.Decls {
			general, ok := declared.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range general.Specs {
				if of, ok := spec.(*ast.ValueSpec); ok && len(of.Values) > 0 {
					add(declaredNames(general.Tok, of)...)
				}
			}
		}
	})
	for _, column := range (experiment.Tables{}).Cells().Columns {
		delete(names, column.Name)
	}
	for _, entry := range dataset.Catalog() {
		delete(names, entry.Name)
	}
	for _, name := range slices.Concat(layout.Columns, notKinds) {
		delete(names, name)
	}
	return names
}

// declaredNames returns the text of a constant, and the first text of each entry of a variable
// that is called a table.
func declaredNames(what token.Token, of *ast.ValueSpec) (names []string) {
	switch value := of.Values[0].(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(value.Value); err == nil && what == token.CONST && value.Kind == token.STRING {
			names = append(names, text)
		}
	case *ast.CompositeLit:
		for _, entry := range value.Elts {
			first := ""
			eachText(entry, func(text string, _ token.Pos) {
				if first == "" {
					first = text
				}
			})
			if strings.HasSuffix(of.Names[0].Name, "Table") && first != "" {
				names = append(names, first)
			}
		}
	}
	return names
}

func parsed(t *testing.T, name string) (*token.FileSet, *ast.File) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, filepath.Join(root, filepath.FromSlash(name)), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return files, file
}

// eachText calls do with each string literal but import paths.
func eachText(in ast.Node, do func(text string, at token.Pos)) {
	ast.Inspect(in, func(n ast.Node) bool {
		if _, is := n.(*ast.ImportSpec); is {
			return false
		}
		if literal, is := n.(*ast.BasicLit); is && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				do(text, literal.Pos())
			}
		}
		return true
	})
}

// TestNothingElseNamesAKind holds the border between the kinds of experiments and what runs,
// stores and reports them. No file in cmd, experiment, internal/command and results imports a
// package of a kind or has a name of a kind as a string literal, but for the kinds' own
// packages, the list of kinds and tests.
func TestNothingElseNamesAKind(t *testing.T) {
	t.Parallel()
	names := namesOfKinds(t)
	for _, name := range []string{"self-paced", "gaga", "knots", "split_train", "huber-lasso", "hinge", "elastic-net"} {
		if !names[name] {
			t.Errorf("%s is no name of a kind", name)
		}
	}
	walk(t, ".go", func(name string) {
		folder := path.Dir(name)
		inside := slices.ContainsFunc([]string{"cmd/", "experiment/", "internal/command/", "results/"}, func(p string) bool { return strings.HasPrefix(name, p) })
		if !inside || ofKind(folder) || strings.HasSuffix(name, "_test.go") || name == kindsFile {
			return
		}
		files, file := parsed(t, name)
		for _, spec := range file.Imports {
			if text, _ := strconv.Unquote(spec.Path.Value); ofKind(strings.TrimPrefix(text, module)) {
				t.Errorf("%s imports %s, a package of a kind", name, text)
			}
		}
		eachText(file, func(text string, at token.Pos) {
			if names[text] {
				t.Errorf("%v: %q is a name of a kind", files.Position(at), text)
			}
		})
	})
}

// TestGridsOfTheRepository parses every grid that is shipped, of whatever kind.
func TestGridsOfTheRepository(t *testing.T) {
	t.Parallel()
	var paths []string
	for _, pattern := range []string{"*.yaml", filepath.Join("honest", "*.yaml"), filepath.Join("scripts", "*.yaml")} {
		found, err := filepath.Glob(filepath.Join(root, "grids", pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no grids %s found: %v", pattern, err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		if _, err := experiment.ParseFile(path, nil); err != nil {
			t.Error(err)
		}
	}
}
