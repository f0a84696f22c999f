package live

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

// BenchmarkRead reads how the cells of a run ended, from the server into a
// tally.
func BenchmarkRead(b *testing.B) {
	const cells = 20_000
	bed := newBed(b)
	tasks := make([]experiment.Task, cells)
	for i := range tasks {
		tasks[i] = experiment.Task{Run: "run", Cell: fmt.Sprintf("%032x", i), Kind: "toy"}
		if err := tasks[i].Labels.Append(toyLabels, datasets[i%3], "toy", methods[i/3%3], 0.1, i); err != nil {
			b.Fatal(err)
		}
	}
	bed.publish(tasks...)
	puller, err := bed.Worker(queue.WorkerConfig{Name: "w", Drain: true, Idle: 50 * time.Millisecond})
	if err != nil {
		b.Fatal(err)
	}
	defer puller.Close()
	var slots sync.WaitGroup
	for range 16 {
		slots.Go(func() {
			for {
				d, err := puller.Pull(bed.ctx)
				if err != nil {
					return // empty
				}
				bed.end(d, experiment.OK)
			}
		})
	}
	slots.Wait()
	m := bed.monitor()
	for b.Loop() {
		w, err := newWatch(m, "run")
		if err != nil {
			b.Fatal(err)
		}
		for !w.shown.caught {
			if err := w.read(bed.ctx, w.shown); err != nil {
				b.Fatal(err)
			}
		}
		if w.shown.tally.total != cells {
			b.Fatalf("%d cells", w.shown.tally.total)
		}
	}
	b.ReportMetric(float64(cells)*float64(b.N)/b.Elapsed().Seconds(), "cells/s")
}
