package run

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results"
)

// swift is the kind self-paced with cells that compute nothing.
type swift struct{ selfpaced.Kind }

func (swift) Compute(context.Context, *experiment.Task, experiment.Data) (measures experiment.Batch, further map[string]experiment.Batch, err error) {
	columns := selfpaced.Tables().Measures
	return measures, map[string]experiment.Batch{"knots": {}}, measures.Append(columns, make([]any, len(columns))...)
}

// BenchmarkCollect gathers 20,000 results into a new folder.
func BenchmarkCollect(b *testing.B) {
	const cells = 20_000
	grid, p := plan(b, "repeats=10000", "methods=[original]")
	if p.Count() != cells {
		b.Fatalf("%d cells, want %d", p.Count(), cells)
	}
	q := startQueue(b)
	if _, err := Submit(b.Context(), q, grid, p, Reuse{}); err != nil {
		b.Fatal(err)
	}
	w := &Worker{Queue: q, Kinds: []experiment.Kind{swift{}}, Slots: 16, Drain: true, Idle: 10 * time.Millisecond}
	if err := w.Run(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		collected, err := Collect(b.Context(), q, p.Run, b.TempDir(), "v", results.ZSTD)
		if err != nil || collected.Counts[experiment.OK] != cells {
			b.Fatalf("collected %+v: %v", collected, err)
		}
	}
	b.ReportMetric(float64(cells*b.N)/b.Elapsed().Seconds(), "cells/s")
}

// BenchmarkShare submits a run of which another one at the server has all 20,000 cells.
func BenchmarkShare(b *testing.B) {
	const cells = 20_000
	set := []string{"repeats=10000", "methods=[original]"}
	grid, p := plan(b, set...)
	q := startQueue(b)
	if _, err := Submit(b.Context(), q, grid, p, Reuse{}); err != nil {
		b.Fatal(err)
	}
	w := &Worker{Queue: q, Kinds: []experiment.Kind{swift{}}, Slots: 16, Drain: true, Idle: 10 * time.Millisecond}
	if err := w.Run(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for i := range b.N {
		grid, p := plan(b, append(set, fmt.Sprintf("name=other%d", i))...)
		s, err := Submit(b.Context(), q, grid, p, Reuse{})
		if err != nil || s.Shared != cells {
			b.Fatalf("%+v, %v", s, err)
		}
	}
	b.ReportMetric(float64(cells*b.N)/b.Elapsed().Seconds(), "cells/s")
}
