package results

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
)

const storeRun = "test-run"

// storeCell returns the identity of cell i.
func storeCell(i int) string {
	sum := sha256.Sum256(fmt.Append(nil, i))
	return hex.EncodeToString(sum[:16])
}

// storeOrder is the order of a grid of cells 0 to n-1.
func storeOrder(n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range n {
			if !yield(storeCell(i)) {
				return
			}
		}
	}
}

// randomValue returns a value of a column's type, null and special numbers
// included. Texts are short words.
func randomValue(rng *rand.Rand, t experiment.Type) any {
	if rng.IntN(5) == 0 {
		return nil
	}
	switch t {
	case experiment.Int:
		return rng.Int64() - rng.Int64()
	case experiment.Float:
		special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), math.SmallestNonzeroFloat64}
		if k := rng.IntN(20); k < len(special) {
			return special[k]
		}
		return rng.NormFloat64()
	case experiment.Text:
		return []string{"", "lasso", "grün λ", "two\nlines"}[rng.IntN(4)]
	case experiment.Time:
		return time.UnixMicro(rng.Int64N(1e15)).UTC()
	default:
		list := make([]float64, rng.IntN(4))
		for i := range list {
			list[i] = rng.NormFloat64()
		}
		return list
	}
}

func randomRows(rng *rand.Rand, columns []experiment.Column, rows int) experiment.Batch {
	var batch experiment.Batch
	for range rows {
		values := make([]any, len(columns))
		for j, column := range columns {
			values[j] = randomValue(rng, column.Type)
		}
		if err := batch.Append(columns, values...); err != nil {
			panic(err)
		}
	}
	return batch
}

// storeOutcome returns the outcome of cell i; other versions of it differ in
// all that is measured, the number of knots included.
func storeOutcome(tables experiment.Tables, i, version int) *experiment.Outcome {
	rng := rand.New(rand.NewPCG(uint64(i), uint64(version)))
	o := &experiment.Outcome{
		Run: storeRun, Cell: storeCell(i), Kind: "test",
		Labels: randomRows(rng, tables.Labels, 1), Attempts: 1 + version,
		Status: experiment.OK, Wall: rng.Float64(), Computer: experiment.Computer{Worker: "worker-1", Version: "v0.0.0", Platform: "linux/amd64", Software: "Python 3.13.1"},
		Started:  time.UnixMicro(1e15 + rng.Int64N(1e12)).UTC(),
		Finished: time.UnixMicro(2e15 + rng.Int64N(1e12)).UTC(),
	}
	if rng.IntN(3) == 0 {
		cpu, peak := rng.Float64(), rng.Int64N(1e9)
		o.CPU, o.Peak = &cpu, &peak
	}
	if rng.IntN(6) == 0 {
		o.Status = experiment.Statuses[1+rng.IntN(len(experiment.Statuses)-1)]
		o.Error = fmt.Sprintf("cell %d went wrong", i)
		if o.Status != experiment.Incomplete {
			return o
		}
	}
	o.Measures = randomRows(rng, tables.Measures, 1)
	o.Further = map[string]experiment.Batch{}
	for _, table := range tables.Further {
		if rows := rng.IntN(5); rows > 0 {
			o.Further[table.Name] = randomRows(rng, table.Columns[1:], rows)
		}
	}
	return o
}

// openStore opens a store of the self-paced tables.
func openStore(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, StoreOptions{Tables: selfpaced.Tables(), Run: storeRun})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func appendAll(t testing.TB, s *Store, outcomes ...*experiment.Outcome) {
	t.Helper()
	for _, o := range outcomes {
		if err := s.Append(o); err != nil {
			t.Fatal(err)
		}
	}
}

func flushStore(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
}

func compactStore(t testing.TB, s *Store, n int) {
	t.Helper()
	if err := s.Compact(t.Context(), storeOrder(n)); err != nil {
		t.Fatal(err)
	}
}

func closeStore(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// expectedRows are the rows of the files by table, value by value, for
// outcomes in the order of the grid. They are made without the code under
// test.
func expectedRows(tables experiment.Tables, outcomes []*experiment.Outcome) map[string][][]any {
	rows := map[string][][]any{"cells": {}}
	row := func(columns []experiment.Column, batch *experiment.Batch, i int) []any {
		values := make([]any, len(columns))
		for j, column := range columns {
			if batch.Rows > 0 {
				values[j] = batch.At(column, j, i)
			}
		}
		return values
	}
	for _, o := range outcomes {
		cell := []any{o.Run, o.Cell}
		cell = append(cell, row(tables.Labels, &o.Labels, 0)...)
		cell = append(cell, string(o.Status), nil, int64(o.Attempts))
		if o.Error != "" {
			cell[len(cell)-2] = o.Error
		}
		cell = append(cell, row(tables.Measures, &o.Measures, 0)...)
		cell = append(cell, o.Wall, nil, nil, o.Worker, o.Version, o.Started, o.Finished, experiment.Known(o.Short, o.Short > 0), nil, experiment.NotZero(o.Platform), experiment.NotZero(o.Software))
		if o.CPU != nil {
			cell[len(cell)-10], cell[len(cell)-9] = *o.CPU, *o.Peak
		}
		if o.Status.Computed() {
			cell[len(cell)-3] = computedFor(tables, o)
		}
		rows["cells"] = append(rows["cells"], cell)
		for _, table := range tables.Further {
			batch := o.Further[table.Name]
			for i := range batch.Rows {
				rows[table.Name] = append(rows[table.Name], append([]any{o.Cell}, row(table.Columns[1:], &batch, i)...))
			}
		}
	}
	return rows
}

// computedFor is the column tables of a computed outcome.
func computedFor(tables experiment.Tables, o *experiment.Outcome) string {
	text := "cells"
	for _, table := range tables.Further {
		if _, ok := o.Further[table.Name]; ok {
			text += "," + table.Name
		}
	}
	return text
}

// exact makes values comparable bit by bit.
func exact(value any) any {
	switch value := value.(type) {
	case float64:
		return math.Float64bits(value)
	case []float64:
		bits := make([]uint64, len(value))
		for i, x := range value {
			bits[i] = math.Float64bits(x)
		}
		return bits
	case time.Time:
		return value.UnixMicro()
	}
	return value
}

// checkFiles compares the final files of dir with outcomes in the order of
// the grid.
func checkFiles(t testing.TB, dir string, tables experiment.Tables, outcomes []*experiment.Outcome) {
	t.Helper()
	want := expectedRows(tables, outcomes)
	for _, table := range append([]experiment.Table{tables.Cells()}, tables.Further...) {
		frame, err := ReadTable(filepath.Join(dir, table.Name+".arrow"))
		if err != nil {
			t.Fatal(err)
		}
		if frame.Rows() != len(want[table.Name]) {
			t.Fatalf("%s has %d rows, want %d", table.Name, frame.Rows(), len(want[table.Name]))
		}
		for i, row := range want[table.Name] {
			for j, value := range row {
				if have := frame.At(j, i); !reflect.DeepEqual(exact(have), exact(value)) {
					t.Fatalf("%s row %d column %s is %v, want %v", table.Name, i, table.Columns[j].Name, have, value)
				}
			}
		}
	}
}

// outcomesOf returns the first version of cells 0 to n-1.
func outcomesOf(n int) []*experiment.Outcome {
	tables := selfpaced.Tables()
	outcomes := make([]*experiment.Outcome, n)
	for i := range outcomes {
		outcomes[i] = storeOutcome(tables, i, 0)
	}
	return outcomes
}

// dirFiles returns the contents of the files of a folder, but for the lock.
func dirFiles(t testing.TB, dir string) map[string]string {
	t.Helper()
	items, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, item := range items {
		if item.Name() == lockName {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, item.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[item.Name()] = string(text)
	}
	return files
}

func writeDir(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
