package benchmark

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/rehline"
)

const (
	ownFamily   = "rehline"
	specialized = "specialized" // to a task or smooth objectives
	generic     = "generic"     // for linear, quadratic or cone programs
)

// tolerances are requested of solvers, one run each.
var tolerances = []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}

type solver struct {
	name, family string
	version      int                     // raised when numbers change
	lacks        func(p *problem) string // why it cannot solve the problem, "" if it can
	run          func(*attempt, *problem) error
}

var solverTable = []*solver{
	{name: "rehline", family: ownFamily, version: 6, lacks: hasAll, run: func(a *attempt, p *problem) error {
		return a.rehline(p, rehline.Automatic)
	}},
	{name: "rehline-coordinate-descent", family: ownFamily, version: 4, lacks: func(p *problem) string {
		if p.l1 > 0 {
			return "coordinate descent alone has no L1 penalty"
		}
		return ""
	}, run: func(a *attempt, p *problem) error { return a.rehline(p, rehline.DescentOnly) }},
	{name: "lbfgs", family: specialized, version: 2, lacks: func(p *problem) string {
		if !p.task.smooth {
			return "L-BFGS needs a smooth objective, which " + p.of.Name + " has not"
		}
		return ""
	}, run: (*attempt).lbfgs},
}

func hasAll(*problem) string { return "" }

type attempt struct {
	ctx    context.Context
	budget time.Duration // processor time
	seed   uint64

	points  []point
	setups  []float64 // seconds
	stopped string
}

type point struct {
	tolerance, passes, reported float64 // -1 if unknown
	seconds                     float64
	beta                        []float64
}

func (a *attempt) setup() any {
	if len(a.setups) == 0 {
		return nil
	}
	return dataset.MedianOf(a.setups)
}

// Runs shorter than briefly are repeated for their median time: the first touch of memory disturbs
// them most.
const (
	briefly  = 0.1 // seconds
	fewTimes = 5
)

func (a *attempt) setUp(p *problem) error {
	began := clock()
	_, err := rehline.New(p.rehline())
	a.setups = append(a.setups, (clock() - began).Seconds())
	return err
}

// rehline solves each tolerance from the start, as a single call would.
func (a *attempt) rehline(p *problem, method rehline.Method) error {
	begun := clock()
	options := rehline.Options{Method: method, Seed: a.seed, MaxTime: a.budget}
	if method == rehline.DescentOnly {
		options.MaxPasses = 1 << 40
	}
	for _, tol := range tolerances {
		if clock()-begun > a.budget {
			a.stopped = fmt.Sprintf("the budget of %v is used up before tolerance %g", a.budget, tol)
			return nil
		}
		options.Tol = tol
		if err := a.setUp(p); err != nil {
			return err
		}
		var times []float64
		var solution rehline.Solution
		for len(times) == 0 || len(times) < fewTimes && times[0] < briefly {
			began := clock()
			var err error
			if solution, err = rehline.Solve(a.ctx, p.rehline(), options); err != nil {
				return err
			}
			times = append(times, (clock() - began).Seconds())
		}
		count := solution.Iterations
		a.points = append(a.points, point{
			tolerance: tol, passes: float64(count.Visits)/float64(len(p.y)) + float64(count.Newton), reported: solution.Gap,
			seconds: dataset.MedianOf(times), beta: slices.Clone(solution.Beta),
		})
		if solution.Status != rehline.Solved {
			a.stopped = fmt.Sprintf("%s at tolerance %g", solution.Status, tol)
			return nil
		}
	}
	return nil
}
