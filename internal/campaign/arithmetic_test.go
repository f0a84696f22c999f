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
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
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

// TestOneArithmetic computes the same cells with the assembly, by a program without any, and on a
// processor without the instructions, and wants every number equal bit for bit. Without FMA and for
// arm64, which is emulated, only with AGEPATH_LONG=1, then of the quickstarts too.
func TestOneArithmetic(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	t.Parallel()
	if runtime.GOARCH != "amd64" || !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		t.Skip("there is one arithmetic here: the processor is none of x86-64 with AVX2 and FMA")
	}
	own := builtProgram(t, "coordinator")
	plain := compiled(t, nil, "-tags", "purego,noasm", "github.com/agepath/agepath/cmd/coordinator")
	all := append(kinds.All(t, "../.."), &kinds.Kind{Name: "self-paced", Sweep: smallSweep})
	var arm string
	if needs.Long() {
		arm = armProgram(t, "coordinator")
		for _, name := range []string{"quickstart", "embedding-quickstart"} {
			text, err := os.ReadFile("../../grids/" + name + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, &kinds.Kind{Name: name, Sweep: strings.Replace(string(text), "name: "+name+"\n", "", 1)})
		}
	}
	for _, kind := range all {
		t.Run(kind.Name, func(t *testing.T) {
			var want map[string][]string
			processors := []struct{ name, program, godebug string }{
				{"assembly", own, ""},
				{"plain Go", plain, ""},
				{"no AVX2", own, "cpu.avx2=off"},
				{"no FMA", own, "cpu.fma=off"}, // math.FMA in software
				{"arm64", arm, ""},
			}
			switch {
			case !needs.Long():
				processors = processors[:3]
			case strings.HasSuffix(kind.Name, "quickstart"):
				processors = slices.Delete(processors, 1, 4)
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

// compiled returns a program built with arguments and variables.
func compiled(t *testing.T, env []string, args ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"build", "-ldflags=-s -w", "-o", program}, args...)...)
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return program
}

// armProgram returns a program for arm64 that fuses nothing, which qemu runs.
func armProgram(t *testing.T, name string) string {
	t.Helper()
	needs.Program(t, "programs for arm64", "qemu-aarch64-static", "qemu-aarch64")
	program := compiled(t, []string{"GOOS=linux", "GOARCH=arm64"}, "-gcflags=all=-d=fmahash=qn", "github.com/agepath/agepath/cmd/"+name)
	text, err := exec.CommandContext(t.Context(), program, "version").CombinedOutput()
	switch {
	case err != nil:
		needs.Lacking(t, "the kernel does not start programs for arm64 by qemu (binfmt_misc): %v", err)
	case !strings.HasSuffix(string(text), " linux/arm64\n"):
		t.Fatalf("the program for arm64 says that it is\n%s", text)
	}
	return program
}

// TestTwoArchitectures has a worker on x86-64 and one on arm64 in one run, whose cells are those of a
// run on x86-64 alone.
func TestTwoArchitectures(t *testing.T) {
	if !needs.Long() {
		t.Skip("emulates arm64 for minutes")
	}
	programs := []string{builtProgram(t, "worker"), armProgram(t, "worker")}
	dir := t.TempDir()
	grid := filepath.Join(dir, "grid.yaml")
	if err := os.WriteFile(grid, []byte("name: two\n"+smallSweep), 0o600); err != nil {
		t.Fatal(err)
	}
	alone, both := filepath.Join(dir, "alone"), filepath.Join(dir, "both")
	run := func(args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), builtProgram(t, "coordinator"), append([]string{"run", grid, "--figures", "0", "--no-reuse", "--out"}, args...)...)
	}
	if text, err := run(alone).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	server := testqueue.Server(t, "127.0.0.1:0").URL()
	for _, program := range programs {
		worker := exec.CommandContext(t.Context(), program, "--nats", server, "--slots", "1")
		worker.Cancel = func() error { return worker.Process.Signal(os.Interrupt) }
		if err := worker.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = worker.Wait() }) // its context is done
	}
	if text, err := run(both, "--nats", server, "--workers", "0").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	frame, err := results.ReadTable(filepath.Join(both, results.CellsFile), "platform")
	if err != nil {
		t.Fatal(err)
	}
	computed := map[any]int{}
	for row := range frame.Rows() {
		computed[frame.At(0, row)]++
	}
	if computed["linux/amd64"] == 0 || computed["linux/arm64"] == 0 {
		t.Errorf("cells by platform: %v", computed)
	}
	want, got := allNumbers(t, alone), allNumbers(t, both)
	for table, rows := range want {
		slices.Sort(rows)
		slices.Sort(got[table])
		if !slices.Equal(rows, got[table]) {
			t.Errorf("%s differs from that of x86-64 alone", table)
		}
	}
}

// allNumbers reads the rows of all tables of a folder, without what differs each time.
func allNumbers(t *testing.T, dir string) map[string][]string {
	t.Helper()
	varying := []string{"peak_bytes", "platform", "worker", "started_at", "finished_at"}
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
