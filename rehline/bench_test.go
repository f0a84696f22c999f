package rehline_test

import (
	"context"
	"fmt"
	"testing"

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
