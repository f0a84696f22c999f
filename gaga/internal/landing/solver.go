package landing

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/search"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/dense"
)

// solver makes steps by the convex solver, for every problem.
type solver struct {
	*site
	search *search.Search
	age    float64
	zone   []uint8
	sign   []float64
	last   []float64
	lap    lap
}

func newSolver(s *site, search *search.Search) *solver {
	f := func() []float64 { return make([]float64, s.state.P) }
	return &solver{
		site: s, search: search, zone: make([]uint8, s.state.N), sign: f(), last: f(),
		lap: lap{length: tolerance.FitLapSteps, theta: f()},
	}
}

func (s *solver) limits() limits {
	// The solution of a linear support vector machine consists of few samples at the margin; each
	// that joins or leaves changes the direction.
	l := limits{plain: tolerance.PlainSteps, quiet: tolerance.QuietFitSteps, across: true}
	if s.state.Kernel != nil {
		l.quiet = tolerance.QuietKernelSteps
	} else if s.state.Kinked() {
		l.across = false
	}
	return l
}

func (s *solver) stay(age float64) {
	s.age = age
	s.lap.begin(s.search.Theta()[:s.state.P])
}

func (s *solver) begin(theta []float64, age float64) {
	s.age = age
	s.lap.begin(theta)
	s.condition.PredictAll(s.scores, theta)
	s.search.StartAt(theta, s.scores)
}

func (s *solver) step(ctx context.Context) (progress, error) {
	moved, err := s.search.Step(ctx, s.age)
	if err != nil {
		return progress{}, err
	}
	if moved <= tolerance.Tight {
		moved = 0
	}
	p := progress{changed: s.read(), moved: moved}
	theta, _, _ := s.solution()
	way := floats.Distance(s.last, theta, 2)
	copy(s.last, theta)
	if moved > 0 && s.lap.circles(theta, way) {
		return p, errCircling
	}
	return p, nil
}

func (s *solver) read() (changed bool) {
	s.search.Weigh(s.age)
	for i, z := range s.search.Zone() {
		if z += uint8(s.state.Kinks); s.state.Kinked() {
			z = s.kinkZone(z, i)
		}
		if s.zone[i] != z {
			s.zone[i], changed = z, true
		}
	}
	theta, _, _ := s.solution()
	for j, w := range theta {
		if sign := s.state.SignOf(j, w); s.sign[j] != sign {
			s.sign[j], changed = sign, true
		}
	}
	return changed
}

// kinkZone returns a sample's zone, given that of its loss. If the last fit gave it weight, its
// multiplier decides.
func (s *solver) kinkZone(z uint8, i int) uint8 {
	if s.search.Fitted()[i] > 0 {
		switch standing, _ := s.search.Standing(i); standing {
		case convex.Free:
			return model.Pinned
		case convex.AtZero:
			return model.Satisfied
		}
		return z
	}
	if s.state.Y[i]*s.search.Scores()[i] >= 1 {
		return model.Satisfied
	}
	return z
}

func (s *solver) settle(pt *model.Point, final bool) (value float64, ok bool) {
	theta, _, u := s.solution()
	if s.state.Kinked() && s.state.Kernel == nil {
		copy(pt.Dual, s.search.Duals())
		blas64.Scal(s.state.L2[0], dense.Vector(pt.Dual)) // in the solver's units of L2
	}
	return s.place(pt, s.age, theta, u, s.zone, final)
}

func (s *solver) solution() (theta []float64, samples []int, u []float64) {
	return s.search.Theta()[:s.state.P], s.state.All, s.search.Scores()
}

func (s *solver) objective(theta, u []float64) float64 {
	return condition.Objective(s.condition, theta, u, s.age)
}

func (s *solver) move(_, u []float64) { s.search.Guess(u) }
