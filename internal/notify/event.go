package notify

import (
	"fmt"
	"strings"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/lists"
)

// The events.
const (
	Ended       = "ended"
	FailureRate = "failure-rate"
	WorkersLost = "workers-lost"
	MethodHeld  = "method-held"
)

// Event is a message, as a JSON object.
type Event struct {
	Event   string    `json:"event"`
	ID      string    `json:"id"` // unique; equal in each attempt to send it
	Time    time.Time `json:"time"`
	Version string    `json:"version"`
	Text    string    `json:"text"`
	Run     *Run      `json:"run"`     // nil for workers
	Limit   *float64  `json:"limit"`   // of the failure rate, else nil
	Workers []Worker  `json:"workers"` // that are lost, if any
}

// Run is the state of a run.
type Run struct {
	Name       string `json:"name"`
	Phase      string `json:"phase"` // computing and the like, or an end, as [Finished]
	Cells      int64  `json:"cells"`
	Ended      int64  `json:"ended"`
	Incomplete int64  `json:"incomplete"`
	Failed     int64  `json:"failed"`
	Error      string `json:"error"` // why it broke

	Reasons []experiment.Reason `json:"reasons"` // why cells are not ok, most frequent first

	Over bool `json:"-"` // no more cells will come
}

// Worker is a worker that vanished.
type Worker struct {
	Name    string  `json:"name"`
	Silent  float64 `json:"silent"`  // seconds
	Running int     `json:"running"` // cells that it computed

	Lost bool `json:"-"`
}

func (r *Run) ending() string {
	text := fmt.Sprintf("run %s: %s, %d of %d cells have ended", r.Name, r.Phase, r.Ended, r.Cells)
	if r.Failed > 0 {
		text += fmt.Sprintf(", %d failed", r.Failed)
	}
	if r.Incomplete > 0 {
		text += fmt.Sprintf(", %d incomplete", r.Incomplete)
	}
	if first, _, _ := strings.Cut(r.Error, "\n"); first != "" && r.Phase == Broken {
		return text + ": " + first
	}
	return text + r.why()
}

const mostReasons = 3

// mended reports whether the reasons are of cells that were computed later.
func (r *Run) mended() bool { return r.Ended == r.Cells && r.Failed+r.Incomplete == 0 }

func (r *Run) why() string {
	if r.mended() || len(r.Reasons) == 0 {
		return ""
	}
	texts := lists.Map(r.Reasons[:min(len(r.Reasons), mostReasons)], experiment.Reason.String)
	if more := len(r.Reasons) - mostReasons; more > 0 {
		texts = append(texts, fmt.Sprintf("%d further reasons", more))
	}
	return ": " + strings.Join(texts, "; ")
}

// Phases of a run computed by a command, in addition to the server's.
const (
	Finished    = "finished"
	Cancelled   = "cancelled"
	Interrupted = "interrupted"
	Broken      = "broken"
)

func lost(workers []Worker) string {
	names := lists.Map(workers, func(w Worker) string { return w.Name })
	const most = 5
	text := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	if len(names) == 1 {
		return "worker " + text + " was not heard of any more"
	}
	return fmt.Sprintf("%d workers were not heard of any more: %s", len(names), text)
}
