package cache

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
)

// cellsOfRun returns outcomes like those of a run with small cells: labels that are much
// the same, measures that are not, and some knots.
func cellsOfRun(b *testing.B, knots int) func(i int) *experiment.Outcome {
	b.Helper()
	tables, rng := selfpaced.Tables(), rand.New(rand.NewPCG(1, 2))
	rows := func(columns []experiment.Column, n, seed int) (batch experiment.Batch) {
		for range n {
			values := make([]any, len(columns))
			for j, column := range columns {
				switch column.Type {
				case experiment.Int:
					values[j] = seed + j
				case experiment.Float:
					values[j] = rng.Float64()
				case experiment.Text:
					values[j] = column.Name
				}
			}
			if err := batch.Append(columns, values...); err != nil {
				b.Fatal(err)
			}
		}
		return batch
	}
	labels := rows(tables.Labels, 1, 7)
	return func(i int) *experiment.Outcome {
		cpu, peak, at := rng.Float64(), rng.Int64N(1<<30), time.Unix(1.7e9+int64(i), rng.Int64N(1e9)).UTC()
		return &experiment.Outcome{
			Run: "run-01234567", Cell: cellOf(i), Kind: selfpaced.Name, Labels: labels, Status: experiment.OK, Attempts: 1,
			Measures: rows(tables.Measures, 1, i), Further: map[string]experiment.Batch{"knots": rows(tables.Further[0].Columns[1:], knots, i)},
			Wall: rng.Float64(), CPU: &cpu, Peak: &peak, Worker: "host-1234", Version: "v1.2.3", Started: at, Finished: at.Add(time.Second),
		}
	}
}

// BenchmarkCache keeps b.N outcomes of cells, then takes all of them, one in a thousand,
// and none.
func BenchmarkCache(b *testing.B) {
	for _, knots := range []int{1, 20} {
		b.Run(fmt.Sprintf("knots=%d", knots), func(b *testing.B) {
			dir, make := b.TempDir(), cellsOfRun(b, knots)
			c := &Cache{Dir: dir, Limit: 1 << 40, Report: func(err error) { b.Error(err) }}
			spent := time.Duration(0)
			for i := range b.N {
				o := make(i)
				began := time.Now()
				c.Add(o)
				spent += time.Since(began)
			}
			began := time.Now()
			c.Close()
			b.ReportMetric(float64((spent+time.Since(began)).Nanoseconds())/float64(b.N), "ns/kept")
			info, err := Look(dir)
			if err != nil || info.Outcomes != b.N {
				b.Fatalf("%+v, %v", info, err)
			}
			b.ReportMetric(float64(info.Bytes)/float64(b.N), "B/outcome")
			b.ReportMetric(float64(info.Segments), "files")
			for name, every := range map[string]int{"ns/taken": 1, "ns/1of1000": 1000} {
				began, taken := time.Now(), 0
				ids := func(yield func(string) bool) {
					for i := 0; i < b.N && yield(cellOf(i)); i += every {
					}
				}
				err := c.Each(context.Background(), ids, func(*experiment.Outcome) (bool, error) { taken++; return true, nil })
				if err != nil || taken != (b.N+every-1)/every {
					b.Fatalf("%d outcomes are taken, %v", taken, err)
				}
				b.ReportMetric(float64(time.Since(began).Nanoseconds())/float64(taken), name)
			}
			began = time.Now()
			ids := func(yield func(string) bool) {
				for i := 0; i < b.N && yield(cellOf(b.N+i)); i++ {
				}
			}
			if err := c.Each(context.Background(), ids, nil); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(time.Since(began).Nanoseconds())/float64(b.N), "ns/missed")
		})
	}
}
