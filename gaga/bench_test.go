package gaga_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
)

// benchmarks runs the rows of docs/performance.md, see [BenchmarkRatio].
func benchmarks(b *testing.B, run func(b *testing.B, c cell, p *gaga.Problem)) {
	for _, model := range acceptanceModels {
		for _, c := range ratioCells(model) {
			b.Run(c.String(), func(b *testing.B) {
				b.Setenv("AGEPATH_VERIFY", "0")
				p := c.problem(b)
				b.ReportAllocs()
				b.ResetTimer()
				run(b, c, p)
			})
		}
	}
}

func BenchmarkTrack(b *testing.B) {
	benchmarks(b, func(b *testing.B, c cell, p *gaga.Problem) {
		var path *gaga.Path
		for b.Loop() {
			path = track(b, p, c.options())
		}
		turning, jumps := count(path)
		b.ReportMetric(float64(turning+jumps), "events")
		b.ReportMetric(float64(jumps), "jumps")
	})
}

func BenchmarkACS(b *testing.B) {
	benchmarks(b, func(b *testing.B, _ cell, p *gaga.Problem) {
		var path *baselines.ACSPath
		for b.Loop() {
			var err error
			path, err = baselines.ACS(context.Background(), p, baselines.Ages(0.1, 20, 0.5), baselines.ACSOptions{Tolerance: 1e-9})
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(path.Alternations), "alternations")
	})
}

// The Lasso with the linear regularizer on more and more rows of house_8L: the
// time for an event must not grow with them.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range []int{2500, 5000, 10_000, 20_000} {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			b.Setenv("AGEPATH_VERIFY", "0")
			share := func(rows int) float64 { return float64(n) / float64(rows) }
			p := lasso(trainingShare(b, "house_8L", dataset.Regression, 0.3, 1, share), 0.006, gaga.Linear{})
			b.ReportAllocs()
			events := 0
			for b.Loop() {
				turning, jumps := count(track(b, p, gaga.Options{Age: gaga.Range{Min: 0.1, Max: 20}}))
				events += turning + jumps
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(events), "µs/event")
			b.ReportMetric(float64(events)/float64(b.N), "events")
		})
	}
}
