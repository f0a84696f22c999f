//go:build unix

package gaga_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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
	ages := sharedAges(b, p, 41)
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

// sharedAges returns about n ages: by equal shares of the rows that have a loss at the fit with all
// weights 1, from half of them, with both classes, to all; to where a search upwards has all in; and
// four times that age.
func sharedAges(tb testing.TB, p *gaga.Problem, n int) (ages []float64) {
	tb.Helper()
	a, err := gaga.NewAlternation(p)
	if err == nil {
		err = a.FitAll(tb.Context())
	}
	if err != nil {
		tb.Fatal(err)
	}
	losses, class := make([]float64, p.X.Rows), map[float64]float64{}
	a.Losses(losses)
	if _, classes := p.Loss.(gaga.ClassificationLoss); classes {
		for i, loss := range losses {
			if least, ok := class[p.Y[i]]; !ok || loss < least {
				class[p.Y[i]] = loss
			}
		}
	}
	sorted := slices.DeleteFunc(slices.Sorted(slices.Values(losses)), func(loss float64) bool { return loss < 1e-10 })
	from := len(sorted) / 2
	for _, least := range class {
		at, _ := slices.BinarySearch(sorted, least)
		from = max(from, at)
	}
	add := func(loss float64) (all bool) {
		age := loss
		if _, square := p.Regularizer.(gaga.Mixture); square { // of the thresholds
			age = math.Sqrt(loss)
		}
		if k := len(ages); k == 0 || age > ages[k-1] {
			ages = append(ages, age)
		}
		if _, err := a.Step(tb.Context(), age); err != nil && !errors.Is(err, gaga.ErrDiscarded) && !errors.Is(err, gaga.ErrOneClass) {
			tb.Fatal(err)
		}
		a.Losses(losses)
		return slices.Max(losses) <= loss
	}
	top := sorted[len(sorted)-1]
	for k := range n * 4 / 5 {
		add(sorted[from+(len(sorted)-1-from)*k/(n*4/5)] * (1 + 1e-9))
	}
	for top *= 1 + 1e-9; !add(top); top *= 1.2 {
	}
	return append(ages, 4*ages[len(ages)-1])
}
