//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// beforeVariable names another coordinator program, which BenchmarkStart measures in turns
// with this one.
const beforeVariable = "AGEPATH_BEFORE"

// BenchmarkStart tells the elapsed and the processor time of short processes, medians: the
// help, a plan, a run of one cell without figures, and the process of a slot until it is ready
// and until its first cell is computed. With AGEPATH_BEFORE=PROGRAM it runs that program in
// turns and reports the times over its own.
func BenchmarkStart(b *testing.B) {
	now := filepath.Join(b.TempDir(), "coordinator")
	if text, err := exec.Command("go", "build", "-o", now, ".").CombinedOutput(); err != nil {
		b.Fatalf("building the program: %v\n%s", err, text)
	}
	grid := filepath.Join(b.TempDir(), "one.yaml")
	text := "name: one\nrepeats: 1\ndata: [diabetes]\nmodels: [{lasso: {alpha: 0.01}}]\nregularizers: [linear]\nmethods: [gaga]\n"
	if err := os.WriteFile(grid, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	request := slotRequest(b, grid)
	run := func(program string, args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), reuseVariable+"=true")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %v\n%s", args, err, out)
		}
		return cmd
	}
	for _, process := range []struct {
		name string
		run  func(program string) *exec.Cmd
	}{
		{"help", func(program string) *exec.Cmd { return run(program, "--help") }},
		{"plan", func(program string) *exec.Cmd { return run(program, "plan", grid) }},
		{"run", func(program string) *exec.Cmd {
			return run(program, "run", grid, "--out", b.TempDir(), "--figures", "0")
		}},
		{"slot", func(program string) *exec.Cmd { return slotProcess(b, program, nil) }},
		{"slot-and-cell", func(program string) *exec.Cmd { return slotProcess(b, program, request) }},
	} {
		b.Run(process.name, func(b *testing.B) {
			programs := []string{now}
			if before := os.Getenv(beforeVariable); before != "" {
				programs = append(programs, before)
			}
			var wall, busy [2][]float64 // milliseconds
			for range b.N {
				for i, program := range programs {
					began := time.Now()
					cmd := process.run(program)
					wall[i] = append(wall[i], time.Since(began).Seconds()*1e3)
					busy[i] = append(busy[i], (cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds()*1e3)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(wall[0]), "ms")
			b.ReportMetric(median(busy[0]), "cpu-ms")
			if len(programs) > 1 {
				b.ReportMetric(median(wall[0])/median(wall[1]), "ratio")
				b.ReportMetric(median(busy[0])/median(busy[1]), "cpu-ratio")
			}
		})
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// slotProcess runs the process of a slot until it says that it is ready and, where there is a
// request, until it has answered that.
func slotProcess(b *testing.B, program string, request []byte) *exec.Cmd {
	b.Helper()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "AGEPATH_SLOT_PROCESS=1", "GOMAXPROCS=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	want := "r"
	if request != nil {
		want = "ro"
		if _, err := in.Write(request); err != nil {
			b.Fatal(err)
		}
	}
	for _, kind := range []byte(want) {
		var head [5]byte
		if _, err := io.ReadFull(out, head[:]); err != nil || head[0] != kind {
			b.Fatalf("the slot says %q, want %q: %v", head[0], kind, err)
		}
		if _, err := io.CopyN(io.Discard, out, int64(binary.LittleEndian.Uint32(head[1:]))); err != nil {
			b.Fatal(err)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return cmd
}

// slotRequest returns the request for the first cell of a grid, as a worker sends it.
func slotRequest(b *testing.B, path string) []byte {
	b.Helper()
	grid, err := experiment.ParseFile(path, nil)
	if err != nil {
		b.Fatal(err)
	}
	plan, err := grid.Plan(b.Context(), &dataset.Library{})
	if err != nil {
		b.Fatal(err)
	}
	files := map[string]string{}
	for _, data := range plan.Data {
		set, err := plan.Dataset(b.Context(), data.Digest)
		if err != nil {
			b.Fatal(err)
		}
		var text bytes.Buffer
		if err := dataset.Encode(&text, set); err != nil {
			b.Fatal(err)
		}
		files[data.Digest] = filepath.Join(b.TempDir(), data.Digest)
		if err := os.WriteFile(files[data.Digest], text.Bytes(), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for task, err := range plan.Tasks() {
		if err != nil {
			b.Fatal(err)
		}
		encoded, err := cbor.Marshal(task)
		if err != nil {
			b.Fatal(err)
		}
		body, err := cbor.Marshal([]any{encoded, files, false})
		if err != nil {
			b.Fatal(err)
		}
		return append(binary.LittleEndian.AppendUint32([]byte("c"), uint32(len(body))), body...)
	}
	b.Fatal("the grid has no cell")
	return nil
}
