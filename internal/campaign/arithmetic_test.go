//go:build unix

package campaign

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/agepath/agepath/internal/testing/kinds"
	"github.com/agepath/agepath/results"
)

// smallSweep has a few cells of every method and model of the self-paced kind.
const smallSweep = `seed: 5
repeats: 1
rows: 90
keep: {knots: true, coefficients: true}
split: {train: 3, test: 1, validation: 0.2}
age: {min: 0.1, max: 2, acs_step: 0.5}
regularizers: [hard, linear, log: {a: [2]}, polynomial: {order: [3]}, mixture: {gamma: [0.5]}]
sweeps:
  - data: [diabetes]
    models: [lasso: {alpha: [0.01], intercept: true}]
    methods: [original, acs, gaga, huber-lasso]
  - data: [breast_cancer]
    models: [svm: {c: [1], kernel: linear}, svm: {c: [1], kernel: rbf, kernel_gamma: scale}, logistic: {c: [1]}]
    methods: [original, acs, gaga]
  - data: [breast_cancer]
    models: [svm: {c: [1], kernel: rbf, kernel_gamma: scale}]
    regularizers: [linear]
    methods: [mospl, robust-svm, rlssvm, relssvm]
`

// TestOneArithmetic computes the same cells with the assembly, by a program without it, and on a
// processor without the instructions, and wants every number equal bit for bit. Without FMA,
// which is slow, only with AGEPATH_LONG=1.
func TestOneArithmetic(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	t.Parallel()
	if runtime.GOARCH != "amd64" || !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		t.Skip("there is one arithmetic here: the processor is none of x86-64 with AVX2 and FMA")
	}
	own := builtProgram(t, "coordinator")
	plain := filepath.Join(t.TempDir(), "coordinator")
	if text, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-tags", "purego", "-o", plain, "github.com/agepath/agepath/cmd/coordinator").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, kind := range append(kinds.All(t, "../.."), &kinds.Kind{Name: "self-paced", Sweep: smallSweep}) {
		t.Run(kind.Name, func(t *testing.T) {
			var want map[string][]string
			processors := []struct{ name, program, godebug string }{
				{"assembly", own, ""},
				{"plain Go", plain, ""},
				{"no AVX2", own, "cpu.avx2=off"},
				{"no FMA", own, "cpu.fma=off"}, // math.FMA in software
			}
			if os.Getenv("AGEPATH_LONG") != "1" {
				processors = processors[:3]
			}
			for _, c := range processors {
				dir := t.TempDir()
				path, out := filepath.Join(dir, "grid.yaml"), filepath.Join(dir, "out")
				if err := os.WriteFile(path, []byte("name: small\n"+kind.Sweep), 0o600); err != nil {
					t.Fatal(err)
				}
				run := exec.CommandContext(t.Context(), c.program, "run", path, "--out", out, "--figures", "0", "--no-reuse")
				run.Env = append(os.Environ(), "GODEBUG="+c.godebug)
				if text, err := run.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", c.name, err, text)
				}
				got := allNumbers(t, out)
				if want == nil {
					want = got
					continue
				}
				for table, rows := range want {
					if len(rows) != len(got[table]) {
						t.Errorf("%s: %s has %d rows, want %d", c.name, table, len(got[table]), len(rows))
						continue
					}
					for i, row := range rows {
						if row != got[table][i] {
							t.Errorf("%s: row %d of %s is\n%s, want\n%s", c.name, i, table, got[table][i], row)
							break
						}
					}
				}
			}
		})
	}
}

// allNumbers reads the rows of all tables of a folder, without what differs each time.
func allNumbers(t *testing.T, dir string) map[string][]string {
	t.Helper()
	varying := []string{"peak_bytes", "worker", "started_at", "finished_at"}
	files, err := filepath.Glob(filepath.Join(dir, "*.arrow"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tables: %v", dir, err)
	}
	tables := map[string][]string{}
	for _, file := range files {
		frame, err := results.ReadTable(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		for i := range frame.Rows() {
			var row []string
			for j, column := range frame.Columns {
				if !slices.Contains(varying, column.Name) && !strings.Contains(column.Name, "seconds") {
					row = append(row, column.Name+"="+exact(frame.At(j, i)))
				}
			}
			tables[name] = append(tables[name], strings.Join(row, " "))
		}
	}
	return tables
}
