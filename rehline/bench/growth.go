package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

// many passes are those of a solve that does not end before them.
const many = 40

// growth prints the time of a pass of descent in nanoseconds a visit, of 50
// generated features: of many passes, and of a first one with the set-up and the
// certificate, which read X again; and of a solve with one Newton step, per sample.
// Next to them is the time of reading X once, by BLAS's dot product of X with
// itself.
func growth(repeat int) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "samples\tpass\tover 1,000's\tfirst pass\tNewton\treading X\t")
	var first float64
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		const d = 50
		x, class, value := generate(n, d)
		hinge := rehline.Problem{X: x, Loss: rehline.Hinge(class), C: 1}
		pass, err := step(hinge, rehline.DescentOnly, many, repeat)
		if err != nil {
			return err
		}
		single, err := step(hinge, rehline.DescentOnly, 1, repeat)
		if err != nil {
			return err
		}
		newton, err := step(rehline.Problem{X: x, Loss: rehline.Huber(value, 1.0), C: 100 / float64(n)}, rehline.NewtonOnly, 1, repeat)
		if err != nil {
			return err
		}
		if first == 0 {
			first = pass
		}
		all := blas64.Vector{N: len(x.Data), Inc: 1, Data: x.Data}
		read, total := each(n, repeat, clock, func() float64 { return blas64.Dot(all, all) })
		if math.IsNaN(total) {
			return fmt.Errorf("generated data sum to %v", total)
		}
		fmt.Fprintf(out, "%d\t%.1f\t%.2f\t%.1f\t%.1f\t%.1f\t\n", n, pass, pass/first, single, newton, read)
	}
	return out.Flush()
}

// step returns the time of a solve that ends after some passes or steps, in
// nanoseconds a visit or sample.
func step(p rehline.Problem, m rehline.Method, steps, repeat int) (float64, error) {
	s, err := rehline.New(p)
	if err != nil {
		return 0, err
	}
	visits := 1.0
	ns, _ := each(p.Loss.N()*steps, repeat, clock, func() float64 {
		sol, e := s.Solve(context.Background(), rehline.Options{Tol: 1e-15, MaxPasses: steps, Method: m})
		if e != nil {
			err = e
		}
		if v := sol.Iterations.Visits; v > 0 {
			visits = float64(v) / float64(p.Loss.N()*steps)
		}
		return 0
	})
	return ns / visits, err
}

// each returns the median time of f in nanoseconds a sample, where small sizes
// are repeated until a million samples, and the sum of what it returned.
func each(n, repeat int, clock func() time.Duration, f func() float64) (float64, float64) {
	var times []float64
	var total float64
	inner := max(1, 1_000_000/n)
	for range repeat {
		began := clock()
		for range inner {
			total += f()
		}
		times = append(times, float64(clock()-began)/float64(inner)/float64(n))
	}
	slices.Sort(times)
	return times[len(times)/2], total
}
