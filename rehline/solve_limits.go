package rehline

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"
)

type limits struct {
	ctx      context.Context
	tol      float64
	feasible float64
	passes   int
	began    time.Time
	time     time.Duration
	progress func(Progress)
	done     Iterations
}

func newLimits(ctx context.Context, o Options) (limits, error) {
	if !(o.Tol >= 0) || math.IsInf(o.Tol, 1) {
		return limits{}, fmt.Errorf("%w: Tol %g; it is >= 0", ErrOptions, o.Tol)
	}
	if o.MaxPasses < 0 || o.MaxTime < 0 {
		return limits{}, fmt.Errorf("%w: MaxPasses %d, MaxTime %v; they are >= 0", ErrOptions, o.MaxPasses, o.MaxTime)
	}
	if o.Method > NewtonOnly {
		return limits{}, fmt.Errorf("%w: Method %d", ErrOptions, o.Method)
	}
	tol := cmp.Or(o.Tol, DefaultTol)
	return limits{ctx: ctx, tol: tol, feasible: min(tol, feasibleTol), passes: cmp.Or(o.MaxPasses, defaultPasses),
		began: time.Now(), time: o.MaxTime, progress: o.Progress}, nil
}

func (l *limits) reached() (Status, error) {
	if err := l.ctx.Err(); err != nil {
		return TimeLimit, err
	}
	if l.done.Passes+l.done.Newton >= l.passes {
		return PassLimit, nil
	}
	if l.time > 0 && time.Since(l.began) >= l.time {
		return TimeLimit, nil
	}
	return 0, nil
}
