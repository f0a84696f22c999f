package model

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/agepath/agepath/rehline"
)

// PathPoint is the solution for one cost of a path.
type PathPoint struct {
	C        float64
	Solution rehline.Solution
	Elapsed  time.Duration // of this solve alone.
}

// Costs returns count costs from first to last, both included, evenly spaced on a
// logarithmic scale. It returns nil unless first and last are positive and finite and
// count is at least 1; one alone is first.
func Costs(first, last float64, count int) []float64 {
	if checkCosts([]float64{first, last}) != nil || count < 1 {
		return nil
	}
	costs := make([]float64, count)
	for k := range costs {
		costs[k] = first * math.Pow(last/first, float64(k)/float64(max(count-1, 1)))
	}
	if count > 1 {
		costs[count-1] = last
	}
	return costs
}

// Path solves p for each of the costs C, in their order, each from the solution before
// it; p.C does not matter. Costs in rising order are the cheapest. Options hold for every
// solve; Warm is where the first one starts. Duals, n numbers for each term and cost, are
// in the solutions if duals is true. Errors: those of [rehline.New] and
// [rehline.Solver.Solve], with the points solved before, *InputError for a cost that is
// not positive and finite.
func Path(ctx context.Context, p rehline.Problem, costs []float64, duals bool, o rehline.Options) ([]PathPoint, error) {
	if err := checkCosts(costs); err != nil {
		return nil, err
	}
	s, err := rehline.New(p)
	if err != nil {
		return nil, err
	}
	points := make([]PathPoint, 0, len(costs))
	for point, err := range Along(ctx, s, costs, o) {
		if err != nil {
			return points, err
		}
		point.Solution = clone(point.Solution, duals)
		points = append(points, point)
	}
	return points, nil
}

// Along is [Path] of a Solver as an iterator, which allocates next to nothing. The
// solution belongs to the Solver and is overwritten by the next one. An error ends the
// path; with a context's error comes the best solution so far. The Solver keeps the last
// cost.
func Along(ctx context.Context, s *rehline.Solver, costs []float64, o rehline.Options) iter.Seq2[PathPoint, error] {
	return func(yield func(PathPoint, error) bool) {
		if err := checkCosts(costs); err != nil {
			yield(PathPoint{}, err)
			return
		}
		o := o
		var last rehline.Solution
		for _, c := range costs {
			began := time.Now()
			if err := s.SetC(c); err != nil {
				yield(PathPoint{}, err)
				return
			}
			var err error
			last, err = s.Solve(ctx, o)
			if !yield(PathPoint{C: c, Solution: last, Elapsed: time.Since(began)}, err) || err != nil {
				return
			}
			o.Warm = &last
		}
	}
}

func checkCosts(costs []float64) error {
	if len(costs) == 0 {
		return inputError("costs", -1, rehline.ErrShape, "none; at least one is needed")
	}
	for k, c := range costs {
		if !(c > 0) || math.IsInf(c, 1) {
			return inputError("costs", k, rehline.ErrRange, "%g; a cost is positive and finite", c)
		}
	}
	return nil
}

// clone returns a copy that shares no memory, without the duals unless told.
func clone(s rehline.Solution, duals bool) rehline.Solution {
	s.Beta = slices.Clone(s.Beta)
	if !duals {
		s.Dual = rehline.Dual{}
		return s
	}
	s.Dual.Xi = slices.Clone(s.Dual.Xi)
	s.Dual.Lambda.Data = slices.Clone(s.Dual.Lambda.Data)
	s.Dual.Gamma.Data = slices.Clone(s.Dual.Gamma.Data)
	return s
}

// inputError returns an *InputError of the part at an index, -1 where there is none.
func inputError(what string, at int, kind error, format string, args ...any) error {
	return &rehline.InputError{What: what, Row: at, Col: -1, Detail: fmt.Sprintf(format, args...), Err: kind}
}

// checkWorkers returns an error for a number that is none of workers.
func checkWorkers(what string, workers int) error {
	if workers < 0 {
		return inputError(what+": Workers", -1, rehline.ErrRange, "%d; it is at least 1, or 0 for 1", workers)
	}
	return nil
}
