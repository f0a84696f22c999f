// Package window bounds which samples can reach a threshold soon, so that the others need not be
// examined.
package window

import (
	"math"
	"slices"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// Horizon says how far the watched samples account for all crossings.
type Horizon interface {
	// Ahead returns the ages beyond left in which only watched samples can cross. It opens a new
	// window at left if the last is used up.
	Ahead(left *model.Point) float64
	// Inside reports whether only watched samples can have crossed at pt.
	Inside(pt *model.Point) bool
}

// Everything is the horizon when all samples are watched.
type Everything struct{}

func (Everything) Ahead(*model.Point) float64 { return math.Inf(1) }
func (Everything) Inside(*model.Point) bool   { return true }

// Window is a neighbourhood of a point in which only the watched samples can reach a boundary of
// their zones. Sample i is at a distance d_i from the next boundary ρ: in its residual with ρ =
// √threshold for the squared loss, in its margin's defect with ρ = threshold/C for the hinge loss.
// Along the tangent it approaches the boundary at a known rate; a θ off the tangent by Δθ moves the
// residual or the defect by at most ‖a_i‖‖Δθ‖ more. The sample need not be watched while the sum of
// both is less than d_i. The norms are those of a [Ruler], over the coordinates that can move.
type Window struct {
	*Ruler
	line
	extent
	condition *condition.Primal
	outside   outside
	last      float64
	lasting   bool // always widened
	widened   bool // bounds moves of all coordinates

	drift  float64 // jump length per unit of age, running mean
	jumped float64
	landed float64 // age of the last jump

	u, du     []float64
	predicted bool
	approach
	samples []int
}

type approach struct {
	limit       float64
	soon        []int
	near        []float64 // in how many ages at the earliest
	ends, rates []float64
	speed, leap float64 // displacement off the tangent, per age and at once
}

type line struct {
	theta, rate []float64
	age         float64
}

type extent struct {
	length float64
	moved  float64
	radius float64
}

type outside interface {
	// open opens a window at left, used ages after the last; all predictors are known.
	open(w *Window, left *model.Point, used float64)
	// withdraw watches as few samples as the sums allow without a window.
	withdraw(w *Window, u []float64, age float64)
}

// New returns a *Window if the terms of the condition allow one, else [Everything]. Last is the end
// of the range of ages.
func New(c *condition.Primal, last float64) Horizon {
	s := c.State()
	f := func(k int) []float64 { return make([]float64, k) }
	w := &Window{Ruler: NewRuler(&s.Samples), condition: c, last: last, lasting: s.Kinked() && !s.Sparse()}
	switch t := c.Terms().(type) {
	case *sums.Moments:
		w.outside, w.lasting = &moments{Moments: t}, t.Constant()
	default:
		if !t.Summed() {
			return Everything{}
		}
		w.outside = zones{}
	}
	w.line = line{theta: f(s.P), rate: f(s.P)}
	w.u, w.du = f(s.N), f(s.N)
	w.soon, w.near = make([]int, 0, s.N), f(s.N)[:0]
	return w
}

func (w *Window) Ahead(left *model.Point) float64 {
	if w.Inside(left) {
		ahead := w.age + w.length - left.Age
		if rate := w.Distance(w.rate, left.Rate); rate > 0 {
			ahead = math.Min(ahead, (w.moved-w.strayed(left))/rate)
		}
		if ahead > tolerance.WindowLeft*w.length {
			return ahead
		}
	}
	w.predicted = false
	w.outside.open(w, left, left.Age-w.age)
	return w.length
}

// Inside closes a window for other coordinates than those that can move now.
func (w *Window) Inside(pt *model.Point) bool {
	if !slices.Equal(w.columns, w.moving()) {
		w.length = 0
	}
	return w.length > 0 && w.strayed(pt) <= w.moved && w.growth(pt.Age) <= w.radius
}

// Close makes the next Ahead open a new window.
func (w *Window) Close() { w.length = 0 }

// Widen makes windows bound moves of all coordinates, as in a landing, or of the active ones only.
func (w *Window) Widen(all bool) { w.widened = all }

// WatchNone closes the window and watches no samples, or all if the sums need that. U are the
// predictors of all samples.
func (w *Window) WatchNone(u []float64, age float64) {
	w.Close()
	w.outside.withdraw(w, u, age)
}

// Jumped records a jump after a smooth path of some ages; windows leave room for further jumps at
// this rate. Jumps closer together than the shortest useful window do not count.
func (w *Window) Jumped(from, to *model.Point, ages float64) {
	length := w.Distance(from.Theta, to.Theta)
	w.landed = to.Age
	w.jumped = math.Max((1-1.0/tolerance.WindowJumps)*w.jumped, length)
	if ages > tolerance.WindowBrief*w.age {
		w.drift += (length/ages - w.drift) / tolerance.WindowJumps
	}
}

func (w *Window) moving() []int {
	if w.lasting || w.widened {
		return w.every
	}
	return w.condition.State().Active
}

func (w *Window) strayed(pt *model.Point) float64 {
	var sum float64
	h := pt.Age - w.age
	for j, x := range pt.Theta {
		x = (x - w.theta[j] - h*w.rate[j]) * w.scale[j]
		sum += x * x
	}
	return math.Sqrt(sum)
}

func (w *Window) growth(age float64) (most float64) {
	s := w.condition.State()
	for k := range s.Thresholds() {
		a, _ := boundary(s, k, w.age)
		b, _ := boundary(s, k, age)
		most = math.Max(most, math.Abs(b-a))
	}
	return most
}

func boundary(s *model.State, k int, age float64) (rho, rate float64) {
	threshold, slope := s.Regularizer.Threshold(k, age)
	if s.Kinked() {
		return threshold / s.Cost, slope / s.Cost
	}
	rho = math.Sqrt(threshold)
	return rho, slope / (2 * rho)
}

// boundaries returns all boundaries ρ and their rates. The lower end of zone z is entry z, the
// upper end entry z+1; pinned samples are at both.
func boundaries(s *model.State, age float64) (ends, rates []float64) {
	last := len(s.Zones)
	ends, rates = make([]float64, last+1), make([]float64, last+1)
	ends[0], ends[last] = math.Inf(-1), math.Inf(1)
	for k := range s.Thresholds() {
		ends[s.Kinks+k+1], rates[s.Kinks+k+1] = boundary(s, k, age)
	}
	return ends, rates
}

// defect returns what is compared with ρ, and its rate: the margin's defect, or without a kink the
// size of the residual.
func defect(kinked bool, y, u, du float64) (r, dr float64) {
	if kinked {
		return 1 - y*u, -y * du
	}
	if r = u - y; r < 0 {
		return -r, -du
	}
	return r, du
}
