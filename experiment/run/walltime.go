package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment"
)

const (
	// untilMargin is how long before [Worker.Until] cells are no longer computed: the worker
	// hands back what it has and ends its processes.
	untilMargin = 5 * time.Second
	// mostTooLong is how many cells in a row may be too long for a worker before it takes no
	// more: others would wait for them.
	mostTooLong = 64
	// tooLongPause is how long a task waits for another worker that was too long for one.
	tooLongPause = 5 * time.Second
	// mostRatios is how many cells of a method are remembered.
	mostRatios = 16
	// tooLong is why a worker leaves cells to others.
	tooLong = "they are not expected to end before this worker has to"
)

// walltime decides which cells a worker with [Worker.Until] begins.
type walltime struct {
	until time.Time // the zero value for no end

	mu     sync.Mutex
	ratios map[string][]float64 // of the last cells, by method; see timeRatio
	row    int                  // cells in a row that were too long
	begun  int64                // cells that fitted
	ended  int64                // cells that were computed, or reached their limit
}

// UntilError says that a worker ended before the queue was empty, as it had to.
type UntilError struct {
	Begun, Ended int64 // cells that fitted, and those of them that were computed to their end
	TooLong      int   // cells that were left to others
}

func (e *UntilError) Error() string {
	text := fmt.Sprintf("the time was over before the queue was empty; %d cells were computed", e.Ended)
	if e.TooLong > 0 {
		text += fmt.Sprintf(", at least %d were too long", e.TooLong)
	}
	return text
}

// Futile reports whether the same time would not be enough again: there were cells, and
// none was computed.
func (e *UntilError) Futile() bool { return e.Ended == 0 && (e.Begun > 0 || e.TooLong > 0) }

// end returns when cells are no longer computed.
func (l *walltime) end() time.Time { return l.until.Add(-untilMargin) }

// timeRatio is the elapsed time of a cell relative to its cost, each with a second more,
// which keeps what every cell takes out of the estimates of long ones.
func timeRatio(elapsed time.Duration, cost float64) float64 {
	return (elapsed.Seconds() + 1) / (cost + 1)
}

// noteTime records how long a cell took.
func (w *Worker) noteTime(task *experiment.Task, status experiment.Status, elapsed time.Duration) {
	if !w.Until.IsZero() && (status.Computed() || status == experiment.Timeout) {
		w.walltime.note(w.method(task), task.Cost, elapsed)
	}
}

// note records a cell that was computed or reached its limit of time.
func (l *walltime) note(method string, cost float64, elapsed time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended++
	if l.ratios == nil {
		l.ratios = map[string][]float64{}
	}
	l.ratios[method] = append(l.ratios[method], timeRatio(elapsed, cost))
	l.ratios[method] = l.ratios[method][max(0, len(l.ratios[method])-mostRatios):]
}

// fits reports whether a cell is expected to end in time: in its cost times the largest
// ratio of the last cells of its method, in its cost where there is none, and in its limit
// of time at most.
func (l *walltime) fits(method string, task *experiment.Task, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	expected := task.Cost
	if list := l.ratios[method]; len(list) > 0 {
		expected = slices.Max(list)*(task.Cost+1) - 1
	}
	if limit := task.Limits.Timeout; limit > 0 {
		expected = math.Min(expected, limit.Seconds())
	}
	if expected <= l.end().Sub(now).Seconds() {
		l.row = 0
		l.begun++
		return true
	}
	l.row++
	return false
}

// enough reports whether the worker takes no more cells.
func (l *walltime) enough() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.row >= mostTooLong
}

// errUntil is the cause of the end of a context at [Worker.Until].
var errUntil = errors.New("the time of the worker is over")

// verdict returns an [*UntilError] unless the worker ended because it was stopped or nothing
// was left. left are the cells that it left to others.
func (l *walltime) verdict(ctx context.Context, left int) error {
	over := errors.Is(context.Cause(ctx), errUntil)
	if ctx.Err() != nil && !over || !over && left == 0 && !l.enough() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return &UntilError{Begun: l.begun, Ended: l.ended, TooLong: left}
}
