package rehline

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"
)

// PathPoint is the solution for one cost of a path.
type PathPoint struct {
	C        float64
	Solution Solution
	Elapsed  time.Duration // of this solve alone.
}

// Costs returns count costs from first to last, both included, evenly spaced
// on a logarithmic scale. It returns nil where there are none: first and last
// are positive and finite, and count is at least 1, of which one alone is first.
func Costs(first, last float64, count int) []float64 {
	if !(first > 0) || !(last > 0) || math.IsInf(first, 1) || math.IsInf(last, 1) || count < 1 {
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

// Path solves p for each of the costs C, in their order, each from the solution
// before it, and returns a solution for each cost; p.C does not matter. Costs
// in rising order are the cheapest: strong regularization is solved at once.
// Options hold for every solve; Warm is where the first one starts. The duals
// are left out of the returned solutions unless duals is true; they take n
// numbers for each term and cost. Errors: those of New and Solve, with the points
// solved before, *InputError for a cost that is not positive and finite.
func Path(ctx context.Context, p Problem, costs []float64, duals bool, o Options) ([]PathPoint, error) {
	if err := checkCosts(costs); err != nil {
		return nil, err
	}
	s, err := New(p)
	if err != nil {
		return nil, err
	}
	points := make([]PathPoint, 0, len(costs))
	for point, err := range s.Path(ctx, costs, o) {
		if err != nil {
			return points, err
		}
		point.Solution = point.Solution.clone(duals)
		points = append(points, point)
	}
	return points, nil
}

// Path is the function Path as an iterator, which allocates next to nothing.
// The solution belongs to the Solver and is overwritten by the next one. An
// error ends the path; with a context's error comes the best solution so far.
// The Solver keeps the last cost.
func (s *Solver) Path(ctx context.Context, costs []float64, o Options) iter.Seq2[PathPoint, error] {
	return func(yield func(PathPoint, error) bool) {
		if err := checkCosts(costs); err != nil {
			yield(PathPoint{}, err)
			return
		}
		o := o
		for _, c := range costs {
			began := time.Now()
			if err := s.SetC(c); err != nil {
				yield(PathPoint{}, err)
				return
			}
			sol, err := s.Solve(ctx, o)
			if !yield(PathPoint{C: c, Solution: sol, Elapsed: time.Since(began)}, err) || err != nil {
				return
			}
			o.Warm = &s.sol
		}
	}
}

func checkCosts(costs []float64) error {
	if len(costs) == 0 {
		return shapeError("costs", "none; at least one is needed")
	}
	for k, c := range costs {
		if !(c > 0) || math.IsInf(c, 1) {
			return &InputError{"costs", k, -1, fmt.Sprintf("%g; a cost is positive and finite", c), ErrRange}
		}
	}
	return nil
}

// clone returns a copy that shares no memory, without the duals unless told.
func (s Solution) clone(duals bool) Solution {
	s.Beta = slices.Clone(s.Beta)
	if !duals {
		s.Dual = Dual{}
		return s
	}
	s.Dual.Xi = slices.Clone(s.Dual.Xi)
	s.Dual.Lambda.Data = slices.Clone(s.Dual.Lambda.Data)
	s.Dual.Gamma.Data = slices.Clone(s.Dual.Gamma.Data)
	return s
}
