package benchmark

import (
	"errors"
	"slices"
	"time"

	"gonum.org/v1/gonum/optimize"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/kernel"
)

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
