package benchmark

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/optimize"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/kernel"
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

const (
	firstIterates = 20   // all become points
	laterIterates = 1.05 // ratio of later iterates' numbers that become points
	maxIterations = 1_000_000
)

// lbfgs repeats short runs for their median times. Recording is not timed.
func (a *attempt) lbfgs(p *problem) error {
	var runs []*attempt
	for len(runs) == 0 || len(runs) < fewTimes && runs[0].took() < briefly {
		run := &attempt{ctx: a.ctx, budget: a.budget}
		if err := run.descend(p); err != nil {
			return err
		}
		runs = append(runs, run)
		a.setups = append(a.setups, run.setups...)
	}
	a.points, a.stopped = runs[0].points, runs[0].stopped
	for i := range a.points {
		var times []float64
		for _, run := range runs {
			if i < len(run.points) { // the budget may end it earlier
				times = append(times, run.points[i].seconds)
			}
		}
		a.points[i].seconds = dataset.MedianOf(times)
	}
	return nil
}

func (a *attempt) took() float64 {
	if len(a.points) == 0 {
		return 0
	}
	return a.points[len(a.points)-1].seconds
}

func (a *attempt) descend(p *problem) error {
	began := clock()
	f := &smooth{problem: p, grad: make([]float64, p.x.Cols), score: make([]float64, p.x.Rows)}
	a.setups = []float64{(clock() - began).Seconds()}
	rec := &recorder{attempt: a, began: began}
	result, err := optimize.Minimize(
		optimize.Problem{Func: f.value, Grad: f.gradient}, make([]float64, p.x.Cols),
		&optimize.Settings{Recorder: rec, Converger: optimize.NeverTerminate{}, MajorIterations: maxIterations},
		&optimize.LBFGS{},
	)
	switch {
	case a.ctx.Err() != nil:
		return a.ctx.Err()
	case a.stopped != "":
	case err != nil: // no step lowers the objective: limit of precision
		a.stopped = err.Error()
	case result.Status != optimize.GradientThreshold:
		a.stopped = result.Status.String()
	}
	return nil
}

var errEnough = errors.New("the budget is used up")

type recorder struct {
	attempt *attempt
	began   time.Duration
	paused  time.Duration
	last    float64 // number of the last point's iterate
}

func (r *recorder) Init() error { return nil }

func (r *recorder) Record(at *optimize.Location, of optimize.Operation, stats *optimize.Stats) error {
	if of != optimize.MajorIteration {
		return nil
	}
	now := clock()
	seconds := (now - r.began - r.paused).Seconds()
	number := float64(stats.MajorIterations)
	if a := r.attempt; number < firstIterates || number > laterIterates*r.last {
		r.last = number
		a.points = append(a.points, point{
			tolerance: -1, passes: float64(stats.FuncEvaluations), reported: -1, seconds: seconds, beta: slices.Clone(at.X),
		})
	}
	r.paused += clock() - now
	if seconds > r.attempt.budget.Seconds() {
		r.attempt.stopped = "the budget of " + r.attempt.budget.String() + " is used up"
		return errEnough
	}
	return r.attempt.ctx.Err()
}

// smooth computes objective and gradient together.
type smooth struct {
	*problem

	at, grad, score []float64
	known           float64
}

func (s *smooth) value(beta []float64) float64 {
	if s.at != nil && slices.Equal(s.at, beta) {
		return s.known
	}
	s.at = append(s.at[:0], beta...)
	kernel.MulVec(s.score, s.x.Data, s.x.Stride, beta)
	total := 0.0
	for i, z := range s.score {
		sign := s.sign(i)
		w := s.base(i) - sign*z
		total += s.loss.value(w)
		s.score[i] = -s.c * sign * s.loss.slope(w)
	}
	copy(s.grad, beta)
	kernel.MulTransAdd(s.grad, s.x.Data, s.x.Stride, s.score)
	s.known = s.c*total + kernel.Dot(beta, beta)/2
	return s.known
}

func (s *smooth) gradient(grad, beta []float64) {
	s.value(beta)
	copy(grad, s.grad)
}
