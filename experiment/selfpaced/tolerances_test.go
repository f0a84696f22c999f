package selfpaced

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/gridfile"
)

// toleranced are the files of numbers by which solvers decide, and the methods whose results
// a change of one alters.
var toleranced = []struct {
	files   string
	methods []string
}{
	{"gaga/internal/tolerance/*.go", []string{GAGA}},
	{"rehline/solve_tolerance.go", []string{Original, ACS, ACSOnce, ACSShare, GAGA, HuberLasso, MOSPL, RobustSVM}},
}

// recordedTolerances has the versions of the methods, and the value of each number with them.
const recordedTolerances = "testdata/tolerances.txt"

// A change of a number by which a solver decides raises the versions of the methods that it
// alters. Then -update records both; it adds and drops names without that, as no value hangs
// on them.
func TestTolerancesHaveVersions(t *testing.T) {
	was, now, stale := readTolerances(t), map[string]string{}, []string(nil)
	for _, set := range toleranced {
		raised := true
		for _, name := range set.methods {
			key, version := set.files+" for "+name, fmt.Sprint(gridfile.Lookup(methodTable, name).algorithm)
			now[key], raised = version, raised && was[key] != version
		}
		for name, value := range tolerancesOf(t, set.files) {
			key := set.files + " " + name
			if now[key] = value; !raised && changed(was, key, value) {
				t.Errorf("%s is %s, was %s: raise the versions of %s (and the table in docs/grid.md), then record it with -update", key, value, was[key], strings.Join(set.methods, ", "))
			}
		}
	}
	for key, value := range now {
		if was[key] != value {
			stale = append(stale, key)
		}
	}
	for key := range was {
		if now[key] == "" {
			stale = append(stale, key)
		}
	}
	switch {
	case t.Failed() || len(stale) == 0:
	case *update:
		var text strings.Builder
		for _, key := range slices.Sorted(maps.Keys(now)) {
			fmt.Fprintf(&text, "%s: %s\n", key, now[key])
		}
		if err := os.WriteFile(recordedTolerances, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not have %s as they are: record them with -update", recordedTolerances, strings.Join(stale, ", "))
	}
}

// changed reports whether a recorded value is another.
func changed(was map[string]string, key, value string) bool {
	before, known := was[key]
	return known && before != value
}

// readTolerances returns the recorded versions and values by their keys.
func readTolerances(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(recordedTolerances)
	if err != nil && !(os.IsNotExist(err) && *update) {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		list[key] = value
	}
	return list
}

// tolerancesOf returns the values of the constants of files, but for those in a block whose
// comment says that they alter no result, and of the numbers in literals of variables.
func tolerancesOf(t *testing.T, pattern string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("../..", pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no files, %v", pattern, err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := (&types.Config{}).Check("tolerance", set, files, info); err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for _, file := range files {
		for _, decl := range file.Decls {
			block, ok := decl.(*ast.GenDecl)
			if !ok || strings.Contains(block.Doc.Text(), "alters no result") {
				continue
			}
			if block.Tok == token.CONST && !strings.Contains(block.Doc.Text(), "alters results") {
				t.Errorf("%s: a block of numbers does not say whether a change alters results", set.Position(block.Pos()))
			}
			ast.Inspect(block, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					if c, ok := info.Defs[n].(*types.Const); ok {
						values[n.Name] = c.Val().ExactString()
					}
				case *ast.ValueSpec:
					for k, v := range n.Values {
						literal, ok := v.(*ast.CompositeLit)
						if !ok {
							continue
						}
						for _, e := range literal.Elts {
							if pair, ok := e.(*ast.KeyValueExpr); ok {
								values[fmt.Sprint(n.Names[k], ".", pair.Key)] = info.Types[pair.Value].Value.ExactString()
							}
						}
					}
				}
				return true
			})
		}
	}
	return values
}

// The values are those that the compiler has, also of expressions and literals.
func TestTolerancesOf(t *testing.T) {
	folder, err := os.MkdirTemp("testdata", "tolerances") //nolint:usetesting // a folder of this module
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	const source = "package p\n// A change alters results.\nconst (\n\tA = 0.5 // one\n\tB = 3 * A\n)\n// These alter: a change alters no result.\nconst C = 7\ntype pair struct{ x, y float64 }\nvar d = pair{x: A, y: 0x1p-3}\n"
	if err := os.WriteFile(filepath.Join(folder, "p.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"A": "1/2", "B": "3/2", "d.x": "1/2", "d.y": "1/8"}
	if got := tolerancesOf(t, filepath.Join("experiment/selfpaced", folder, "p.go")); !maps.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
	if !changed(want, "A", "1/3") || changed(want, "A", "1/2") || changed(want, "E", "1") {
		t.Error("a value that is another counts as the same, or the reverse")
	}
}
