package run

import (
	"testing"

	"github.com/agepath/agepath/experiment"
)

// BenchmarkWorker computes 30,000 cells that take no time in 8 slots, in this
// process and in processes of slots.
func BenchmarkWorker(b *testing.B) {
	for name, w := range map[string]Worker{
		"local":     {Kinds: []experiment.Kind{poison{}}},
		"processes": {Process: slotProcess},
	} {
		b.Run(name, func(b *testing.B) {
			_, p := plan(b, "repeats=10000", "methods=[original]")
			for range b.N {
				b.StopTimer()
				q := startQueue(b)
				tasks := func(yield func(experiment.Task, error) bool) {
					for task := range p.Tasks() {
						task.Kind, task.Data = "toy", nil
						if !yield(task, nil) {
							return
						}
					}
				}
				if _, _, err := q.Publish(b.Context(), tasks); err != nil {
					b.Fatal(err)
				}
				w.Queue, w.Slots, w.Drain, w.Cache = q, 8, true, b.TempDir()
				b.StartTimer()
				if err := w.Run(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(int(p.Count())*b.N)/b.Elapsed().Seconds(), "cells/s")
		})
	}
}
