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
)

// BenchmarkRatio compares the path's processor time with that of alternate convex search at 41 ages
// in the same range, for the rows of docs/performance.md:
//
//	AGEPATH_DATASETS=DIR GOMAXPROCS=1 go test ./gaga -run '^$' -bench 'Ratio/rbf' -benchtime 1x
func BenchmarkRatio(b *testing.B) {
	for _, model := range acceptanceModels {
		b.Run(model, func(b *testing.B) {
			logs, rows := 0.0, 0.0
			for _, c := range ratioCells(model) {
				b.Run(strings.TrimPrefix(c.String(), model+"/"), func(b *testing.B) {
					rows++
					logs += math.Log(ratio(b, c))
				})
			}
			fmt.Printf("%s: %.0f rows: %.3f (geometric mean)\n", model, rows, math.Exp(logs/rows))
		})
	}
}

// ratio measures a path and search, and returns the quotient of their times.
func ratio(b *testing.B, c cell) float64 {
	b.Helper()
	b.Setenv("AGEPATH_VERIFY", "0")
	p := c.problem(b)
	ages, err := baselines.FindAges(b.Context(), p, nil, 41)
	if err != nil {
		b.Fatal(err)
	}
	timed := func(run func()) float64 {
		before := usage(b).seconds
		run()
		return usage(b).seconds - before
	}
	var path *gaga.Path
	var whole, search float64
	for b.Loop() {
		whole += timed(func() { path = track(b, p, gaga.Options{Age: gaga.Range{Min: ages[0], Max: ages[len(ages)-1]}}) })
		search += timed(func() {
			if _, err := baselines.ACS(context.Background(), p, ages, baselines.ACSOptions{}); err != nil {
				b.Fatal(err)
			}
		})
	}
	turning, jumps := count(path)
	b.ReportMetric(float64(turning+jumps), "events")
	b.ReportMetric(float64(jumps), "jumps")
	b.ReportMetric(1000*whole/float64(b.N), "path-ms")
	b.ReportMetric(1000*search/float64(b.N), "search-ms")
	b.ReportMetric(whole/search, "ratio")
	return whole / search
}
