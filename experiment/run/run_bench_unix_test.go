//go:build unix

package run

import (
	"syscall"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// BenchmarkRun computes 20,000 cells that take no time, from a grid to the files of its results,
// and says the processor time of a cell, that of the slots' processes included.
func BenchmarkRun(b *testing.B) {
	const text = "experiment: walk\nrepeats: 1000\nwalks: [restless, lazy]\nsteps: {from: 1, to: 10, step: 1}\n"
	grid, err := experiment.Parse([]byte(text), "walks.yaml", nil)
	if err != nil {
		b.Fatal(err)
	}
	plan, err := grid.Plan(b.Context(), &dataset.Library{})
	if err != nil {
		b.Fatal(err)
	}
	busy := func() (seconds float64) {
		for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
			var usage syscall.Rusage
			if err := syscall.Getrusage(who, &usage); err != nil {
				b.Fatal(err)
			}
			seconds += float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
		}
		return seconds
	}
	before := busy()
	for range b.N {
		c := &Coordinator{Grid: grid, Plan: plan, Out: b.TempDir(), Workers: 2, Process: slotOf("walk")}
		if s, err := c.Run(b.Context()); err != nil || s.Counts[experiment.OK] != 20000 {
			b.Fatalf("%+v, %v", s, err)
		}
	}
	b.ReportMetric((busy()-before)*1e6/float64(b.N)/20000, "µs/cell")
}
