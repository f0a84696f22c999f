package report

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
)

// TestReportOfPartialRun reports a folder whose run has not ended: cells in
// streams alone, in cells.arrow too, computed again, and behind a torn end.
func TestReportOfPartialRun(t *testing.T) {
	t.Parallel()
	tables := selfpaced.Tables()
	dir := t.TempDir()
	s, err := results.Open(t.Context(), dir, results.StoreOptions{Tables: tables, Run: "test"})
	if err != nil {
		t.Fatal(err)
	}
	add := func(from, to, version int) {
		t.Helper()
		for i := from; i < to; i++ {
			if err := s.Append(outcome(tables, i, version)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string, want int, partial bool) {
		t.Helper()
		r, err := Load(t.Context(), dir, Options{})
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		cells := 0
		for _, fact := range r.Facts {
			n, err := strconv.Atoi(fact.Value)
			if err != nil {
				t.Fatal(err)
			}
			cells += n
		}
		missing := strings.Join(r.Missing, "\n")
		if cells != want || strings.Contains(missing, "the run has not ended") != partial || strings.Contains(missing, "no knots.arrow") {
			t.Errorf("%s: %d cells, want %d; missing: %s", when, cells, want, missing)
		}
	}
	add(0, 20, 0)
	add(10, 30, 1) // ten of them again
	check("streams alone", 30, true)
	order := func(yield func(string) bool) {
		for i := 0; i < 30 && yield(outcome(tables, i, 0).Cell); i++ {
		}
	}
	if err := s.Compact(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	check("gathered", 30, false)
	add(20, 40, 2)
	check("both", 40, true)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "cells.0002.arrows")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-20], 0o666); err != nil {
		t.Fatal(err)
	}
	check("torn", 30, true)
}

// outcome is one of a cell, with all that a cell can have.
func outcome(tables experiment.Tables, i, version int) *experiment.Outcome {
	row := func(columns []experiment.Column) (batch experiment.Batch) {
		values := make([]any, len(columns))
		for j, column := range columns {
			values[j] = testrun.Cell(column)
		}
		if err := batch.Append(columns, values...); err != nil {
			panic(err)
		}
		return batch
	}
	return &experiment.Outcome{
		Run: "test", Cell: testrun.ID(i), Status: experiment.OK, Attempts: 1, Wall: float64(version),
		Labels: row(tables.Labels), Measures: row(tables.Measures),
	}
}
