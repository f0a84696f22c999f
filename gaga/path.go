package gaga

import (
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/agepath/agepath/gaga/internal/model"
)

// Range is an interval of ages, 0 < Min < Max.
type Range struct{ Min, Max float64 }

// Direction says whether the age grows or falls along a path.
type Direction uint8

const (
	Up   Direction = iota // from Range.Min, see [Track]
	Down                  // from Range.Max
)

func (d Direction) String() string { return [...]string{"up", "down"}[d] }

// Kind says why a knot is on a path.
type Kind uint8

const (
	Start   Kind = iota // first point of a piece
	Turning             // where the path bends
	Jump                // the last point of a branch
	Grid
	End
)

func (k Kind) String() string {
	return [...]string{"start", "turning", "jump", "grid", "end"}[k]
}

// Cause says what happened at a critical point.
type Cause uint8

const (
	NoCause    Cause = iota
	SampleUp         // a loss rose above its zone
	SampleDown       // a loss fell below its zone
	Activated        // a coordinate's gradient reached the L1 weight
	Dropped          // a coordinate reached zero
	Fold             // the branch turned back in the age
	Stall            // no progress: restarted by alternation
)

func (c Cause) String() string {
	return [...]string{"", "sample up", "sample down", "activated", "dropped", "fold", "stall"}[c]
}

// Knot is a point of an age path.
type Knot struct {
	Age       float64
	Kind      Kind
	Cause     Cause
	Index     int // sample or coordinate, or -1
	Detail    string
	Scalar    float64 // of the sign test: positive where the path turns; NaN where no test applies
	Theta     []float64
	Objective float64 // G_λ(θ)
	// KKT is the largest violation of the optimality condition, in each coordinate relative to the
	// terms of the gradient: for feature j, Σ_i m_i [v_i (|l'_i| + l''_i |u_i|) + p_i] |x_ij| and
	// the penalty's terms; at least 1e-6 of its value with all weights 1. p_i = 1e-3 |∂v*/∂l| l'_i²
	// (|u_i| + |y_i|), at most |l'_i|, is the effect of the predictor through the weight; the hinge
	// loss has 3 - y_i u_i instead of |u_i| + |y_i|. Without a kernel x is that of the frame: the
	// features or, see the package documentation, the coordinates in which the problem is solved.
	KKT                     float64
	Easy, Middle, Discarded int // samples, multiplicities not counted
	Active                  int // nonzero coefficients, without the intercept

	piece, change int
	level         float64 // intercept in the frame: the published one has fewer digits
}

// Event is a turning point or a jump point.
type Event struct {
	Age    float64
	Kind   Kind
	Cause  Cause
	Index  int
	Scalar float64
	Detail string
}

// Restart is a landing.
type Restart struct {
	Age        float64
	Reason     string
	Iterations int // until the landing point was accepted
}

// Status says whether a path reaches the end of its range, or why not.
type Status uint8

const (
	Complete Status = iota
	Interrupted
	EventLimit
	Degenerate // no strict partial optimum was found
)

func (s Status) String() string {
	return [...]string{"complete", "cancelled", "event budget", "degenerate"}[s]
}

// Early reports whether the path ends before the end of its range.
func (s Status) Early() bool { return s != Complete }

// Path is the age path of a problem. It is immutable, so its methods may be called concurrently. It
// holds its knots, the zones with their changes, and for [Path.At] a copy of the problem, n(d+1)
// numbers; with a kernel instead the caller's features, which must not change. Each concurrent call
// of At needs O(np) memory, with a kernel the required rows of the kernel matrix, up to 512 MiB;
// later calls reuse it.
type Path struct {
	problem    *model.Problem // in the frame
	frame      *frame
	kinds      []ZoneKind
	knots      []Knot
	pieces     []piece
	restarts   []Restart
	gaps       []Gap
	status     Status
	reason     string
	eventCount int
	evaluators sync.Pool
}

type piece struct {
	zone    []uint8
	sign    []float64
	changes []change
}

type change struct {
	cause model.Cause
	index int
	sign  float64
}

func (p *Path) change(c model.Crossing) {
	last := &p.pieces[len(p.pieces)-1]
	last.changes = append(last.changes, change{c.Cause, c.Index, c.Sign})
}

// settled returns the published θ: coefficients, then the intercept, 0 if there is none. A
// coefficient of the wrong sign is rounding and set to 0.
func (p *Path) settled(st *model.State, theta []float64) []float64 {
	own := slices.Clone(theta)
	for j, w := range theta {
		if st.L1[j] > 0 && model.Sign(w) != st.Sign[j] {
			own[j] = 0
		}
	}
	return p.frame.outer(own)
}

func (p *Path) discarded() bool {
	return !p.problem.Weighed && !slices.ContainsFunc(p.knots, func(k Knot) bool { return k.Easy+k.Middle > 0 })
}

// Knots returns the knots in the order of the path: ages ascend, on a path down they descend. The
// path owns the slice.
func (p *Path) Knots() []Knot { return p.knots }

func (p *Path) Direction() Direction {
	if p.problem.Down() {
		return Down
	}
	return Up
}

// lambda returns the caller's age at an age of the engine, and the reverse.
func (p *Path) lambda(age float64) float64 {
	lambda, _ := p.problem.Lambda(age)
	return lambda
}

// before reports whether the path has age a before age b.
func (p *Path) before(a, b float64) bool {
	if p.problem.Down() {
		return a > b
	}
	return a < b
}

func (p *Path) Status() Status { return p.status }

// Reason says why the path ends early; "" if it is complete.
func (p *Path) Reason() string { return p.reason }

// Restarts returns the landings in the order of the path.
func (p *Path) Restarts() []Restart { return p.restarts }

// Events returns the critical points in the order of the path.
func (p *Path) Events() []Event {
	var events []Event
	for _, k := range p.knots {
		if k.Kind == Turning || k.Kind == Jump {
			events = append(events, Event{k.Age, k.Kind, k.Cause, k.Index, k.Scalar, k.Detail})
		}
	}
	return events
}

// Range returns the ages of the path's knots, the smallest and the largest.
func (p *Path) Range() Range {
	if len(p.knots) == 0 {
		return Range{}
	}
	first, last := p.knots[0].Age, p.knots[len(p.knots)-1].Age
	return Range{min(first, last), max(first, last)}
}

// AgeError reports an age outside a path.
type AgeError struct {
	Age   float64
	Range Range
}

func (e *AgeError) Error() string {
	return fmt.Sprintf("gaga: age %v is outside the path's [%v, %v]", e.Age, e.Range.Min, e.Range.Max)
}

// At returns the d coefficients (with a kernel the n multipliers) and the intercept at an age.
// Between knots At solves the optimality condition on the zones of the segment, to the residual of
// a knot, and checks that all samples are in them. Between a jump and its landing, usually a
// relative 1e-9 further, At follows the path back from the landing point. The error is an
// [*AgeError], a [*GapError], or says that no point of the path is found.
func (p *Path) At(age float64) ([]float64, error) {
	if err := p.inGap(age); err != nil {
		return nil, err
	}
	covered := p.Range()
	if len(p.knots) == 0 || !(age >= covered.Min && age <= covered.Max) {
		return nil, &AgeError{age, covered}
	}
	// A landing comes after its jump, also at the same age.
	k := sort.Search(len(p.knots), func(k int) bool { return p.before(age, p.knots[k].Age) }) - 1
	left := &p.knots[k]
	if left.Age == age || k+1 == len(p.knots) {
		return append([]float64(nil), left.Theta...), nil
	}
	e := p.evaluator()
	defer p.evaluators.Put(e)
	return e.at(left, &p.knots[k+1], age)
}
