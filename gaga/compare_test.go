//go:build unix

package gaga_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/agepath/agepath/gaga"
)

// measured is what one path of a comparison gives.
type measured struct {
	Cell           string
	Status         string
	End            float64 // the last age
	Turning, Jumps int
	Ages           float64 // sum of the critical ages
	Residual       float64 // largest, independent, over some knots and ages between
	Seconds        float64 // processor time of Track
	Bytes          int64   // peak resident memory of the process
	Landings       int
	Iterations     int
}

// TestCompare runs the paths of the table of rows by this build and by the test
// binary of another, in turns, each in a process of its own, and prints a row a path:
//
//	go test -c -o before.test ./gaga   # in a checkout of the other commit
//	AGEPATH_COMPARE=before.test AGEPATH_DATASETS=DIR go test ./gaga -run 'TestCompare$' -v -timeout 0
//
// AGEPATH_ROWS=TEXT,TEXT chooses the rows whose names hold one of the texts,
// AGEPATH_REPEAT the repeats, of which the least time counts.
func TestCompare(t *testing.T) {
	other := os.Getenv("AGEPATH_COMPARE")
	if other == "" {
		t.Skip("set AGEPATH_COMPARE to the test binary of another build")
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	repeat := 1
	if set := os.Getenv("AGEPATH_REPEAT"); set != "" {
		if _, err := fmt.Sscan(set, &repeat); err != nil || repeat < 1 {
			t.Fatalf("AGEPATH_REPEAT is %q, need a whole number > 0", set)
		}
	}
	chosen := strings.Split(os.Getenv("AGEPATH_ROWS"), ",")
	var logs, memory float64
	rows, worst, worstCell := 0, 0.0, ""
	for _, c := range comparedCells() {
		name := c.String()
		if !containsAny(name, chosen) {
			continue
		}
		var best [2]measured
		for k := range repeat {
			for side, program := range [2]string{other, own} {
				m := measureElsewhere(t, program, name)
				if k > 0 {
					m.Seconds = math.Min(m.Seconds, best[side].Seconds)
				}
				best[side] = m
			}
		}
		before, now := best[0], best[1]
		ratio := now.Seconds / before.Seconds
		t.Logf("ROW %-44s %9.3f s %9.3f s %6.2f | %s %s | turning %d %d | jumps %d %d | ages %.10g %.10g | residual %.1e %.1e | MB %d %d | alternations %d %d", name,
			before.Seconds, now.Seconds, ratio, before.Status, now.Status, before.Turning, now.Turning, before.Jumps, now.Jumps,
			before.Ages, now.Ages, before.Residual, now.Residual, before.Bytes>>20, now.Bytes>>20, before.Iterations, now.Iterations)
		if now.Status != before.Status && before.Status == gaga.Complete.String() {
			t.Errorf("%s: status %s, before %s", name, now.Status, before.Status)
		}
		if !(now.Residual <= residualLimit) {
			t.Errorf("%s: residual %.3g", name, now.Residual)
		}
		rows++
		logs += math.Log(ratio)
		memory += math.Log(float64(now.Bytes) / float64(before.Bytes))
		if ratio > worst {
			worst, worstCell = ratio, name
		}
	}
	t.Logf("%d rows: time %.3f of before (geometric mean), at most %.2f (%s); memory %.3f", rows, math.Exp(logs/float64(rows)), worst, worstCell, math.Exp(memory/float64(rows)))
}

func containsAny(name string, texts []string) bool {
	for _, text := range texts {
		if strings.Contains(name, text) {
			return true
		}
	}
	return false
}

// measureElsewhere has a test binary measure one cell.
func measureElsewhere(t *testing.T, program, name string) measured {
	t.Helper()
	run := exec.CommandContext(t.Context(), program, "-test.run", "^TestCompareCell$", "-test.timeout", "0")
	run.Env = append(os.Environ(), "AGEPATH_CELL="+name, "AGEPATH_VERIFY=0", "GOMAXPROCS=1")
	out, err := run.CombinedOutput()
	line, _, _ := bytes.Cut(out, []byte("\n"))
	var m measured
	if err != nil || json.Unmarshal(line, &m) != nil {
		t.Fatalf("%s: %s: %v\n%s", program, name, err, out)
	}
	return m
}

// TestCompareCell measures the cell that AGEPATH_CELL names and prints it as JSON.
func TestCompareCell(t *testing.T) {
	name := os.Getenv("AGEPATH_CELL")
	if name == "" {
		t.Skip("TestCompare runs it")
	}
	for _, c := range comparedCells() {
		if c.String() == name {
			line, err := json.Marshal(measureCell(t, c))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(string(line))
			return
		}
	}
	t.Fatalf("no cell %s", name)
}

func measureCell(t *testing.T, c cell) measured {
	p := c.problem(t)
	before := usage(t)
	path, err := gaga.Track(t.Context(), p, c.options())
	after := usage(t)
	if err != nil {
		t.Fatal(err)
	}
	m := measured{
		Cell: c.String(), Status: path.Status().String(), End: path.Range().Max, Landings: len(path.Restarts()),
		Seconds: after.seconds - before.seconds, Bytes: after.resident,
	}
	for _, r := range path.Restarts() {
		m.Iterations += r.Iterations
	}
	for _, e := range path.Events() {
		m.Ages += e.Age
	}
	m.Turning, m.Jumps = count(path)
	o, knots := newOptimality(p), path.Knots()
	look := func(theta []float64, age float64) {
		m.Residual = math.Max(m.Residual, o.violation(theta, age))
	}
	for i := 0; i < len(knots); i += 1 + len(knots)/60 {
		look(knots[i].Theta, knots[i].Age)
	}
	random := rand.New(rand.NewPCG(4, 2))
	for range 20 {
		age := path.Range().Min * math.Pow(path.Range().Max/path.Range().Min, random.Float64())
		if theta, err := path.At(age); err == nil {
			look(theta, age)
		}
	}
	return m
}

// usage is what the process has taken so far.
func usage(t testing.TB) (u struct {
	seconds  float64
	resident int64
}) {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	u.seconds = float64(r.Utime.Sec) + float64(r.Stime.Sec) + 1e-6*(float64(r.Utime.Usec)+float64(r.Stime.Usec))
	u.resident = int64(r.Maxrss) << 10 //nolint:unconvert // other types on other systems
	return u
}
