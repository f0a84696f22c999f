package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agepath/agepath/experiment"
)

const (
	// PresenceEvery is how often a worker announces itself.
	PresenceEvery = 5 * time.Second
	presenceAge   = time.Minute
)

// Presence is what a worker says of itself.
type Presence struct {
	Name    string    `json:"name"`
	Version string    `json:"version"`
	Slots   int       `json:"slots"`
	Started time.Time `json:"started"`
	At      time.Time `json:"at"`                // by its clock
	State   string    `json:"state"`             // as announced; see [Presence.StateAt]
	Running []Running `json:"running"`           // longest first
	Done    int64     `json:"done"`              // cells computed since the start
	Failed  int64     `json:"failed"`            // failed attempts
	Trouble string    `json:"trouble,omitempty"` // why it cannot compute now

	Computes []experiment.Need `json:"computes"`
	Damaged  []string          `json:"damaged,omitempty"` // data sets damaged at the server
	Lacks    []Lack            `json:"lacks,omitempty"`
}

// Lack is what a worker lacks for cells of a run.
type Lack struct {
	Run  string `json:"run"`
	What string `json:"what"`
	Why  string `json:"why"` // how that was noticed
}

func (l Lack) String() string { return fmt.Sprintf("lacks %s: %s", l.What, l.Why) }

// The states of a worker.
const (
	Working  = "working" // has computed since its last announcement
	Idle     = "idle"    // has not
	Stopping = "stopping"
	Gone     = "gone" // ended in order
	Lost     = "lost" // silent for LostAfter
)

// LostAfter is the silence after which a worker counts as lost.
const LostAfter = 3 * PresenceEvery

// StateAt returns the last announced state, or [Lost].
func (p *Presence) StateAt(now time.Time) string {
	if p.State != Gone && now.Sub(p.At) > LostAfter {
		return Lost
	}
	return p.State
}

// There reports whether a worker takes tasks, as far as is known.
func (p *Presence) There(now time.Time) bool {
	state := p.StateAt(now)
	return state == Working || state == Idle
}

func (p *Presence) can(run string, needs []experiment.Need) bool {
	return !slices.ContainsFunc(needs, func(n experiment.Need) bool { return !slices.Contains(p.Computes, n) }) &&
		!slices.ContainsFunc(p.Lacks, func(l Lack) bool { return l.Run == run })
}

// Running is a cell that a worker computes.
type Running struct {
	Run     string    `json:"run"`
	Cell    string    `json:"cell"`
	Since   time.Time `json:"since"`
	Attempt int       `json:"attempt"`
	What    string    `json:"what,omitempty"` // names the cell for readers
}

// Announce publishes what a worker does, without confirmation.
func (q *Queue) Announce(p *Presence) error {
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("announcing worker %s: %w", p.Name, err)
	}
	if !q.conn.IsConnected() {
		return nil // outdated when it arrives
	}
	if len(body) > min(q.messageRoom(), presenceBytes) && len(p.Running) > 0 {
		shorter := *p
		shorter.Running = p.Running[:len(p.Running)/2]
		return q.Announce(&shorter)
	}
	return q.conn.Publish(string(workerTopic)+token(p.Name), body)
}

func token(name string) string {
	return strings.Map(func(c rune) rune {
		if c <= ' ' || strings.ContainsRune(".*>", c) {
			return '-'
		}
		return c
	}, cmp.Or(name, "-"))
}

const (
	// presenceBytes bounds an announcement, detailBytes all above briefBytes together, since
	// readers keep them; mostSlots and mostNames bound the lists of one.
	presenceBytes = 32 << 10
	detailBytes   = 8 << 20
	briefBytes    = 2 << 10
	mostWorkers   = 10_000
	mostSlots     = 100_000
	mostNames     = 1000
	whatBytes     = 256
)

func (p *Presence) check(subject string) error {
	switch {
	case len(p.Name) > 1<<10 || string(workerTopic)+token(p.Name) != subject || printable(p.Name, 1<<10) != p.Name:
		return fmt.Errorf("its name is %.100q", p.Name)
	case !slices.Contains([]string{Working, Idle, Stopping, Gone}, p.State):
		return fmt.Errorf("its state is %.40q", p.State)
	case p.Slots < 0 || p.Slots > mostSlots || len(p.Running) > mostSlots:
		return fmt.Errorf("%d slots and %d running cells; allowed are 0 to %d", p.Slots, len(p.Running), mostSlots)
	case p.Done < 0 || p.Failed < 0:
		return fmt.Errorf("%d cells done and %d failed; allowed are numbers >= 0", p.Done, p.Failed)
	case len(p.Computes) > mostNames || len(p.Damaged) > mostNames || len(p.Lacks) > mostNames:
		return fmt.Errorf("%d names of what it computes, %d of damaged data sets and %d of what it lacks; allowed are at most %d",
			len(p.Computes), len(p.Damaged), len(p.Lacks), mostNames)
	}
	for _, running := range p.Running {
		if ValidName(running.Run) != nil || ValidName(running.Cell) != nil || running.Attempt < 0 {
			return fmt.Errorf("it computes cell %.100q of run %.100q", running.Cell, running.Run)
		}
	}
	return nil
}

func readPresence(subject string, body []byte) (*Presence, error) {
	if len(body) > presenceBytes {
		return nil, fmt.Errorf("it has %d bytes; allowed are %d", len(body), presenceBytes)
	}
	p := new(Presence)
	if err := json.Unmarshal(body, p); err != nil {
		return nil, err
	}
	if err := p.check(subject); err != nil {
		return nil, err
	}
	for i := range p.Running {
		p.Running[i].What = printable(p.Running[i].What, whatBytes)
	}
	p.Version, p.Trouble = printable(p.Version, 1<<10), printable(p.Trouble, 4<<10)
	for i := range p.Lacks {
		p.Lacks[i] = Lack{printable(p.Lacks[i].Run, maxName), printable(p.Lacks[i].What, 1<<10), printable(p.Lacks[i].Why, 4<<10)}
	}
	return p, nil
}

// Workers returns the workers heard of in the last minute, even ended ones, by name, and the number
// of invalid messages.
func (q *Queue) Workers(ctx context.Context) (list []Presence, refused int, err error) {
	source := &reader{queue: q.connection, what: "listing workers", stream: workersStream, filter: string(workerTopic) + "*"}
	source.optional = true // no run submitted yet
	details := 0
	for msg, err := range source.messages(ctx) {
		if err != nil {
			return nil, 0, err
		}
		size := len(msg.Data())
		if size <= briefBytes {
			size = 0
		}
		p, err := readPresence(msg.Subject(), msg.Data())
		if err != nil || len(list) >= mostWorkers || details+size > detailBytes {
			refused++
			continue
		}
		details += size
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b Presence) int { return cmp.Or(cmp.Compare(a.Name, b.Name), b.At.Compare(a.At)) })
	return slices.CompactFunc(list, func(a, b Presence) bool { return a.Name == b.Name }), refused, nil // again while it was read
}
