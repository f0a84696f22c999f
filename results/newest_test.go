package results

import (
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
)

// TestPartialRunCountsTheNewest wants of a cell that was computed again the
// newest row.
func TestPartialRunCountsTheNewest(t *testing.T) {
	t.Parallel()
	tables := selfpaced.Tables()
	dir := t.TempDir()
	s := openStore(t, dir)
	var last *experiment.Outcome
	for version := range 3 {
		last = storeOutcome(tables, 1, version)
		appendAll(t, s, last)
		flushStore(t, s)
	}
	closeStore(t, s)
	var seconds []float64
	_, err := EachNewest(t.Context(), dir, "cells", []experiment.Column{{Name: "cell", Type: experiment.Text}, {Name: "wall_seconds", Type: experiment.Float}}, func(f *Frame) error {
		seconds = append(seconds, f.Batch.Columns[1].Floats...)
		return nil
	})
	if err != nil || len(seconds) != 1 || seconds[0] != last.Wall {
		t.Errorf("%v, %v, want %v", seconds, err, last.Wall)
	}
}
