//go:build unix

package gaga_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// BenchmarkRatio sets the path's processor time beside that of alternate convex search
// over the same ages, at step 0.5 and with AGEPATH_LONG=1 also at step 0.01, iterated until
// its residual is as small, for the rows of docs/performance.md:
//
//	AGEPATH_DATASETS=DIR GOMAXPROCS=1 go test ./gaga -run '^$' -bench 'Ratio/rbf' -benchtime 1x
func BenchmarkRatio(b *testing.B) {
	steps := []float64{0.5}
	if needs.Long() {
		steps = append(steps, 0.01)
	}
	for _, model := range acceptanceModels {
		b.Run(model, func(b *testing.B) {
			logs := make([]float64, len(steps))
			rows := 0.0
			for _, c := range ratioCells(model) {
				b.Run(strings.TrimPrefix(c.String(), model+"/"), func(b *testing.B) {
					rows++
					for k, ratio := range ratios(b, c, steps) {
						logs[k] += math.Log(ratio)
					}
				})
			}
			for k, step := range steps {
				fmt.Printf("%s: %.0f rows beside search at step %v: %.3f (geometric mean)\n", model, rows, step, math.Exp(logs[k]/rows))
			}
		})
	}
}

// ratios measures a path, and search at each of the steps, and returns the path's time
// over that of each search.
func ratios(b *testing.B, c cell, steps []float64) []float64 {
	b.Helper()
	b.Setenv("AGEPATH_VERIFY", "0")
	p := c.problem(b)
	var path *gaga.Path
	var whole float64
	search := make([]float64, len(steps))
	timed := func(run func()) float64 {
		before := usage(b).seconds
		run()
		return usage(b).seconds - before
	}
	for b.Loop() {
		whole += timed(func() { path = track(b, p, c.options()) })
		for k, step := range steps {
			search[k] += timed(func() {
				ages := baselines.Ages(0.1, 20, step)
				if _, err := baselines.ACS(context.Background(), p, ages, baselines.ACSOptions{Tolerance: 1e-9}); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
	turning, jumps := count(path)
	b.ReportMetric(float64(turning+jumps), "events")
	b.ReportMetric(float64(jumps), "jumps")
	b.ReportMetric(1000*whole/float64(b.N), "path-ms")
	units := [][2]string{{"search-ms", "ratio"}, {"fine-ms", "fine-ratio"}}
	out := make([]float64, len(steps))
	for k, s := range search {
		out[k] = whole / s
		b.ReportMetric(1000*s/float64(b.N), units[k][0])
		b.ReportMetric(out[k], units[k][1])
	}
	return out
}
