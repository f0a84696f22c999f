package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"text/tabwriter"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

// strong prints the time of rehline.Solve, set-up, checks and garbage included, for
// generated problems with C = 1/n, over the time of reading X once: by a sum over its
// entries one after the other, and as fast as BLAS's dot product of X with itself.
func strong(repeat int) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "loss\tsamples\tfeatures\tms\tover a sum\tover BLAS\tpasses\tvisits\tNewton\tgap\t\t")
	for _, shape := range []struct {
		n, d           int
		classification bool
	}{{14_000, 100, true}, {8_000, 8, false}, {8_000, 8, true}, {14_000, 100, false}} {
		n, d := shape.n, shape.d
		x, class, value := generate(n, d)
		losses := map[string]rehline.Loss{"hinge": rehline.Hinge(class), "smoothed hinge": rehline.SmoothedHinge(class),
			"squared hinge": rehline.SquaredHinge(class)}
		names := []string{"hinge", "smoothed hinge", "squared hinge"}
		if !shape.classification {
			losses = map[string]rehline.Loss{"median": rehline.Quantile(value, 0.5), "tube": rehline.EpsilonInsensitive(value, 0.1),
				"Huber": rehline.Huber(value, 1.0), "squared": rehline.Squared(value)}
			names = []string{"median", "tube", "Huber", "squared"}
		}
		sum, a := each(n, repeat, clock, func() float64 {
			var total float64
			for _, v := range x.Data {
				total += v
			}
			return total
		})
		all := blas64.Vector{N: len(x.Data), Inc: 1, Data: x.Data}
		read, b := each(n, repeat, clock, func() float64 { return blas64.Dot(all, all) })
		if math.IsNaN(a + b) {
			return fmt.Errorf("generated data sum to %v", a+b)
		}
		for _, name := range names {
			p := rehline.Problem{X: x, Loss: losses[name], C: 1 / float64(n)}
			o := rehline.Options{Tol: 1e-5}
			ms, err := setUp(p, o, repeat)
			if err != nil {
				return err
			}
			sol, err := rehline.Solve(context.Background(), p, o)
			if err != nil {
				return err
			}
			per := ms * 1e6 / float64(n)
			fmt.Fprintf(out, "%s\t%d\t%d\t%.3g\t%.2f\t%.2f\t%d\t%.2f\t%d\t%.1e\t%s\t\n", name, n, d, ms, per/sum, per/read, sol.Iterations.Passes,
				float64(sol.Iterations.Visits)/float64(n), sol.Iterations.Newton, sol.Gap, sol.Status)
		}
	}
	return out.Flush()
}

// generate returns n samples of d features with classes and values.
func generate(n, d int) (x blas64.General, class, value []float64) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x = blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	class, value = make([]float64, n), make([]float64, n)
	for i := range value {
		value[i] = x.Data[i*d] - 0.5*x.Data[i*d+1] + 0.5*r.NormFloat64()
		class[i] = math.Copysign(1, value[i])
	}
	return x, class, value
}
