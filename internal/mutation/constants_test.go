package mutation

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// constantsFor is the environment variable that has constants changed, for the duration that is
	// its value; their order follows from the date.
	constantsFor = "AGEPATH_CONSTANTS"
	// unnoticed has a line "constant: reason" for each constant that no digest has to notice.
	unnoticed = "testdata/unnoticed.txt"
	// digests is the package of the test that notices.
	digests = "experiment/selfpaced"
	byTest  = "TestNumbersHaveVersions"
	module  = "github.com/agepath/agepath/"
	// changed is the package that every constant is passed through, by its number.
	changed = "internal/mutation/changed"
)

// computing has the packages whose constants results depend on; a file where that is one.
var computing = []string{
	"baselines", "gaga", "gaga/internal/branch", "gaga/internal/condition", "gaga/internal/landing", "gaga/internal/model",
	"gaga/internal/newton", "gaga/internal/search", "gaga/internal/sums", "gaga/internal/tolerance", "gaga/internal/window",
	"internal/convex", "internal/activeset", "internal/anderson", "internal/dense", "internal/cubic", "internal/nsga3", "rehline",
	"experiment/choice", "experiment/metric", "experiment/dataset/noise.go", "experiment/dataset/poison.go", "experiment/dataset/prepare.go",
	"experiment/dataset/scale.go", "experiment/dataset/split.go", "experiment/dataset/splitter.go", "experiment/selfpaced/method_path.go",
	"experiment/selfpaced/method_reweighted.go", "experiment/selfpaced/method_robust.go", "experiment/selfpaced/choosing.go", "experiment/selfpaced/folds.go",
	"experiment/selfpaced/age_range.go", "experiment/selfpaced/choice.go", "experiment/selfpaced/compute.go", "experiment/selfpaced/consistent.go",
	"experiment/selfpaced/erm.go", "experiment/selfpaced/fitted.go", "experiment/selfpaced/method_constant.go", "experiment/selfpaced/method_mospl.go",
	"experiment/selfpaced/model.go", "experiment/selfpaced/regularizer.go", "experiment/selfpaced/score.go", "experiment/selfpaced/scripts.go",
}

const changedSource = `package changed

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

var (
	number, _ = strconv.Atoi(os.Getenv("AGEPATH_CHANGED"))
	factor, _ = strconv.ParseFloat(os.Getenv("AGEPATH_FACTOR"), 64)
	list, _   = os.OpenFile(os.Getenv("AGEPATH_REACHED"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	listed    sync.Map
)

func Of[T ~int | ~int64 | ~uint64 | ~uint32 | ~float64](constant int, x T) T {
	if list != nil {
		if _, old := listed.LoadOrStore(constant, true); !old {
			fmt.Fprintln(list, constant)
		}
	}
	if constant != number {
		return x
	}
	one, two := T(1), T(2)
	switch whole := one/two == 0; {
	case factor > 0 && whole:
		return max(T(float64(x)*factor), one)
	case factor > 0:
		return T(float64(x) * factor)
	case whole:
		return x + max(x/5, one)
	}
	return x + x/5
}
`

// TestConstants changes constants, one at a time, by a fifth, integers by one at least, and wants a
// digest to notice. Tolerances and limits, which are below 0.001 or from 10 on, are allowed to be
// noticed only if a hundred times as large or as small: a fifth of them changes nothing by design. All
// are in one program, which is told which to change.
func TestConstants(t *testing.T) {
	t.Parallel()
	if os.Getenv(constantsFor) == "" {
		t.Skipf("takes an hour for all; %s=2h allows that, a shorter time some", constantsFor)
	}
	all := new(constants)
	replace := all.instrument(t)
	reasons := readReasons(t, all.names)
	budget, err := time.ParseDuration(os.Getenv(constantsFor))
	if err != nil {
		t.Fatalf("%s: %v", constantsFor, err)
	}
	program := buildChanged(t, replace)
	subjects, times := reachingOf(t, program, len(all.names))
	end, order := time.Now().Add(budget), rand.New(rand.NewPCG(uint64(time.Now().Unix()/86400), 0)).Perm(len(all.names))
	var fine, coarse, allowed, left int
	for _, k := range order {
		if time.Now().After(end) {
			left++
			continue
		}
		name := all.names[k]
		t.Run(name, func(t *testing.T) {
			subject := notices(t, program, k+1, "", subjects[k], times)
			if subject != "" {
				fine++
			} else if all.coarse[k] {
				if subject = notices(t, program, k+1, "100", subjects[k], times); subject == "" {
					subject = notices(t, program, k+1, "0.01", subjects[k], times)
				}
				if subject != "" {
					coarse++
				}
			}
			switch reason, known := reasons[name]; {
			case subject == "" && !known:
				t.Errorf("none of %d digests that use it notices: extend %s, or give the reason in %s", len(subjects[k]), byTest, unnoticed)
			case subject == "":
				allowed++
			case known:
				t.Errorf("noticed by %s: its line in %s (%s) can go", subject, unnoticed, reason)
			default:
				t.Logf("noticed by %s", subject)
			}
		})
	}
	t.Logf("%d constants: %d noticed, %d more a hundredfold, %d allowed, %d not tried", len(all.names), fine, coarse, allowed, left)
}

// reachingOf returns for each constant the digests that use it, and their time, by computing each alone.
func reachingOf(t *testing.T, program string, constants int) (subjects [][]string, times map[string]time.Duration) {
	t.Helper()
	recorded, err := os.ReadFile(filepath.Join(root, digests, "testdata", "numbers.txt"))
	if err != nil {
		t.Fatal(err)
	}
	subjects, times = make([][]string, constants), map[string]time.Duration{}
	for line := range strings.Lines(string(recorded)) {
		subject, _, _ := strings.Cut(line, ",")
		subject = strings.ReplaceAll(subject, " ", "_")
		used, start := filepath.Join(t.TempDir(), "used"), time.Now()
		if output, err := runChanged(t, program, []string{subject}, patience, "AGEPATH_REACHED="+used); err != nil || !bytes.Contains(output, []byte("--- PASS: "+byTest+"/"+subject+" ")) {
			t.Fatalf("%s without a change: %v\n%s", subject, err, output)
		}
		times[subject] = time.Since(start)
		numbers, err := os.ReadFile(used)
		if err != nil {
			t.Fatal(err)
		}
		for number := range strings.FieldsSeq(string(numbers)) {
			k, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			subjects[k-1] = append(subjects[k-1], subject)
		}
	}
	return subjects, times
}

// failedDigest names the digest that a run has stopped at.
var failedDigest = regexp.MustCompile(`--- FAIL: ` + byTest + `/(\S+)`)

// notices returns the first of the digests that notices a constant multiplied by a factor, a fifth more
// without one. A change that never ends is noticed too.
func notices(t *testing.T, program string, number int, factor string, subjects []string, times map[string]time.Duration) (subject string) {
	t.Helper()
	if len(subjects) == 0 {
		return ""
	}
	most := time.Minute
	for _, s := range subjects {
		most += 5 * times[s]
	}
	output, err := runChanged(t, program, subjects, most, "AGEPATH_CHANGED="+strconv.Itoa(number), "AGEPATH_FACTOR="+factor)
	if err == nil {
		return ""
	}
	if found := failedDigest.FindSubmatch(output); found != nil {
		return string(found[1])
	}
	return err.Error()
}

// readReasons reads the constants that need no notice.
func readReasons(t *testing.T, names []string) map[string]string {
	t.Helper()
	file, err := os.Open(unnoticed)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reasons := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, reason, _ := strings.Cut(lines.Text(), ": ")
		if !slices.Contains(names, name) || reason == "" {
			t.Errorf("%s: there is no constant %q, or no reason", unnoticed, name)
		}
		reasons[name] = reason
	}
	return reasons
}

// buildChanged compiles the test of the digests with other sources in place of some.
func buildChanged(t *testing.T, replace map[string]string) (program string) {
	t.Helper()
	dir := t.TempDir()
	overlay, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "digests.test")
	files := map[string]string{}
	for path, text := range replace {
		absolute, err := filepath.Abs(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		files[absolute] = filepath.Join(dir, strconv.Itoa(len(files))+".go")
		if err := os.WriteFile(files[absolute], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": files})
	if err == nil {
		err = os.WriteFile(overlay, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	goCommand(t, "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, "./"+digests)
	return program
}

func goCommand(t *testing.T, args ...string) []byte {
	t.Helper()
	var problems bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Stderr = root, &problems
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", args[0], err, problems.Bytes())
	}
	return output
}

// runChanged returns an error if a digest differs, at the first.
func runChanged(t *testing.T, program string, subjects []string, patience time.Duration, variables ...string) (output []byte, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	quoted := make([]string, len(subjects))
	for k, subject := range subjects {
		quoted[k] = regexp.QuoteMeta(subject)
	}
	cmd := exec.CommandContext(ctx, program, "-test.v", "-test.failfast", "-test.run", "^"+byTest+"$/^("+strings.Join(quoted, "|")+")$")
	cmd.Dir, cmd.Env = filepath.Join(root, digests), append(os.Environ(), variables...)
	return cmd.CombinedOutput()
}

// constants are those that are changed, by number less 1. A name has the file and what declares the
// constant or, for those without a name, where they are, the expression and, of several there, which.
type constants struct {
	names  []string
	coarse []bool         // tolerances and limits
	known  map[string]int // numbers of those with names of their own
}

// instrument returns the sources of the packages with all constants passed through the package changed.
func (c *constants) instrument(t *testing.T) (sources map[string]string) {
	t.Helper()
	c.known, sources = map[string]int{}, map[string]string{changed + "/changed.go": changedSource}
	packages := map[string][]string{} // files, nil for all
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, path := range computing {
		folder := path
		if strings.HasSuffix(path, ".go") {
			folder = filepath.ToSlash(filepath.Dir(path))
			packages[folder] = append(packages[folder], path)
		} else {
			packages[folder] = nil
		}
		args = append(args, "./"+folder)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(goCommand(t, args...))) {
		path, export, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = export
	}
	set := token.NewFileSet()
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, folder := range slices.Sorted(maps.Keys(packages)) {
		chosen := packages[folder]
		c.instrumentPackage(t, set, imports, folder, chosen, sources)
	}
	return sources
}

func (c *constants) instrumentPackage(t *testing.T, set *token.FileSet, imports types.Importer, folder string, chosen []string, sources map[string]string) {
	t.Helper()
	var files []*ast.File
	var paths []string
	for name := range strings.FieldsSeq(string(goCommand(t, "list", "-f", `{{join .GoFiles " "}}`, "./"+folder))) {
		path := folder + "/" + name
		file, err := parser.ParseFile(set, filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files, paths = append(files, file), append(paths, path)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: imports}
	if _, err := config.Check(module+folder, set, files, info); err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		if chosen != nil && !slices.Contains(chosen, paths[i]) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, paths[i]))
		if err != nil {
			t.Fatal(err)
		}
		f := &constantsOfFile{constants: c, path: paths[i], info: info, set: set, text: text, seen: map[string]int{}}
		ast.Inspect(file, f.visit)
		if f.edits == nil {
			continue
		}
		slices.SortFunc(f.edits, func(a, b edit) int { return cmp.Compare(b.from, a.from) })
		for _, e := range f.edits {
			text = slices.Concat(text[:e.from], []byte(e.text), text[e.to:])
		}
		at := set.Position(file.Name.End()).Offset
		sources[paths[i]] = string(text[:at]) + fmt.Sprintf("; import changed_ %q", module+changed) + string(text[at:])
	}
}

type constantsOfFile struct {
	*constants
	path    string
	info    *types.Info
	set     *token.FileSet
	text    []byte
	seen    map[string]int
	parents []ast.Node
	edits   []edit
}

type edit struct {
	from, to int
	text     string
}

// visit finds the largest constant expressions that need not be constant. What a setting allows, a
// gridfile.Rule, and estimates of time and memory change no result.
func (f *constantsOfFile) visit(n ast.Node) bool {
	switch n := n.(type) {
	case nil:
		f.parents = f.parents[:len(f.parents)-1]
		return true
	case *ast.ArrayType, *ast.ImportSpec:
		return false
	case *ast.GenDecl:
		if n.Tok == token.CONST {
			return false
		}
	case *ast.BinaryExpr:
		if n.Op == token.SHL || n.Op == token.SHR || n.Op == token.REM {
			return false
		}
	case *ast.FuncDecl:
		if f.estimates(n.Name.Name) {
			return false
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && f.estimates(key.Name) {
			return false
		}
	case ast.Expr:
		if last := f.parents[len(f.parents)-1]; !mayVary(last, n) || f.info.TypeOf(n) != nil && f.info.TypeOf(n).String() == module+"experiment/gridfile.Rule" {
			return false
		}
	}
	if expression, ok := n.(ast.Expr); ok && f.change(expression) {
		return false
	}
	f.parents = append(f.parents, n)
	return true
}

// estimates reports whether a function or field of the kind's methods estimates time or memory: its name
// ends in work or bytes.
func (f *constantsOfFile) estimates(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(f.path, digests+"/") && (strings.HasSuffix(name, "work") || strings.HasSuffix(name, "bytes"))
}

// mayVary excludes indexes, bounds, cases and sizes.
func mayVary(parent ast.Node, n ast.Expr) bool {
	switch p := parent.(type) {
	case *ast.IndexExpr:
		return p.Index != n
	case *ast.SliceExpr:
		return p.X == n
	case *ast.CaseClause, *ast.KeyValueExpr:
		pair, ok := p.(*ast.KeyValueExpr)
		return ok && pair.Value == n
	case *ast.CallExpr:
		called, ok := p.Fun.(*ast.Ident)
		return !ok || called.Name != "make" || p.Fun == n
	}
	return true
}

// change passes a constant on, by its number.
func (f *constantsOfFile) change(e ast.Expr) bool {
	value := f.info.Types[e]
	of, ok := value.Type.(*types.Basic)
	if value.Value == nil || !ok || of.Info()&types.IsUntyped != 0 || of.Info()&types.IsNumeric == 0 || constant.Sign(value.Value) == 0 {
		return false
	}
	if !slices.Contains([]types.BasicKind{types.Int, types.Int64, types.Uint64, types.Uint32, types.Float64}, of.Kind()) {
		return false
	}
	inner := e
	for {
		if unary, ok := inner.(*ast.UnaryExpr); ok {
			inner = unary.X
		} else if in, ok := inner.(*ast.ParenExpr); ok {
			inner = in.X
		} else {
			break
		}
	}
	if literal, ok := inner.(*ast.BasicLit); ok && literal.Kind == token.INT && len(literal.Value) == 1 && literal.Value <= "2" {
		return true // of a formula
	}
	if selector, ok := inner.(*ast.SelectorExpr); ok && !strings.HasPrefix(f.info.Uses[selector.Sel].Pkg().Path(), module) {
		return true // of another module, such as √2
	}
	from, to := f.set.Position(e.Pos()).Offset, f.set.Position(e.End()).Offset
	text := string(f.text[from:to])
	f.edits = append(f.edits, edit{from, to, fmt.Sprintf("changed_.Of(%d, %s(%s))", f.number(inner, text, value.Value), of.Name(), text)})
	return true
}

// number gives a constant with a name one number for all of its uses.
func (f *constantsOfFile) number(e ast.Expr, text string, value constant.Value) int {
	identifier, _ := e.(*ast.Ident)
	if selector, ok := e.(*ast.SelectorExpr); ok {
		identifier = selector.Sel
	}
	name := fmt.Sprintf("%s %s %s", f.path, declares(f.parents), strings.Join(strings.Fields(text), " "))
	if declared, ok := f.info.Uses[identifier].(*types.Const); ok {
		if name = strings.TrimPrefix(declared.Pkg().Path(), module) + " " + declared.Name(); declared.Parent() != declared.Pkg().Scope() {
			name = fmt.Sprintf("%s %s %s", f.path, declares(f.parents), declared.Name())
		}
		if number := f.known[name]; number > 0 {
			return number
		}
		f.known[name] = len(f.names) + 1
	} else if f.seen[name]++; f.seen[name] > 1 {
		name += fmt.Sprintf(" #%d", f.seen[name])
	}
	size, _ := constant.Float64Val(constant.ToFloat(value))
	f.names, f.coarse = append(f.names, name), append(f.coarse, math.Abs(size) <= 1e-3 || math.Abs(size) >= 10)
	return len(f.names)
}

// declares names the function or variable around an expression.
func declares(parents []ast.Node) string {
	for _, parent := range parents {
		switch p := parent.(type) {
		case *ast.FuncDecl:
			return p.Name.Name
		case *ast.ValueSpec:
			return p.Names[0].Name
		}
	}
	return ""
}
