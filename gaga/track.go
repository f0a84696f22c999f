package gaga

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/agepath/agepath/gaga/internal/audit"
	"github.com/agepath/agepath/gaga/internal/branch"
	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/landing"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/newton"
	"github.com/agepath/agepath/gaga/internal/search"
	"github.com/agepath/agepath/gaga/internal/window"
	"github.com/agepath/agepath/internal/convex"
)

// Options of [Track]. Each field except Age defaults to its zero value.
type Options struct {
	Age Range // 0 < Min < Max
	// Direction is Up from Age.Min or Down from Age.Max, at which the path begins at the partial
	// optimum that alternation reaches from the fit with all weights 1.
	Direction Direction
	// Weights, in [0, 1] by row, are those of the fit from which alternation reaches the first point of
	// a path up. nil: all 1.
	Weights []float64
	Grid    []float64 // ages of wanted knots, in any order; those outside Age are ignored
	// MaxEvents is the number of critical points after which the path ends with status
	// [EventLimit]. 0: no limit.
	MaxEvents int
	// MaxAlternations limits the steps of one landing, after which the path ends with status
	// [Degenerate]. 0: 20,000, about the work of four searches at 41 ages.
	MaxAlternations int
	// Verify checks the path at every event and knot: residual, zones, signs, inertia, direction
	// after turning points, and descent of landings. A failure ends the path with a [*Violation].
	// AGEPATH_VERIFY=1 turns Verify on for all paths. Tracking is several times slower.
	Verify bool

	plain bool
}

func (o Options) verifying() bool { return o.Verify || os.Getenv("AGEPATH_VERIFY") == "1" }

func (o Options) check() error {
	if !(o.Age.Min > 0) || !(o.Age.Max > o.Age.Min) || math.IsInf(o.Age.Max, 0) {
		return fmt.Errorf("gaga: ages [%v, %v], need 0 < Min < Max", o.Age.Min, o.Age.Max)
	}
	if o.Direction > Down {
		return fmt.Errorf("gaga: Direction is %d, need Up or Down", uint8(o.Direction))
	}
	if slices.ContainsFunc(o.Grid, math.IsNaN) {
		return errors.New("gaga: a grid age is NaN")
	}
	return nil
}

// ages returns the first age of the path, the grid's in order and the last.
func (o Options) ages() []float64 {
	ages := slices.DeleteFunc(slices.Clone(o.Grid), func(age float64) bool { return age < o.Age.Min || age > o.Age.Max })
	ages = append(ages, o.Age.Min, o.Age.Max)
	slices.Sort(ages)
	if o.Direction == Down {
		slices.Reverse(ages)
	}
	return slices.Compact(ages)
}

// Violation reports an error of the engine, see [Options.Verify].
type Violation struct {
	Age   float64
	Event string
	Check string
}

func (e *Violation) Error() string {
	return fmt.Sprintf("gaga: verify: age %v, %s: %s", e.Age, e.Event, e.Check)
}

// Supports returns an error that says why [Track] cannot follow the paths of a problem.
func Supports(p *Problem) error {
	if _, hinge := p.Loss.(HingeLoss); p.Kernel != nil && !hinge {
		return fmt.Errorf("gaga: the tracker has no kernel models with the %s loss", p.Loss.Name())
	}
	if _, hinge := p.Loss.(HingeLoss); p.Loss.Kinked() && !hinge {
		return fmt.Errorf("gaga: the tracker has no losses with kinks such as the %s loss", p.Loss.Name())
	}
	return nil
}

// Track computes the age path of a problem. It returns an error for an invalid problem or invalid
// options, and with a begun path for other failures; a path that ends early is not one, see
// [Path.Status].
func Track(ctx context.Context, p *Problem, o Options) (*Path, error) {
	if err := errors.Join(p.Check(), o.check()); err != nil {
		return nil, err
	}
	if err := Supports(p); err != nil {
		return nil, err
	}
	t, err := newTracker(ctx, p, o)
	if err != nil {
		return nil, err
	}
	err = t.run(ctx)
	if _, whole := t.horizon.(window.Everything); t.path.status == Degenerate && !whole {
		// For an outlying sample the terms of the moments cancel, to the fourth power of its
		// features.
		o.plain = true
		if t, err = newTracker(ctx, p, o); err == nil {
			err = t.run(ctx)
		}
	}
	return t.path, err
}

type tracker struct {
	options   Options
	first     float64 // ages of the engine between which the path runs
	last      float64
	grid      []float64 // the caller's ages not yet reached, and the last
	search    *search.Search
	unfit     error // of the fit with all weights 1
	condition condition.Condition
	branch    *branch.Branch
	lander    *landing.Lander
	horizon   window.Horizon
	audit     func(behind model.Crossing) (broken string)
	path      *Path
}

func newTracker(ctx context.Context, p *Problem, o Options) (*tracker, error) {
	p, f := p.framed()
	return newFramedTracker(ctx, p, f, o)
}

func newFramedTracker(ctx context.Context, p *Problem, f *frame, o Options) (*tracker, error) {
	solver, err := newSolver(p)
	if err != nil {
		return nil, err
	}
	m := p.engine()
	if o.Direction == Down {
		m.Reverse(o.Age.Max)
	}
	t := &tracker{
		options: o, grid: o.ages(), search: search.New(m, solver),
		path:  &Path{problem: m, frame: f, kinds: p.zoneKinds()},
		audit: func(model.Crossing) string { return "" },
	}
	t.first, t.last = t.path.lambda(t.grid[0]), t.path.lambda(t.grid[len(t.grid)-1])
	m.Ages = []float64{t.first, t.last}
	t.unfit = t.search.FitAll(ctx)
	t.horizon = window.Everything{}
	var floor []float64
	if svm, ok := solver.(*convex.SVM); ok && p.Kernel != nil {
		t.condition = condition.NewKernel(m, svm.KernelRows())
	} else {
		var primal *condition.Primal
		if o.plain {
			primal = condition.NewPlain(m)
		} else {
			if m.Squared && t.unfit == nil {
				m.Support = active(t.search.Theta())
			}
			primal = condition.NewPrimal(m)
			t.horizon = window.New(primal, t.last)
		}
		t.condition, floor = primal, primal.Scope().Floor
	}
	corrector := newton.New(t.condition)
	t.branch = branch.New(t.condition, corrector, t.horizon, t.last)
	t.lander = landing.New(t.condition, corrector, t.search, t.horizon, landing.Options{
		MaxAlternations: o.MaxAlternations, Last: t.last, Verify: o.verifying(),
	})
	if o.verifying() {
		auditor := audit.New(m)
		t.audit = func(behind model.Crossing) string {
			return auditor.Check(t.condition.State(), t.branch.Left(), floor, behind)
		}
	}
	return t, nil
}

// run follows the path until it ends. A path on which no sample ever has weight begins again as
// after a gap.
func (t *tracker) run(ctx context.Context) error {
	err := t.begin(ctx)
	if err == nil {
		err = t.proceed(ctx)
	}
	if err == nil && t.path.discarded() {
		t.path.knots, t.path.pieces, t.path.restarts, t.path.gaps, t.path.eventCount = nil, nil, nil, nil, 0
		t.grid = t.options.ages()
		if err = t.bridge(ctx, t.first, t.startAt(t.first)); err == nil {
			err = t.proceed(ctx)
		}
	}
	if err != nil {
		return t.stop(ctx, err)
	}
	return nil
}

func (t *tracker) proceed(ctx context.Context) error {
	for t.branch.Left().Age < t.last {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.advance(ctx); errors.Is(err, errVanished) {
			return nil
		} else if err != nil {
			return err
		}
	}
	t.recordAt(End, t.grid[len(t.grid)-1])
	return nil
}

func (t *tracker) advance(ctx context.Context) error {
	outcome := t.branch.Next(t.target(), t.spent())
	if outcome.Spent {
		return errEventLimit
	}
	detail := describe(t.condition.State(), outcome)
	switch {
	case outcome.Kind == branch.Left:
		t.recordGrid()
		return t.jump(ctx, outcome, detail)
	case outcome.Kind == branch.Turned:
		t.path.change(outcome.Crossing)
		t.record(Turning, outcome.Crossing, detail, outcome.Scalar)
	default:
		detail = "step"
	}
	if err := t.verify(outcome.Crossing, detail); err != nil {
		return err
	}
	t.recordGrid()
	if t.emptied() {
		return t.vanish(detail + "; no sample is left")
	}
	return nil
}

func (t *tracker) recordGrid() {
	for len(t.grid) > 1 && t.branch.Left().Age >= t.path.lambda(t.grid[0]) {
		t.recordAt(Grid, t.grid[0])
		t.grid = t.grid[1:]
	}
}

// recordAt records a knot at exactly an age of the caller.
func (t *tracker) recordAt(kind Kind, age float64) {
	k := t.record(kind, model.Crossing{Index: -1}, "", math.NaN())
	t.path.knots[k].Age = age
}

// target returns the engine's age at the next one of the grid.
func (t *tracker) target() float64 {
	for len(t.grid) > 1 && t.path.lambda(t.grid[0]) <= t.branch.Left().Age {
		t.grid = t.grid[1:]
	}
	return t.path.lambda(t.grid[0])
}

// age returns the caller's age at the left point: in order with the knots and the grid, which the
// rounding of a reciprocal would break.
func (t *tracker) age() float64 {
	at := t.branch.Left().Age
	age := t.path.lambda(at)
	if k := len(t.path.knots); t.path.problem.Down() && k > 0 {
		next := slices.IndexFunc(t.grid, func(age float64) bool { return at <= t.path.lambda(age) })
		age = min(max(age, t.grid[next]), t.path.knots[k-1].Age)
	}
	return age
}

// jump continues at the lander's partial optimum. A jump that lands where it left is a turning
// point, a kink.
func (t *tracker) jump(ctx context.Context, o branch.Outcome, detail string) error {
	pt := t.branch.Left()
	k := t.record(Jump, o.Crossing, detail, o.Scalar)
	from := &t.path.knots[k]
	l, err := t.lander.Leave(ctx, pt, o.Crossing, detail)
	if errors.Is(err, convex.ErrOneClass) {
		return t.bridge(ctx, from.Age, detail)
	}
	if err != nil {
		return err
	}
	if l.Stayed {
		from.Kind = Turning
	}
	return t.startPiece(detail+l.Reason, l.Steps)
}

func (t *tracker) startPiece(reason string, alternations int) error {
	if t.emptied() {
		return t.vanish(reason + "; no sample is left")
	}
	st := t.condition.State()
	t.path.restarts = append(t.path.restarts, Restart{t.age(), reason, alternations})
	t.path.pieces = append(t.path.pieces, piece{
		zone: append([]uint8(nil), st.Zone...),
		sign: append([]float64(nil), st.Sign...),
	})
	t.branch.Begin(0)
	t.record(Start, model.Crossing{Index: -1}, "", math.NaN())
	return t.verify(model.Crossing{Index: -1}, reason)
}

// verify checks the left point, reached by the turning point behind, if not [model.NoCause].
func (t *tracker) verify(behind model.Crossing, event string) error {
	if broken := t.audit(behind); broken != "" {
		return &Violation{t.age(), event, broken}
	}
	return nil
}

var errEventLimit = errors.New("gaga: event budget used up")

func (t *tracker) spent() bool {
	return t.options.MaxEvents > 0 && t.path.eventCount >= t.options.MaxEvents
}

func (t *tracker) stop(ctx context.Context, err error) error {
	path := t.path
	path.reason = err.Error()
	var flat *landing.Degenerate
	var unsolved *convex.ToleranceError
	var ascent *landing.Ascent
	switch {
	case ctx.Err() != nil:
		path.status = Interrupted
	case errors.Is(err, errEventLimit):
		path.status = EventLimit
	case errors.As(err, &flat), errors.As(err, &unsolved): // floating point cannot complete the landing
		path.status = Degenerate
	case errors.As(err, &ascent):
		path.status = Degenerate
		return &Violation{path.lambda(ascent.Age), "landing", ascent.Error()}
	default:
		path.status = Degenerate
		return err
	}
	return nil
}

func (t *tracker) record(kind Kind, c model.Crossing, detail string, scalar float64) int {
	pt, st := t.branch.Left(), t.condition.State()
	if st.At != pt {
		t.condition.Assemble(pt)
	}
	path := t.path
	k := Knot{
		Age: t.age(), Kind: kind, Cause: Cause(c.Cause), Index: c.Index, Detail: detail, Scalar: scalar,
		Theta:     path.settled(st, pt.Theta),
		Objective: t.condition.Value(pt),
		KKT:       t.condition.Residual(pt),
		piece:     len(path.pieces) - 1,
		level:     pt.Theta[st.P-1],
	}
	if k.piece >= 0 {
		k.change = len(path.pieces[k.piece].changes)
	}
	for z, n := range st.Members {
		k.count(path.kinds[z], n)
	}
	k.Active = active(k.Theta)
	if kind == Turning || kind == Jump {
		path.eventCount++
	}
	path.knots = append(path.knots, k)
	return len(path.knots) - 1
}

func describe(st *model.State, o branch.Outcome) string {
	switch o.Crossing.Cause {
	case model.SampleUp, model.SampleDown:
		return "sample " + strconv.Itoa(o.Crossing.Index) + ": " + st.Zones[o.From].Name + " to " + st.Zones[o.To].Name
	case model.Activated:
		return fmt.Sprintf("coordinate %d becomes active", o.Crossing.Index)
	case model.Dropped:
		return fmt.Sprintf("coordinate %d becomes zero", o.Crossing.Index)
	case model.Fold:
		return "the branch turns back"
	case model.Stall:
		return "no progress between critical points"
	}
	return ""
}
