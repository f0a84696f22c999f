package results

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
)

// benchmarkOutcome is a cell as the quickstart has them: half of the columns
// null, numbers that do not compress, knots as asked for.
func benchmarkOutcome(tables experiment.Tables, rng *rand.Rand, i, knots int) *experiment.Outcome {
	o := storeOutcome(tables, 4, 0) // one that is ok
	o.Cell = storeCell(i)
	row := func(columns []experiment.Column, rows int) experiment.Batch {
		batch := experiment.Batch{Rows: rows, Columns: make([]experiment.Vector, len(columns))}
		for j, column := range columns {
			v := &batch.Columns[j]
			for k := range rows {
				switch {
				case column.Type == experiment.Float:
					v.Floats = append(v.Floats, rng.Float64())
				case column.Type == experiment.Text:
					v.Texts = append(v.Texts, "word")
				case column.Type == experiment.Int:
					v.Ints = append(v.Ints, int64(k))
				case column.Type == experiment.FloatList:
					v.Lists = append(v.Lists, []float64{rng.Float64(), rng.Float64()})
				}
			}
		}
		return batch
	}
	o.Labels, o.Measures, o.Further = row(tables.Labels, 1), row(tables.Measures, 1), nil
	if knots > 0 {
		o.Further = map[string]experiment.Batch{"knots": row(tables.Further[0].Columns[1:], knots)}
	}
	return o
}

func BenchmarkStore(b *testing.B) {
	for _, size := range []struct{ cells, knots int }{{100_000, 0}, {20_000, 10}} {
		b.Run(fmt.Sprintf("cells=%d/knots=%d", size.cells, size.knots), func(b *testing.B) {
			benchmarkStore(b, size.cells, size.knots)
		})
	}
}

// BenchmarkStoreMillion takes minutes: run it by name, with -benchtime 1x.
func BenchmarkStoreMillion(b *testing.B) {
	b.Run("knots=0", func(b *testing.B) { benchmarkStore(b, 1_000_000, 0) })
	b.Run("knots=10", func(b *testing.B) { benchmarkStore(b, 1_000_000, 10) })
}

func benchmarkStore(b *testing.B, cells, knots int) {
	tables := selfpaced.Tables()
	rng := rand.New(rand.NewPCG(1, 1))
	some := make([]*experiment.Outcome, 1000) // cells differ in identity only, so that making them costs nothing
	for i := range some {
		some[i] = benchmarkOutcome(tables, rng, i, knots)
	}
	arrival := rng.Perm(cells)
	order := storeOrder(cells)
	ids := make([]string, cells)
	for i := range ids {
		ids[i] = storeCell(i)
	}
	for b.Loop() {
		s := openStore(b, filepath.Join(b.TempDir(), "out"))
		for _, i := range arrival {
			o := *some[i%len(some)]
			o.Cell = ids[i]
			if err := s.Append(&o); err != nil {
				b.Fatal(err)
			}
		}
		flushStore(b, s)
		written := b.Elapsed()
		if err := s.Compact(b.Context(), order); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric((b.Elapsed() - written).Seconds(), "s-compact")
		closeStore(b, s)
	}
	b.ReportMetric(float64(cells)*float64(b.N)/b.Elapsed().Seconds(), "cells/s")
}

func BenchmarkReadTable(b *testing.B) {
	tables := selfpaced.Tables()
	const cells = 50_000
	dir := b.TempDir()
	s := openStore(b, dir)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range cells {
		appendAll(b, s, benchmarkOutcome(tables, rng, i, 0))
	}
	compactStore(b, s, cells)
	closeStore(b, s)
	path := filepath.Join(dir, "cells.arrow")
	for name, columns := range map[string][]string{"all": nil, "three": {"cell", "method", "test_at_best_test"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := ReadTable(path, columns...); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(cells*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
