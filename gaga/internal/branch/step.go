package branch

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/tolerance"
)

type steps struct {
	length   float64 // limit by the corrector
	first    float64
	idle     int // steps since the age last moved
	since    float64
	patience int // limit of idle
	alone    int // steps since the last critical point, or a growth of the age
	busy     int // steps since a growth of the age
	from     float64
	last     float64
}

// begin without a length discards how short the last steps became towards a fold.
func (s *steps) begin(age, length float64) {
	s.idle, s.since, s.alone, s.busy, s.from = 0, age, 0, 0, age
	switch {
	case length > 0:
		s.length = length
	case s.length == 0:
		s.length = s.last - age
	default:
		s.length = math.Max(s.length, tolerance.StepAnew*s.first)
	}
	s.first = s.length
}

// stalled reports more idle steps than a tie of all samples and coordinates explains, or more steps,
// or steps between critical points, than a growth of the age needs.
func (s *steps) stalled(age float64) bool {
	if age > s.since*(1+tolerance.KKT) {
		s.idle, s.since = 0, age
	}
	if age > s.from*(1+tolerance.StepGrowth) {
		s.alone, s.busy, s.from = 0, 0, age
	}
	s.idle++
	s.alone++
	s.busy++
	return s.idle > s.patience || s.alone > tolerance.StepsAlone || s.busy > tolerance.StepCrowd*s.patience
}

func (s *steps) next(age, room float64) float64 {
	return math.Min(math.Min(math.Max(s.length, tolerance.Roundoff*age), tolerance.StepLongest*age), room)
}

func (s *steps) carried(h float64, iterations, easy int) {
	if iterations <= easy {
		s.length = math.Max(s.length, 2*h)
	}
}

// advance moves the trial point to the expected crossing or, if that is too far or not found, as
// far as the corrector converges.
func (b *Branch) advance(expected candidate, target float64) candidate {
	age := b.left.Age
	room := b.turn.room(age)
	if room < tolerance.Roundoff*age {
		return fold
	}
	h := math.Min(b.steps.next(age, target-age), tolerance.FoldStep*room)
	if b.stands() {
		h = math.Min(h, age-b.changed+tolerance.StepStanding*age)
	}
	if expected.At <= h {
		if b.locate(expected, age+expected.At, target, nil) {
			return expected.located()
		}
		before := math.Min(expected.At, b.corrector.Room(b.left, expected.At))
		h = math.Min(h, math.Max(tolerance.StepBefore*before, tolerance.Roundoff*age))
	}
	return b.shorten(h, target)
}

// stands reports whether weights change although θ stays, as between samples that cancel: H can then
// lose its definiteness and regain it where no step sees that. Its slopes begin at the last change.
func (b *Branch) stands() bool {
	s, size := b.state, 0.0
	for r, j := range s.Active {
		size += s.Diag[r] * b.left.Theta[j] * b.left.Theta[j]
	}
	return s.Bends && speed(s, b.left)*b.left.Age*b.left.Age <= b.rounding(size)
}

// shorten moves the trial point on by h, or by the longest halving of h for which the corrector
// converges and which ends before the estimated fold; the next step is then no longer. If none
// converges, the branch ends here, at a fold. Where the corrector's tolerance explains more than the
// branch moves, as on samples that are fitted exactly, the left point is refined.
func (b *Branch) shorten(h, target float64) candidate {
	age, easy := b.left.Age, b.condition.Policy().Quick
	refined := false
	for halved := false; !halved || h >= tolerance.Roundoff*age; h, halved = 0.5*h, true {
		to := math.Min(age+h, target)
		reached := b.reach(to)
		if !reached && !refined && b.corrector.Entered() {
			if refined = true; !b.corrector.Refine(b.left) || !b.Stand() {
				return fold
			}
			reached = b.reach(to)
		}
		if !reached {
			continue
		}
		b.steps.carried(to-age, b.trial.Iterations, easy)
		if halved {
			b.steps.length = math.Min(b.steps.length, h)
		}
		return none
	}
	return fold
}

func (b *Branch) reach(age float64) bool {
	h := age - b.left.Age
	b.condition.Extrapolate(b.trial, b.left, b.turn.bent(b.left.Age, h))
	copy(b.predicted, b.trial.Theta)
	b.trial.Age = age
	if !b.corrector.Correct(b.trial) || !b.near(h) || !b.horizon.Inside(b.trial) {
		return false
	}
	b.condition.Tangent(b.trial)
	return b.turn.room(b.left.Age) < math.Inf(1) || b.steady(h)
}

// near reports whether the trial point is as close to its prediction as a smooth branch allows; if
// not, the corrector may have left the branch.
func (b *Branch) near(h float64) bool {
	s, l := b.state, b.left
	var moved, size float64 // squared, in units of the objective
	for r, j := range s.Active {
		m, w := h*l.Rate[j], l.Theta[j]
		moved += s.Diag[r] * m * m
		size += s.Diag[r] * w * w
	}
	return s.Distance(b.predicted, b.trial.Theta) <= tolerance.Near*tolerance.Near*moved+b.rounding(size)
}

func (b *Branch) rounding(size float64) float64 {
	const objective, still = tolerance.Still, tolerance.NearSize
	lambda, _ := b.state.Lambda(b.left.Age)
	return objective*objective*lambda*b.state.Total + still*still*size
}

// steady reports whether the mean of the rates at both ends of a step h explains the displacement.
// Beyond a fold, or where other branches are close, another branch can be near the prediction.
func (b *Branch) steady(h float64) bool {
	s, l, r := b.state, b.left, b.trial
	var off, moved, size float64
	for k, j := range s.Active {
		way, unit := r.Theta[j]-l.Theta[j], s.Diag[k]
		d := way - 0.5*h*(l.Rate[j]+r.Rate[j])
		off += unit * d * d
		moved += unit * way * way
		size += unit * l.Theta[j] * l.Theta[j]
	}
	return off <= tolerance.Agreement*tolerance.Agreement*moved+b.rounding(size)
}
