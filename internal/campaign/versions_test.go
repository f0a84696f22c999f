//go:build unix

package campaign

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
	"github.com/agepath/agepath/results"
)

// oldCommit has schema version 10, the oldest that is read.
const oldCommit = "e3a314eb"

// commonGrid has cells that both versions compute, those of robust-svm, and constants, whose numbers
// have changed. The new version has kinds of noise that the old one lacks.
const commonGrid = `name: versions
seed: 3
repeats: 3
protocol: paper
data: [breast_cancer]
rows: 200
split: {train: 3, test: 1}
scale: {features: standard}
models:
  - {svm: {c: [0.1, 1], kernel: [rbf], kernel_gamma: scale}}
methods: [robust-svm]
`

// TestOldAndNew has a worker of an old version at a coordinator of this one, and the other way round,
// with a worker of the coordinator's version that comes later. What the first cannot compute is left,
// named by status and computed by the other; all numbers are those of the coordinator's version alone.
func TestOldAndNew(t *testing.T) {
	if !needs.Long() {
		t.Skip("builds an old version for minutes")
	}
	now := [2]string{builtProgram(t, "coordinator"), builtProgram(t, "worker")}
	old := oldPrograms(t)
	for name, c := range map[string]struct {
		coordinator, same, other, noise, lack string
	}{
		"old worker": {now[0], now[1], old[1], "[{kind: flip, levels: [0, 0.3]}, {kind: flip-class, levels: [0.3]}]", "version 1 of noise: flip-class"},
		"new worker": {old[0], old[1], now[1], "[{kind: flip, levels: [0, 0.3]}]", "version 1 of constant"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			grid := filepath.Join(dir, "grid.yaml")
			if err := os.WriteFile(grid, []byte(commonGrid+"noise: "+c.noise+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			run := func(out string, args ...string) *exec.Cmd {
				return exec.CommandContext(t.Context(), c.coordinator, append([]string{"run", grid, "--no-reuse", "--out", filepath.Join(dir, out)}, args...)...)
			}
			if text, err := run("alone").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			server := testqueue.Server(t, "127.0.0.1:0").URL()
			work := func(program, name string) {
				worker := exec.CommandContext(t.Context(), program, "--nats", server, "--slots", "1", "--name", name)
				worker.Cancel = func() error { return worker.Process.Signal(os.Interrupt) }
				if err := worker.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = worker.Wait() }) // its context is done
			}
			work(c.other, "other")
			both := run("both", "--nats", server, "--workers", "0")
			var said logText
			both.Stdout, both.Stderr = &said, &said
			if err := both.Start(); err != nil {
				t.Fatal(err)
			}
			var status []byte
			for end := time.Now().Add(2 * time.Minute); !strings.Contains(string(status), "no worker for "+c.lack); {
				if time.Sleep(time.Second); time.Now().After(end) {
					t.Fatalf("status names nothing that the worker lacks:\n%s", status)
				}
				status, _ = exec.CommandContext(t.Context(), c.coordinator, "status", "--nats", server).CombinedOutput()
			}
			work(c.same, "same")
			if err := both.Wait(); err != nil {
				t.Fatalf("%v\n%s", err, said.String())
			}
			frame, err := results.ReadTable(filepath.Join(dir, "both", results.CellsFile), "worker", "status")
			if err != nil {
				t.Fatal(err)
			}
			computed := map[any]int{}
			for row := range frame.Rows() {
				computed[frame.At(0, row)]++
				if status := frame.At(1, row); status != "ok" {
					t.Errorf("a cell ended as %v", status)
				}
			}
			if computed["other"] == 0 || computed["same"] == 0 {
				t.Errorf("cells by worker: %v", computed)
			}
			want, got := commonNumbers(t, filepath.Join(dir, "alone")), commonNumbers(t, filepath.Join(dir, "both"))
			for table, rows := range want {
				slices.Sort(rows)
				slices.Sort(got[table])
				if !slices.Equal(rows, got[table]) {
					t.Errorf("%s differs from that of the coordinator's version alone", table)
				}
			}
		})
	}
}

// commonNumbers is allNumbers without the measures that an old worker lacks, which are null.
func commonNumbers(t *testing.T, dir string) map[string][]string {
	t.Helper()
	later := map[string]bool{}
	for _, column := range selfpaced.Tables().Measures {
		later[column.Name] = column.Since > experiment.OldestSchema
	}
	tables := allNumbers(t, dir)
	for _, rows := range tables {
		for i, row := range rows {
			rows[i] = strings.Join(slices.DeleteFunc(strings.Split(row, " "), func(field string) bool {
				name, _, _ := strings.Cut(field, "=")
				return later[name]
			}), " ")
		}
	}
	return tables
}

// oldPrograms builds the coordinator and the worker of oldCommit.
func oldPrograms(t *testing.T) (programs [2]string) {
	t.Helper()
	dir := t.TempDir()
	source := exec.CommandContext(t.Context(), "bash", "-c", "set -o pipefail; git -C ../.. archive "+oldCommit+" | tar -x -C "+dir)
	if text, err := source.CombinedOutput(); err != nil {
		needs.Lacking(t, "the commit %s, which a whole clone has: %v\n%s", oldCommit, err, text)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", dir+"/old/", "./cmd/coordinator", "./cmd/worker")
	build.Dir = dir
	if text, err := build.CombinedOutput(); err != nil {
		needs.Lacking(t, "the modules of %s: %v\n%s", oldCommit, err, text)
	}
	return [2]string{filepath.Join(dir, "old", "coordinator"), filepath.Join(dir, "old", "worker")}
}
