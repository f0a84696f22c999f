package gaga

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/agepath/agepath/internal/convex"
)

// Options of [Track]. The zero value of each field but Age is its default.
type Options struct {
	Age  Range     // ages to cover, 0 < Min < Max
	Grid []float64 // ages at which a knot is wanted, in any order; those outside Age are ignored
	// MaxEvents ends the path with status [EventLimit] after so many critical
	// points. 0: no limit.
	MaxEvents int
	// MaxAlternations bounds one landing. 0: 1,000,000.
	MaxAlternations int
	// Sweep passes many turning points in a step, for a very large number of
	// samples: they get no knots but are counted (Path.Passed, MaxEvents). Jumps
	// are found, classified and left as without it. The path's knots are then
	// starts, jumps, the ages of Grid and the ends of steps. Losses with a kink
	// have no sweep.
	Sweep bool
	// Verify checks the path's invariants at every event and knot: residual,
	// zones, signs, inertia, direction behind turning points. A path that breaks
	// one ends with a [*Violation]. The environment variable AGEPATH_VERIFY=1
	// turns it on for all paths. It makes tracking several times slower.
	Verify bool
}

func (o Options) maxAlternations() int {
	if o.MaxAlternations > 0 {
		return o.MaxAlternations
	}
	return 1_000_000
}

func (o Options) check() error {
	if !(o.Age.Min > 0) || !(o.Age.Max > o.Age.Min) || math.IsInf(o.Age.Max, 0) {
		return fmt.Errorf("gaga: ages [%v, %v], need 0 < Min < Max", o.Age.Min, o.Age.Max)
	}
	for _, age := range o.Grid {
		if math.IsNaN(age) {
			return errors.New("gaga: a grid age is NaN")
		}
	}
	return nil
}

// Supports returns an error that says why the tracker cannot follow the paths
// of a problem, nil if it can.
func Supports(p *Problem) error {
	if _, hinge := p.Loss.(HingeLoss); p.Kernel != nil && !hinge {
		return fmt.Errorf("gaga: the tracker has no kernel models with the %s loss", p.Loss.Name())
	}
	if _, hinge := p.Loss.(HingeLoss); p.Loss.Kinked() && !hinge {
		return fmt.Errorf("gaga: the tracker has no losses with kinks such as the %s loss", p.Loss.Name())
	}
	return nil
}

// Track computes the age path of a problem. The error tells of a bad problem or
// bad options; a path that ends early is no error, see [Path.Status]. A path that
// was begun is returned beside an error.
func Track(ctx context.Context, p *Problem, o Options) (*Path, error) {
	if err := errors.Join(p.Check(), o.check()); err != nil {
		return nil, err
	}
	if err := Supports(p); err != nil {
		return nil, err
	}
	if o.Sweep && (p.Loss.Kinked() || p.Kernel != nil) {
		return nil, fmt.Errorf("gaga: a sweep needs a smooth loss and no kernel, got the %s loss and the kernel %v", p.Loss.Name(), p.Kernel)
	}
	o.Grid = append([]float64(nil), o.Grid...)
	sort.Float64s(o.Grid)
	t, err := newTracker(p, o)
	if err != nil {
		return nil, err
	}
	err = t.run(ctx)
	return t.path, err
}

// stop ends the path early: with a status where the cause is one that a status
// names, else with the error.
func (t *tracker) stop(ctx context.Context, err error) error {
	path := t.path
	path.reason = err.Error()
	var d *degenerate
	var unsolved *convex.ToleranceError
	switch {
	case ctx.Err() != nil:
		path.status = Interrupted
	case errors.Is(err, errEventLimit):
		path.status = EventLimit
	case errors.As(err, &d), errors.As(err, &unsolved): // a landing that floating point cannot carry
		path.status = Degenerate
	default:
		path.status = Degenerate
		return err
	}
	return nil
}

// settled returns the published form of a θ of the path. A coefficient whose
// sign is not the one it is active with is zero but for rounding.
func (t *tracker) settled(theta []float64) []float64 {
	out := t.publish(theta)
	for j, w := range theta {
		if t.l1[j] > 0 && sign(w) != t.sign[j] {
			out[j] = 0
		}
	}
	return out
}

// spent reports whether the budget of critical points is used up.
func (t *tracker) spent() bool {
	return t.options.MaxEvents > 0 && t.path.eventCount >= t.options.MaxEvents
}

// startPiece begins a new continuous piece at the left point, where a landing for the
// given reason ended after so many alternations.
func (t *tracker) startPiece(reason string, alternations int) {
	t.path.restarts = append(t.path.restarts, Restart{t.left.age, reason, alternations})
	t.path.pieces = append(t.path.pieces, piece{
		zone: append([]uint8(nil), t.zone...),
		sign: append([]float64(nil), t.sign...),
	})
	t.landed, t.fold = t.left.age, fold{}
	t.idle, t.idleAge = 0, t.left.age
	t.record(Start, crossing{index: -1}, "", math.NaN())
}

// record adds a knot at the left point and returns its number.
func (t *tracker) record(kind Kind, c crossing, detail string, scalar float64) int {
	pt := t.left
	if t.assembled != pt {
		t.assemble(pt)
	}
	path := t.path
	k := Knot{
		Age: pt.age, Kind: kind, Cause: c.cause, Index: c.index, Detail: detail, Scalar: scalar,
		Theta:     t.settled(pt.theta),
		Objective: t.value(pt),
		KKT:       t.residualAt(pt),
		piece:     len(path.pieces) - 1, change: len(path.pieces[len(path.pieces)-1].changes),
	}
	for z, n := range t.members {
		k.count(t.zones[z].Kind, n)
	}
	k.Active = active(k.Theta)
	if kind == Turning || kind == Jump {
		path.eventCount++
	}
	path.knots = append(path.knots, k)
	return len(path.knots) - 1
}

func sign(w float64) float64 {
	switch {
	case w > 0:
		return 1
	case w < 0:
		return -1
	}
	return 0
}
