package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// What CONTRIBUTING.md says of the size of types and functions.
const (
	mostFields  = 20
	mostMethods = 35
	mostLines   = 80
)

// TestSizes wants types and functions to be no larger than CONTRIBUTING.md allows.
func TestSizes(t *testing.T) {
	t.Parallel()
	type name struct{ dir, of string }
	fields, methods := map[name]int{}, map[name]int{}
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), "_"): // generators
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncDecl:
				if lines := files.Position(node.End()).Line - files.Position(node.Pos()).Line + 1; lines > mostLines {
					t.Errorf("%s: %s has %d lines; allowed are %d", path, node.Name, lines, mostLines)
				}
				if node.Recv != nil {
					methods[name{dir, receiver(node.Recv.List[0].Type)}]++
				}
			case *ast.TypeSpec:
				if of, ok := node.Type.(*ast.StructType); ok {
					fields[name{dir, node.Name.Name}] = of.Fields.NumFields()
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(fields) < 300 || len(methods) < 300 {
		t.Errorf("%d structs and %d types with methods were found", len(fields), len(methods))
	}
	for of, n := range fields {
		if n > mostFields {
			t.Errorf("%s.%s has %d fields; allowed are %d", of.dir, of.of, n, mostFields)
		}
	}
	for of, n := range methods {
		if n > mostMethods {
			t.Errorf("%s.%s has %d methods; allowed are %d", of.dir, of.of, n, mostMethods)
		}
	}
}

// receiver is the name of the type that a method belongs to.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}
