// Package experiment is the vocabulary of agepath: grids, plans, tasks as the runner
// sees them, outcomes, and what a kind of experiment brings. Its kinds have packages of
// their own.
package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/outside"
)

// Task is one cell as the runner sees it: an identity, labels to show, a cost
// to order by, the data it needs and bytes that only its [Kind] understands.
type Task struct {
	Run    string          `json:"run"`             // letters, digits, - and _; part of a NATS subject
	Cell   string          `json:"cell"`            // 32 hex digits
	Kind   string          `json:"kind"`            // name of the Kind that computes it
	Labels Batch           `json:"labels"`          // one row of the kind's label columns
	Cost   float64         `json:"cost"`            // estimated seconds
	Data   []string        `json:"data,omitempty"`  // digests of the data sets it reads
	Files  []string        `json:"files,omitempty"` // digests of the files it needs, such as those of its command
	Env    []string        `json:"env,omitempty"`   // names of environment variables of the worker that its command gets
	Spec   json.RawMessage `json:"spec"`            // what the Kind computes from
	Keep   []string        `json:"keep,omitempty"`  // further tables that the cell fills; no part of its identity
	Needs  []Need          `json:"needs,omitempty"` // what a worker must compute besides the Kind
	Limits Limits          `json:"limits"`
}

// Matches returns an error unless the task is that of a cell with this identity, which
// reads these data sets and files, by their digests, has a command with these variables, and
// needs this of a worker. A task may leave out its needs.
func (t *Task) Matches(cell string, data, files, env []string, needs ...Need) error {
	if cell != t.Cell {
		return fmt.Errorf("its spec is that of cell %s", cell)
	}
	if !slices.Equal(t.Data, data) {
		return fmt.Errorf("it names the data sets %.200q, its spec %.200q", t.Data, data)
	}
	if !slices.Equal(t.Files, files) {
		return fmt.Errorf("it names the files %.200q, its spec %.200q", t.Files, files)
	}
	if !slices.Equal(t.Env, env) {
		return fmt.Errorf("it names the variables %.200q, its spec %.200q", t.Env, env)
	}
	for _, digest := range slices.Concat(data, files) {
		if _, err := hex.DecodeString(digest); err != nil || len(digest) != 2*sha256.Size {
			return fmt.Errorf("data set or file %.100q; a digest has %d hex digits", digest, 2*sha256.Size)
		}
	}
	if len(t.Needs) > 0 && !slices.Equal(t.Needs, needs) {
		return fmt.Errorf("it says that it needs %.200q, its spec needs %v", fmt.Sprint(t.Needs), needs)
	}
	return nil
}

// Keeps reports whether the cell fills a further table.
func (t *Task) Keeps(table string) bool { return slices.Contains(t.Keep, table) }

// Limits bound one cell. The zero value of a field means no limit.
type Limits struct {
	Timeout  time.Duration `json:"timeout,omitempty"`
	Memory   int64         `json:"memory,omitempty"`   // bytes
	Attempts int           `json:"attempts,omitempty"` // tries before an error becomes the cell's outcome
}

// Mend reports whether a cell that ended with a status for want of time or memory,
// see [Outcome.Short], gets more of it now.
func (l Limits) Mend(status Status, short float64) bool {
	switch {
	case short <= 0:
		return false
	case status == Timeout:
		return l.Timeout == 0 || l.Timeout.Seconds() > short
	case status == Memory:
		return l.Memory == 0 || float64(l.Memory) > short
	}
	return false
}

// Need is something that a worker computes, in a version: other versions give
// other numbers.
type Need struct {
	Name    string `json:"name"`
	Version int    `json:"version,omitempty"` // 0 for what has none
}

func (n Need) String() string {
	if n.Version == 0 {
		return n.Name
	}
	return fmt.Sprintf("version %d of %s", n.Version, n.Name)
}

// CommandNeed is the name of what a worker does for tasks with commands, whatever the
// commands are called. Its version is that of the protocol.
const CommandNeed = "command"

// Commands reports whether the task brings a command.
func (t *Task) Commands() bool {
	return slices.ContainsFunc(t.Needs, func(n Need) bool { return n.Name == CommandNeed })
}

// LackError says that a task's command was not run for what its worker lacks.
type LackError = outside.LackError

// NeedError says that this version of agepath does not compute what a task needs.
// Another version does.
type NeedError struct {
	Need Need
	Here int // the version that is computed here, 0 for none
}

func (e *NeedError) Error() string {
	if e.Here == 0 {
		return fmt.Sprintf("it asks for %v, which this agepath does not compute", e.Need)
	}
	return fmt.Sprintf("it asks for %v, this agepath computes version %d", e.Need, e.Here)
}

// Status tells how a cell ended.
type Status string

const (
	OK         Status = "ok"
	Incomplete Status = "incomplete" // computed, but the path stops before the last age it was asked for
	Failed     Status = "failed"
	Timeout    Status = "timeout"
	Memory     Status = "memory"
	Diverged   Status = "diverged"
	Cancelled  Status = "cancelled"
	Skipped    Status = "skipped" // this worker or method does not compute it, which is no failure
)

// Statuses lists every status in the order tables show them.
var Statuses = []Status{OK, Incomplete, Failed, Timeout, Memory, Diverged, Cancelled, Skipped}

// Computed reports whether a cell with this status has measures and rows. A
// cell with another status failed or was skipped.
func (s Status) Computed() bool { return s == OK || s == Incomplete }

// Failed reports whether a cell with this status has no measures although it was tried.
func (s Status) Failed() bool { return !s.Computed() && s != Skipped }

// Outcome is what became of a task. It carries the task's labels, so that the
// row of a cell can be made from its outcome alone.
type Outcome struct {
	Run      string           `cbor:"1,keyasint"`
	Cell     string           `cbor:"2,keyasint"`
	Kind     string           `cbor:"3,keyasint"`
	Labels   Batch            `cbor:"4,keyasint"`
	Status   Status           `cbor:"5,keyasint"`
	Error    string           `cbor:"6,keyasint,omitempty"`
	Attempts int              `cbor:"7,keyasint"`
	Measures Batch            `cbor:"8,keyasint"`           // one row, or none unless the status is ok or incomplete
	Further  map[string]Batch `cbor:"9,keyasint,omitempty"` // rows of the kind's further tables by name, without their cell column; those it was computed for have an entry
	Wall     float64          `cbor:"10,keyasint"`          // seconds
	CPU      *float64         `cbor:"11,keyasint,omitempty"`
	Peak     *int64           `cbor:"12,keyasint,omitempty"` // bytes
	Computer
	Started  time.Time `cbor:"15,keyasint"`
	Finished time.Time `cbor:"16,keyasint"`

	// Short is known not to be enough: the seconds of a cell with the status timeout,
	// the bytes of one with the status memory; 0 where nothing is known.
	Short float64 `cbor:"17,keyasint,omitempty"`
	// Repeats says that the cell fails so each time under the same limits.
	Repeats bool `cbor:"18,keyasint,omitempty"`
	// Origin is the run that computed the cell, "" for Run.
	Origin string `cbor:"19,keyasint,omitempty"`
	// Lacks is what the worker lacks that the cell needs, see [outside.LackError]. Such an
	// outcome stays in the worker.
	Lacks string `cbor:"20,keyasint,omitempty"`
}

// Computer is what computed a cell.
type Computer struct {
	Worker   string `cbor:"13,keyasint"`
	Version  string `cbor:"14,keyasint"`           // of agepath
	Platform string `cbor:"21,keyasint,omitempty"` // [Platform] there
}

// Data gives a computation the data sets and the files it needs by digest.
type Data interface {
	Dataset(ctx context.Context, digest string) (*dataset.Dataset, error)
	// File returns the content of one of the task's files.
	File(ctx context.Context, digest string) ([]byte, error)
}

// CommandData is a [Data] of a worker that runs commands. The commands of tasks whose
// data is none are refused.
type CommandData interface {
	Data
	Commands() *outside.Host
}

// StatusError is an error that fixes the status of the cell it ended.
type StatusError struct {
	Status Status
	Err    error
}

func (e *StatusError) Error() string { return e.Err.Error() }
func (e *StatusError) Unwrap() error { return e.Err }

// DataError says that a cell's data cannot be prepared for it.
type DataError struct{ Err error }

func (e *DataError) Error() string { return "preparing the data: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *DataError) Unwrap() error { return e.Err }

// MemoryError says that a cell was not computed because it needs more memory than
// its limit.
type MemoryError struct{ Need, Limit int64 } // bytes

func (e *MemoryError) Error() string {
	need, limit := dataset.Amounts(e.Need, e.Limit)
	return fmt.Sprintf("needs about %s, the limit is %s", need, limit)
}
