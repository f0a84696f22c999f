package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// PresenceEvery is how often a worker says what it does.
	PresenceEvery = 5 * time.Second
	// presenceAge is how long the server keeps what a worker said.
	presenceAge = time.Minute
)

// Presence is what a worker says of itself.
type Presence struct {
	Name    string    `json:"name"`
	Version string    `json:"version"`
	Slots   int       `json:"slots"`
	Started time.Time `json:"started"`
	At      time.Time `json:"at"`    // when it said so, by its clock
	State   string    `json:"state"` // as it says: working, idle, stopping or gone; see [Presence.StateAt]
	Running []Running `json:"running"`
	Done    int64     `json:"done"`              // cells computed since it started
	Failed  int64     `json:"failed"`            // attempts of cells that failed
	Trouble string    `json:"trouble,omitempty"` // why it cannot compute at the moment, "" for none
}

// The states of a worker.
const (
	Working  = "working"  // has computed since it last spoke
	Idle     = "idle"     // has not
	Stopping = "stopping" // finishes or hands back what it computes
	Gone     = "gone"     // ended in order
	Lost     = "lost"     // has not been heard of for LostAfter
)

// LostAfter is how long a worker may be silent before it counts as lost.
const LostAfter = 3 * PresenceEvery

// StateAt returns the state of a worker at a time: what it said last, or [Lost].
func (p *Presence) StateAt(now time.Time) string {
	if p.State != Gone && now.Sub(p.At) > LostAfter {
		return Lost
	}
	return p.State
}

// Running is a cell that a worker computes.
type Running struct {
	Run     string    `json:"run"`
	Cell    string    `json:"cell"`
	Since   time.Time `json:"since"`
	Attempt int       `json:"attempt"`
}

// Announce tells the others what a worker does. Nobody confirms it: the next
// word replaces it soon.
func (q *Queue) Announce(p *Presence) error {
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("announcing worker %s: %w", p.Name, err)
	}
	if !q.conn.IsConnected() {
		return nil // it would arrive when it no longer holds
	}
	return q.conn.Publish(string(workerTopic)+token(p.Name), body)
}

// token makes a name fit for a subject.
func token(name string) string {
	return strings.Map(func(c rune) rune {
		if c <= ' ' || strings.ContainsRune(".*>", c) {
			return '-'
		}
		return c
	}, cmp.Or(name, "-"))
}

// Workers returns the workers heard of in the last minute, by name. Those that
// ended in order are among them for that long.
func (q *Queue) Workers(ctx context.Context) ([]Presence, error) {
	source := reader{queue: q, stream: workersStream, filter: string(workerTopic) + "*"}
	var list []Presence
	for msg, err := range source.messages(ctx) {
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil, nil // nobody submitted a run yet
		}
		if err != nil {
			return nil, fmt.Errorf("listing workers: %w", err)
		}
		var p Presence
		if json.Unmarshal(msg.Data(), &p) == nil { // others may publish what they like
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b Presence) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}
