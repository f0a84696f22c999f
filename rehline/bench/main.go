// Command bench prints the solver's times on the 93 problems of the benchmark
// next to those of ReHLine C++, and their geometric means: of a solve alone, and
// with the set-up and its checks.
//
//	go run ./rehline/bench -peers peers.csv -data FOLDER -scale 1
//
// With -growth it prints how the time of a pass grows, with -strong what a solve with
// strong regularization takes, in passes over X.
//
// FOLDER holds the .bin files that gendata.py writes. The peers' times are
// multiplied by -scale, the time of a peer on this machine over its time in
// peers.csv.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/agepath/agepath/rehline"
)

func main() {
	peers := flag.String("peers", "peers.csv", "the peers' times")
	folder := flag.String("data", ".", "folder with the .bin files")
	factor := flag.Float64("scale", 1, "speed of the peers' machine over this one's")
	repeat := flag.Int("repeat", 5, "times to solve; the median counts")
	only := flag.String("only", "", "solve problems whose data/task/regime contains this")
	method := flag.Int("method", 0, "0 automatic, 1 descent only, 2 Newton only")
	grow := flag.Bool("growth", false, "print how the time of a pass grows with the samples, instead of the problems")
	few := flag.Bool("strong", false, "print the time of solves of generated problems with C = 1/n over that of reading X, instead")
	trace := flag.Bool("trace", false, "print every step")
	flag.Parse()
	runtime.LockOSThread() // clock counts this thread
	var err error
	switch {
	case *grow:
		err = growth(*repeat)
	case *few:
		err = strong(*repeat)
	default:
		err = run(*peers, *folder, *factor, *repeat, *only, rehline.Method(*method), *trace)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(peers, folder string, factor float64, repeat int, only string, method rehline.Method, trace bool) error {
	rows, err := readRows(peers)
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "problem\tReHLine ms\tms\tratio\twith set-up\tratio\tpasses\tNewton\tgap\terror\tms at 1e-10\tover\tNewton\tgap\terror\tcold ms\twarm ms\tover\tpasses\tNewton\t\t")
	means := map[string][]float64{}
	for _, r := range rows {
		name := r.data + "/" + r.task + "/" + r.regime
		if !strings.Contains(name, only) {
			continue
		}
		p, err := r.problem(folder)
		if err != nil {
			return err
		}
		loose, a, err := measure(p, rehline.Options{Tol: 1e-5, Method: method}, repeat, trace)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		tight, b, err := measure(p, rehline.Options{Tol: 1e-10, Method: method}, repeat, trace)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		cold, warm, again, err := warmth(p, rehline.Options{Tol: 1e-5, Method: method}, 10*repeat)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		whole, err := setUp(p, rehline.Options{Tol: 1e-5, Method: method}, repeat)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		means["warm over cold"] = append(means["warm over cold"], warm/cold)
		ratio, over := loose/(r.peer*factor), tight/loose
		for _, key := range []string{"all", r.regime, r.task} {
			means[key] = append(means[key], ratio)
			key += " with set-up"
			means[key] = append(means[key], whole/(r.peer*factor))
		}
		means["1e-10 over 1e-5"] = append(means["1e-10 over 1e-5"], over)
		fmt.Fprintf(out, "%s\t%.3g\t%.3g\t%.2f\t%.3g\t%.2f\t%d\t%d\t%.1e\t%+.1e\t%.3g\t%.2f\t%d\t%.1e\t%+.1e\t%.3g\t%.3g\t%.2f\t%d\t%d\t%s\t\n", name, r.peer*factor, loose, ratio,
			whole, whole/(r.peer*factor), a.Iterations.Passes, a.Iterations.Newton, a.Gap, a.Objective/r.best-1, tight, over, b.Iterations.Newton, b.Gap, b.Objective/r.best-1,
			cold, warm, warm/cold, again.Iterations.Passes, again.Iterations.Newton, b.Status)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Println()
	for _, key := range slices.Sorted(maps.Keys(means)) {
		v := means[key]
		fmt.Printf("%-19s geometric mean %.3f, worst %.2f, %d problems\n", key, mean(v), slices.Max(v), len(v))
	}
	return nil
}

// measure returns the median time of a solve by a new Solver, in milliseconds.
func measure(p rehline.Problem, o rehline.Options, repeat int, trace bool) (float64, rehline.Solution, error) {
	var times []float64
	var sol rehline.Solution
	for range repeat {
		s, err := rehline.New(p)
		if err != nil {
			return 0, sol, err
		}
		if trace {
			o.Progress = func(p rehline.Progress) {
				fmt.Printf("passes %d newton %d outer %d objective %.12g gap %.3e infeasible %.1e\n", p.Iterations.Passes, p.Iterations.Newton,
					p.Iterations.Outer, p.Objective, p.Gap, p.PrimalInfeasibility)
			}
		}
		began := clock()
		sol, err = s.Solve(context.Background(), o)
		times = append(times, float64(clock()-began)/1e6)
		if err != nil {
			return 0, sol, err
		}
		trace = false
		o.Progress = nil
	}
	slices.Sort(times)
	return times[len(times)/2], sol, nil
}

// setUp returns the median time of rehline.Solve in milliseconds, the collection of its
// garbage included.
func setUp(p rehline.Problem, o rehline.Options, repeat int) (ms float64, err error) {
	ms, _ = each(p.Loss.N(), repeat, process, func() float64 {
		if _, e := rehline.Solve(context.Background(), p, o); e != nil {
			err = e
		}
		return 0
	})
	return ms * float64(p.Loss.N()) / 1e6, err
}

func mean(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += math.Log(x)
	}
	return math.Exp(s / float64(len(v)))
}
