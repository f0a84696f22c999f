package live

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/results/analysis"
)

// State is the state of a queue at a time.
type State struct {
	At      time.Time // of the last good look; zero before
	Version string
	Trouble string // why the queue cannot be read now, "" for none
	Runs    []*Run
	Workers []Worker
	Refused int // invalid messages among the workers'
}

// Run is the state of a run.
type Run struct {
	Name       string                      `json:"name"`
	Phase      string                      `json:"phase"`
	Reading    bool                        `json:"reading"` // still reading earlier results: parts lag behind
	Cells      int64                       `json:"cells"`   // of the grid: the sum of the next six
	OK         int64                       `json:"ok"`
	Incomplete int64                       `json:"incomplete"` // have a path that stops early
	Failed     int64                       `json:"failed"`
	Running    int64                       `json:"running"`
	Queued     int64                       `json:"queued"`
	Unqueued   int64                       `json:"unqueued"` // not submitted yet, or dropped by a cancel
	Dead       int64                       `json:"dead"`     // of failed: given up because workers died
	Statuses   map[experiment.Status]int64 `json:"statuses"` // of ok, incomplete and failed
	Rate       float64                     `json:"rate"`     // cells per second
	ETA        *float64                    `json:"eta"`      // seconds to the end, nil if unknown

	Quarantined int64    `json:"quarantined"` // rejected messages
	Strays      int64    `json:"strays"`      // results of cells that the run does not have; counted nowhere else
	Unable      []string `json:"unable"`      // needs of cells that no worker meets

	Owner    string `json:"owner"` // "" for a run without a queue
	Priority int    `json:"priority"`

	Details `json:"-"`
}

// Details of a run are read separately from the state.
type Details struct {
	Parts    []Part              `json:"parts"`
	Slowest  []Cell              `json:"slowest"`  // longest first
	Failures []Cell              `json:"failures"` // newest first, with incomplete ones
	Reasons  []experiment.Reason `json:"-"`        // why cells failed or are incomplete, the most frequent first
	Scores   *Scores             `json:"-"`
	Revision string              `json:"revision"` // of the scores, in /scores.json

	durations durations
}

func (r *Run) ended() int64 { return r.OK + r.Incomplete + r.Failed + r.Statuses[experiment.Skipped] }

// The phases of a run.
const (
	Computing = "computing"
	Waiting   = "waiting for workers"
	InTurn    = "waiting for its turn" // workers that can compute it compute other runs
	Finished  = "finished"             // every cell has ended, with any status
	Partial   = "not fully queued"     // being submitted or put back
	Paused    = "paused"               // workers take no cell of it; some can be running
	Cancelled = "cancelled"
)

// Phase returns the phase of a run. No cell can be pulled unless it is open.
func (f *Follower) Phase(open bool, workers []queue.Presence, now time.Time) string {
	busy := func(p queue.Presence) bool { return p.There(now) && len(p.Running) > 0 }
	switch s := &f.Standing; {
	case s.Paused && s.Left()+s.Unqueued > 0:
		return Paused
	case s.Running > 0:
		return Computing
	case s.Queued > 0 && slices.ContainsFunc(workers, busy) && len(f.Lacks(workers, now)) == 0:
		return InTurn
	case s.Queued > 0:
		return Waiting
	case s.Unqueued == 0:
		return Finished
	case !open:
		return Cancelled
	}
	return Partial
}

// Part is the state of the cells of a data set and a method.
type Part struct {
	Dataset    string  `json:"dataset"`
	Method     string  `json:"method"`
	Cells      int64   `json:"cells"` // of the grid, 0 if unknown
	Done       int64   `json:"done"`  // ended; cells put back count until they end again
	Incomplete int64   `json:"incomplete"`
	Failed     int64   `json:"failed"`
	Seconds    float64 `json:"seconds"` // mean per cell; 0 if none is done
	Label      string  `json:"label"`   // of the method, for readers
}

// Cell is a cell that has ended.
type Cell struct {
	Cell     string            `json:"cell"`
	Dataset  string            `json:"dataset"`
	Method   string            `json:"method"`
	What     string            `json:"what"` // its other labels
	Status   experiment.Status `json:"status"`
	Error    string            `json:"error"`
	Attempts int               `json:"attempts"`
	Seconds  float64           `json:"seconds"`
	Peak     *int64            `json:"peak"` // bytes
	Worker   string            `json:"worker"`
	Finished time.Time         `json:"finished"`
}

// Worker is what a worker does.
type Worker struct {
	Name    string  `json:"name"`
	State   string  `json:"state"`  // working, idle, stopping or lost
	Silent  float64 `json:"silent"` // seconds since last heard of
	Slots   int     `json:"slots"`
	Running []Task  `json:"running"` // longest first
	Done    int64   `json:"done"`
	Failed  int64   `json:"failed"`
	Trouble string  `json:"trouble"`
	Version string  `json:"version"`
}

// Task is a cell that a worker computes.
type Task struct {
	Run     string  `json:"run"`
	Cell    string  `json:"cell"`
	What    string  `json:"what"` // names it for readers; "" if the worker does not
	Seconds float64 `json:"seconds"`
	Attempt int     `json:"attempt"`
}

type durations struct {
	count   uint64
	seconds float64
	upTo    map[float64]uint64 // cells up to a duration
}

// DescribeWorkers returns what workers do, without those that ended in order.
func DescribeWorkers(workers []queue.Presence, now time.Time) []Worker {
	list := []Worker{}
	for _, p := range workers {
		if p.State == queue.Gone {
			continue
		}
		w := Worker{Name: p.Name, State: p.StateAt(now), Silent: max(0, now.Sub(p.At).Seconds()), Slots: p.Slots, Running: []Task{},
			Done: p.Done, Failed: p.Failed, Trouble: p.Trouble, Version: p.Version}
		for _, r := range p.Running {
			w.Running = append(w.Running, Task{r.Run, r.Cell, r.What, max(0, now.Sub(r.Since).Seconds()), r.Attempt})
		}
		slices.SortFunc(w.Running, func(a, b Task) int { return cmp.Compare(b.Seconds, a.Seconds) })
		list = append(list, w)
	}
	return list
}

func (w *watch) describe(workers []queue.Presence) *Run {
	t, s := w.shown.tally, &w.Standing
	r := &Run{
		Name: w.name, Phase: w.Phase(w.open, workers, time.Now()), Reading: !w.shown.caught || w.again != nil,
		Cells: s.Cells, OK: s.Ended[experiment.OK], Incomplete: s.Ended[experiment.Incomplete], Failed: s.Failed(),
		Running: s.Running, Queued: s.Queued, Unqueued: s.Unqueued, Dead: s.Dead, Statuses: s.Ended,
		Quarantined: s.Quarantined, Strays: s.Strays, Unable: []string{},
		Owner: s.Owner, Priority: s.Priority,
		Details: Details{Parts: w.parts(), Slowest: slices.Clone(t.slowest), Failures: slices.Clone(t.failures), Reasons: t.reasons.List()},
	}
	slices.Reverse(r.Failures)
	r.Scores = t.answers.scores(r.Phase == Finished || r.Phase == Cancelled)
	r.Revision = fmt.Sprintf("%d.%d.%t", w.shown.at.UnixNano(), t.answers.of, t.answers.over)
	if left := s.Left(); left > 0 {
		r.Rate, r.ETA = w.outlook(r.Parts, left)
	}
	r.durations = durations{uint64(t.total), t.wall, make(map[float64]uint64, len(buckets))}
	var sum uint64
	for i, end := range buckets {
		sum += t.buckets[i]
		r.durations.upTo[end] = sum
	}
	return r
}

// parts joins the grid with what is done, in the order of the grid; other parts follow.
func (w *watch) parts() []Part {
	parts := []Part{}
	at := map[partKey]int{}
	if w.Description != nil {
		for _, p := range w.Description.Parts {
			at[partKey{p.Dataset, p.Method}] = len(parts)
			parts = append(parts, Part{Dataset: p.Dataset, Method: p.Method, Label: analysis.MethodLabel(p.Method), Cells: p.Cells})
		}
	}
	known := len(parts)
	for key, count := range w.shown.tally.parts {
		i, there := at[key]
		if !there {
			i = len(parts)
			parts = append(parts, Part{Dataset: key.dataset, Method: key.method, Label: analysis.MethodLabel(key.method)})
		}
		parts[i].Done, parts[i].Incomplete, parts[i].Failed = count.done, count.incomplete, count.failed
		parts[i].Seconds = count.wall / float64(count.done)
	}
	slices.SortFunc(parts[known:], func(a, b Part) int {
		return cmp.Or(strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Method, b.Method))
	})
	return parts
}

// outlook estimates rate and time to the end of a run, once [run.Known] of its work is done. Each
// repeat starts with its expensive cells, so the estimate follows the work left, not the number of
// cells: the mean time of done cells of the same data set and method, or else the cost, scaled by how
// the other parts compare with theirs.
func (w *watch) outlook(parts []Part, left int64) (rate float64, eta *float64) {
	rate, speed := w.throughput.Rates()
	done, work := w.work(parts)
	if speed <= 0 || work <= 0 {
		done, work, speed = float64(w.Standing.Done()), float64(left), rate
	}
	seconds := work / speed
	if rate <= 0 || math.IsInf(seconds, 0) || !run.Known(done, work) {
		return rate, nil
	}
	return rate, &seconds
}

// work returns the seconds of the done cells and an estimate of the others'.
func (w *watch) work(parts []Part) (done, left float64) {
	if w.Description == nil {
		return 0, 0
	}
	var estimated float64 // of done cells
	for i, p := range w.Description.Parts {
		done += float64(parts[i].Done) * parts[i].Seconds
		estimated += float64(parts[i].Done) * estimate(p)
	}
	factor := 1.0
	if done > 0 && estimated > 0 {
		factor = done / estimated
	}
	for i, p := range w.Description.Parts {
		mean := parts[i].Seconds
		if parts[i].Done == 0 {
			mean = factor * estimate(p)
		}
		left += float64(max(0, p.Cells-parts[i].Done)) * mean
	}
	return done, left
}

func estimate(p experiment.Part) float64 { return p.Seconds / float64(max(1, p.Cells)) }

const (
	// rateOver and rateCells are the minimum time and number of cells of a rate, rateMost its
	// maximum time.
	rateOver  = 20 * time.Second
	rateCells = 30
	rateMost  = time.Hour
)

// Sample is the progress of a run at a time.
type Sample struct {
	At   time.Time
	Done int64
	Wall float64 // computing seconds of the cells done; 0 if unknown
}

// Throughput measures the speed of a run from samples of the last hour.
type Throughput struct{ samples []Sample }

// Note adds a sample, later than those before.
func (p *Throughput) Note(s Sample) {
	if n := len(p.samples); n > 0 && s.Done < p.samples[n-1].Done {
		p.samples = nil // purged
	}
	p.samples = append(p.samples, s)
	old := 0
	for s.At.Sub(p.samples[old].At) > rateMost {
		old++
	}
	p.samples = p.samples[old:]
}

// Rates returns cells and computing seconds per second, over the shortest sufficient time up to
// now; 0 if unknown.
func (p *Throughput) Rates() (cells, work float64) {
	n := len(p.samples)
	if n < 2 {
		return 0, 0
	}
	last := p.samples[n-1]
	first := p.samples[0]
	for i := n - 2; i > 0; i-- {
		if s := p.samples[i]; last.At.Sub(s.At) >= rateOver && last.Done-s.Done >= rateCells {
			first = s
			break
		}
	}
	seconds := last.At.Sub(first.At).Seconds()
	if seconds <= 0 {
		return 0, 0
	}
	return float64(last.Done-first.Done) / seconds, (last.Wall - first.Wall) / seconds
}
