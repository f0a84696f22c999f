package results

import (
	"strings"
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

// TestNewestOfGathered gathers streams while they are read: reading them again succeeds, as the error says.
func TestNewestOfGathered(t *testing.T) {
	t.Parallel()
	dir, list := t.TempDir(), outcomesOf(4)
	for _, half := range [][]*experiment.Outcome{list[:2], list[2:]} {
		s := openStore(t, dir)
		appendAll(t, s, half...)
		closeStore(t, s)
	}
	rows := 0
	read := func(meanwhile func()) error {
		rows = 0
		_, err := EachNewest(t.Context(), dir, "cells", []experiment.Column{{Name: "cell", Type: experiment.Text}}, func(f *Frame) error {
			rows += f.Rows()
			meanwhile()
			return nil
		})
		return err
	}
	err := read(func() {
		s := openStore(t, dir)
		compactStore(t, s, 4)
		closeStore(t, s)
	})
	if err == nil || !strings.HasSuffix(err.Error(), "; do it again") {
		t.Errorf("while streams are gathered: %v", err)
	}
	if err := read(func() {}); err != nil || rows != 4 {
		t.Errorf("again: %d rows, %v", rows, err)
	}
}
