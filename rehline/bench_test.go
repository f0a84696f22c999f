package rehline_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/agepath/agepath/rehline"
)

// BenchmarkGrowth reports the time of a pass and of a Newton step per sample,
// which are to be the same for any n.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		x, class, y := data(1, n, 50)
		for name, c := range map[string]struct {
			loss   rehline.Loss
			method rehline.Method
		}{"pass": {rehline.Hinge(class), rehline.DescentOnly}, "newton": {rehline.Huber(y, 1.0), rehline.NewtonOnly}} {
			s, err := rehline.New(rehline.Problem{X: x, Loss: c.loss, C: 100 / float64(n)})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				steps := 0
				for b.Loop() {
					sol, err := s.Solve(context.Background(), rehline.Options{Tol: 1e-15, MaxPasses: 1, Method: c.method})
					if err != nil {
						b.Fatal(err)
					}
					steps += sol.Iterations.Passes + sol.Iterations.Newton
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps)/float64(n), "ns/sample")
			})
		}
	}
}

// BenchmarkResolve solves again and again after every hundredth weight changed,
// from the solution before.
func BenchmarkResolve(b *testing.B) {
	const n = 10_000
	x, class, y := data(1, n, 50)
	for name, loss := range map[string]rehline.Loss{"hinge": rehline.Hinge(class), "quantile": rehline.Quantile(y, 0.5), "huber": rehline.Huber(y, 1.0)} {
		b.Run(name, func(b *testing.B) {
			s, err := rehline.New(rehline.Problem{X: x, Loss: loss, C: 100.0 / n})
			if err != nil {
				b.Fatal(err)
			}
			weights := [2][]float64{make([]float64, n), make([]float64, n)}
			for i := range n {
				weights[0][i], weights[1][i] = 1, 1
				if i%100 == 7 {
					weights[1][i] = 0.5
				}
			}
			var sol rehline.Solution
			o := rehline.Options{Tol: 1e-5}
			solve := func(k int) {
				if err = s.SetWeights(weights[k%2]); err == nil {
					sol, err = s.Solve(context.Background(), o)
				}
				if err != nil || sol.Status != rehline.Solved {
					b.Fatal(sol.Status, err)
				}
			}
			solve(0)
			o.Warm = &sol
			k := 0
			b.ReportAllocs()
			for b.Loop() {
				k++
				solve(k)
			}
		})
	}
}

// BenchmarkStrong solves from a Problem, checks and set-up included, with C = 1/n, and
// reports the time over that of a sum over X.
func BenchmarkStrong(b *testing.B) {
	for _, shape := range [][2]int{{1_000, 10}, {1_800, 64}, {8_000, 8}, {14_000, 100}} {
		n, d := shape[0], shape[1]
		x, class, y := data(1, n, d)
		const reads = 100
		var total float64
		began := time.Now()
		for range reads {
			for _, v := range x.Data {
				total += v
			}
		}
		read := float64(time.Since(began)) / reads
		for _, c := range []struct {
			name string
			loss rehline.Loss
		}{{"hinge", rehline.Hinge(class)}, {"smoothed", rehline.SmoothedHinge(class)}, {"median", rehline.Quantile(y, 0.5)}, {"huber", rehline.Huber(y, 1.0)}} {
			b.Run(fmt.Sprintf("%s/%dx%d", c.name, n, d), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					sol, err := rehline.Solve(context.Background(), rehline.Problem{X: x, Loss: c.loss, C: 1 / float64(n)}, rehline.Options{Tol: 1e-5})
					if err != nil || sol.Status != rehline.Solved {
						b.Fatal(sol.Status, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed())/float64(b.N)/read, "sums")
			})
		}
		if total == 0 {
			b.Fatal("generated data sum to zero")
		}
	}
}
