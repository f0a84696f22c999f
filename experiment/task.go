// Package experiment defines the vocabulary of agepath: grids, plans, tasks, outcomes, and the
// interface of a kind of experiment. Kinds have packages of their own.
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

// Task is one cell as the runner sees it. Only its [Kind] understands Spec.
type Task struct {
	Run    string          `json:"run"`  // letters, digits, - and _; token of a NATS subject
	Cell   string          `json:"cell"` // 32 hex digits
	Kind   string          `json:"kind"`
	Labels Batch           `json:"labels"`          // one row
	Cost   float64         `json:"cost"`            // estimated seconds
	Data   []string        `json:"data,omitempty"`  // digests of data sets
	Files  []string        `json:"files,omitempty"` // digests, for example of a command's files
	Env    []string        `json:"env,omitempty"`   // the worker's environment variables that its command gets
	Spec   json.RawMessage `json:"spec"`            // canonical form of the cell
	Keep   []string        `json:"keep,omitempty"`  // further tables to fill; not in the identity
	Needs  []Need          `json:"needs,omitempty"` // of a worker, in addition to the Kind
	Limits Limits          `json:"limits"`
	Schema int             `json:"schema,omitempty"` // version of the tables of the outcome; 0: OldestSchema
}

// Matches checks the task's identity, digests of data sets and files, variables of its command and
// needs, unless it has none, against a decoded cell.
func (t *Task) Matches(c Spec) error {
	if cell := Identity(c.Canonical()); cell != t.Cell {
		return fmt.Errorf("its spec is that of cell %s", cell)
	}
	var own Task
	c.Require(&own)
	for _, list := range []struct {
		what      string
		have, own []string
	}{{"data sets", t.Data, own.Data}, {"files", t.Files, own.Files}, {"variables", t.Env, own.Env}} {
		if !slices.Equal(list.have, list.own) {
			return fmt.Errorf("it names the %s %.200q, its spec %.200q", list.what, list.have, list.own)
		}
	}
	for _, digest := range slices.Concat(own.Data, own.Files) {
		if _, err := hex.DecodeString(digest); err != nil || len(digest) != 2*sha256.Size {
			return fmt.Errorf("data set or file %.100q; a digest has %d hex digits", digest, 2*sha256.Size)
		}
	}
	if len(t.Needs) > 0 && !slices.Equal(t.Needs, own.Needs) {
		return fmt.Errorf("it says that it needs %.200q, its spec needs %v", fmt.Sprint(t.Needs), own.Needs)
	}
	return nil
}

func (t *Task) Keeps(table string) bool { return slices.Contains(t.Keep, table) }

// Limits bound one cell; zero means no limit.
type Limits struct {
	Timeout  time.Duration `json:"timeout,omitempty"`
	Memory   int64         `json:"memory,omitempty"`   // bytes
	Attempts int           `json:"attempts,omitempty"` // before an error becomes the outcome
}

// Mend reports whether the limits now exceed what was too little for a cell, see [Outcome.Short].
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

// Need is something that a worker computes; other versions compute other numbers.
type Need struct {
	Name    string `json:"name"`
	Version int    `json:"version,omitempty"` // 0 if unversioned
}

func (n Need) String() string {
	if n.Version == 0 {
		return n.Name
	}
	return fmt.Sprintf("version %d of %s", n.Version, n.Name)
}

// CommandNeed is the need of every task with a command. Its version is the protocol's.
const CommandNeed = "command"

func (t *Task) Commands() bool {
	return slices.ContainsFunc(t.Needs, func(n Need) bool { return n.Name == CommandNeed })
}

// LackError says what a worker lacks to run a command.
type LackError = outside.LackError

// NeedError says that another version of agepath computes the task.
type NeedError struct {
	Need Need
	Here int // version computed here, 0 for none
}

func (e *NeedError) Error() string {
	if e.Here == 0 {
		return fmt.Sprintf("it asks for %v, which this agepath does not compute", e.Need)
	}
	return fmt.Sprintf("it asks for %v, this agepath computes version %d", e.Need, e.Here)
}

// Status says how a cell ended.
type Status string

const (
	OK         Status = "ok"
	Incomplete Status = "incomplete" // computed, but the path stops before the last requested age
	Failed     Status = "failed"
	Timeout    Status = "timeout"
	Memory     Status = "memory"
	Diverged   Status = "diverged"
	Cancelled  Status = "cancelled"
	Skipped    Status = "skipped" // not computed by this worker or method; not a failure
)

// Statuses lists all statuses in the order of tables.
var Statuses = []Status{OK, Incomplete, Failed, Timeout, Memory, Diverged, Cancelled, Skipped}

// Computed reports whether the cell has measures and rows.
func (s Status) Computed() bool { return s == OK || s == Incomplete }

// Failed reports whether the cell was tried but has no measures.
func (s Status) Failed() bool { return !s.Computed() && s != Skipped }

// CountAll sums the counts of all statuses.
func CountAll[N int | int64](counts map[Status]N) (n N) {
	for _, count := range counts {
		n += count
	}
	return n
}

// CountFailed sums the counts of the statuses that are failures.
func CountFailed[N int | int64](counts map[Status]N) (n N) {
	for status, count := range counts {
		if status.Failed() {
			n += count
		}
	}
	return n
}

// Outcome is the result of a task, with its labels.
type Outcome struct {
	Run      string           `cbor:"1,keyasint"`
	Cell     string           `cbor:"2,keyasint"`
	Kind     string           `cbor:"3,keyasint"`
	Labels   Batch            `cbor:"4,keyasint"`
	Status   Status           `cbor:"5,keyasint"`
	Error    string           `cbor:"6,keyasint,omitempty"`
	Attempts int              `cbor:"7,keyasint"`
	Measures Batch            `cbor:"8,keyasint"`           // one row if computed, else none
	Further  map[string]Batch `cbor:"9,keyasint,omitempty"` // by table, without the column cell; tables it was computed for have an entry
	Wall     float64          `cbor:"10,keyasint"`          // seconds
	CPU      *float64         `cbor:"11,keyasint,omitempty"`
	Peak     *int64           `cbor:"12,keyasint,omitempty"` // bytes
	Computer
	Started  time.Time `cbor:"15,keyasint"`
	Finished time.Time `cbor:"16,keyasint"`

	// Short is the insufficient limit: seconds for status timeout, bytes for memory, 0 if unknown.
	Short float64 `cbor:"17,keyasint,omitempty"`
	// Repeats says that the cell always fails so under the same limits.
	Repeats bool `cbor:"18,keyasint,omitempty"`
	// Origin is the run that computed the cell; "" means Run.
	Origin string `cbor:"19,keyasint,omitempty"`
	// Lacks is what the cell needs and its worker lacks, see [outside.LackError]. Such an outcome
	// never leaves the worker.
	Lacks string `cbor:"20,keyasint,omitempty"`
	// Schema is the version of the columns of Measures and Further; 0 means OldestSchema.
	Schema int `cbor:"22,keyasint,omitempty"`
}

// Computer identifies what computed a cell.
type Computer struct {
	Worker   string `cbor:"13,keyasint"`
	Version  string `cbor:"14,keyasint"`           // agepath's
	Platform string `cbor:"21,keyasint,omitempty"` // see [Platform]
	Software string `cbor:"23,keyasint,omitempty"` // of a command, as the command reports it
}

// Data provides data sets and files by digest.
type Data interface {
	Dataset(ctx context.Context, digest string) (*dataset.Dataset, error)
	File(ctx context.Context, digest string) ([]byte, error)
}

// CommandData is a [Data] of a worker that runs commands. Without it, commands are refused.
type CommandData interface {
	Data
	Commands() *outside.Host
}

// StatusError sets the status of the cell that it ends.
type StatusError struct {
	Status Status
	Err    error
}

func (e *StatusError) Error() string { return e.Err.Error() }
func (e *StatusError) Unwrap() error { return e.Err }

// DataError says that data could not be prepared.
type DataError struct{ Err error }

func (e *DataError) Error() string { return "preparing the data: " + e.Err.Error() }

func (e *DataError) Unwrap() error { return e.Err }

// MemoryError says that a cell needs more bytes than its limit.
type MemoryError struct{ Need, Limit int64 }

func (e *MemoryError) Error() string {
	need, limit := dataset.Amounts(e.Need, e.Limit)
	return fmt.Sprintf("needs about %s, the limit is %s", need, limit)
}
