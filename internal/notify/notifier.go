// Package notify reports by a webhook or a command that a run ended, that more of its cells fail
// than a limit allows, or that workers vanished. docs/schemas/notify.json describes the messages.
//
// A [Notifier] reports once, and never blocks or fails its caller: events wait in a bounded queue
// per way of sending, and their outcome is logged.
package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/nats-io/nuid"

	"github.com/agepath/agepath/experiment"
)

const (
	// fewestCells of a run, or all, must have ended before their failure rate counts.
	fewestCells = 20
	// waiting bounds the queue per way.
	waiting = 64
	// sendWait bounds all attempts to send an event, closeWait the queue at the end.
	sendWait  = 2 * time.Minute
	closeWait = 20 * time.Second
)

// Config says what to report, and how.
type Config struct {
	URL         string  // of a webhook
	Command     string  // for the shell
	FailureRate float64 // share of ended cells that may fail
	Version     string
	Log         *slog.Logger
}

// Notifier decides what to report and reports it. Safe for concurrent use.
type Notifier struct {
	config Config
	ways   []*way
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex // guards what follows
	closed  bool
	runs    map[string]*watched
	lost    map[string]bool // workers
	workers bool            // were looked at before
}

type watched struct {
	active bool // was computing at the last look
	over   int  // consecutive looks without more cells to come
	told   bool // its failure rate was reported
}

// New returns a notifier, which tells nobody if config names no way.
func New(config Config) (*Notifier, error) { return newNotifier(config, firstPause) }

func newNotifier(config Config, pause time.Duration) (*Notifier, error) {
	n := &Notifier{config: config, runs: map[string]*watched{}, lost: map[string]bool{}}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	if config.URL != "" {
		hook, err := newWebhook(config.URL, config.Version, pause)
		if err != nil {
			return nil, err
		}
		n.ways = append(n.ways, &way{name: "webhook " + hook.host, send: hook.send})
	}
	if config.Command != "" {
		n.ways = append(n.ways, &way{name: "command", send: shellCommand(config.Command).send})
	}
	for _, w := range n.ways {
		w.events, w.done = make(chan *Event, waiting), make(chan struct{})
		go w.run(n.ctx, config.Log) // ends with Close
	}
	return n, nil
}

// Silent reports whether nobody is told.
func (n *Notifier) Silent() bool { return len(n.ways) == 0 }

// Runs reports runs that have been over for two looks, and those whose failure rate is above the
// limit. A run that was over when first seen is not reported; one that is computed again counts as
// new.
func (n *Notifier) Runs(runs ...Run) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range runs {
		r := &runs[i]
		w := n.runs[r.Name]
		if w == nil {
			w = new(watched)
			n.runs[r.Name] = w
		}
		if r.Over {
			if w.over++; w.active && w.over == 2 {
				w.active = false
				n.ended(r)
			}
			continue
		}
		if !w.active {
			w.told = false
		}
		w.active, w.over = true, 0
		limit, enough := n.config.FailureRate, r.Ended >= min(fewestCells, r.Cells)
		if !w.told && enough && float64(r.Failed) > limit*float64(r.Ended) {
			w.told = true
			text := fmt.Sprintf("run %s: %d of %d cells failed, more than %g %%%s", r.Name, r.Failed, r.Ended, 100*limit, r.why())
			n.tell(&Event{Event: FailureRate, Run: r, Limit: &limit, Text: text})
		}
	}
}

// Held reports that cells of a method of a run are held back, and why.
func (n *Notifier) Held(r Run, why string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tell(&Event{Event: MethodHeld, Run: &r, Text: fmt.Sprintf("run %s: %s", r.Name, why)})
}

// Ended reports the end of a run that this program computed.
func (n *Notifier) Ended(r Run) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended(&r)
}

func (n *Notifier) ended(r *Run) { n.tell(&Event{Event: Ended, Run: r, Text: r.ending()}) }

// Workers takes all workers and reports those lost since the last look.
func (n *Notifier) Workers(workers []Worker) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var gone []Worker
	now := map[string]bool{}
	for _, w := range workers {
		if !w.Lost {
			continue
		}
		now[w.Name] = true
		if !n.lost[w.Name] && n.workers {
			gone = append(gone, w)
		}
	}
	n.lost, n.workers = now, true
	if len(gone) > 0 {
		n.tell(&Event{Event: WorkersLost, Workers: gone, Text: lost(gone)})
	}
}

func (n *Notifier) tell(e *Event) {
	if n.closed {
		return
	}
	e.ID, e.Time, e.Version = nuid.Next(), time.Now().UTC().Truncate(time.Millisecond), n.config.Version
	e.Text = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, e.Text)
	if e.Workers == nil {
		e.Workers = []Worker{}
	}
	if e.Run != nil {
		copied := *e.Run
		if e.Run = &copied; copied.Reasons == nil || copied.mended() {
			copied.Reasons = []experiment.Reason{}
		}
	}
	for _, w := range n.ways {
		select {
		case w.events <- e:
		default:
			n.config.Log.Warn("a notification is dropped: too many wait", "event", e.Event, "by", w.name)
		}
	}
}

// Close sends what is queued, for at most 20 seconds.
func (n *Notifier) Close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	for _, w := range n.ways {
		close(w.events)
	}
	timer := time.AfterFunc(closeWait, n.cancel)
	defer timer.Stop()
	for _, w := range n.ways {
		<-w.done
	}
	n.cancel()
}

type way struct {
	name   string
	send   func(ctx context.Context, body []byte) error
	events chan *Event
	done   chan struct{} // closed when all are sent
}

func (w *way) run(ctx context.Context, log *slog.Logger) {
	defer close(w.done)
	for e := range w.events {
		body, err := json.Marshal(e)
		if err == nil {
			sending, cancel := context.WithTimeout(ctx, sendWait)
			err = cmp.Or(ctx.Err(), w.send(sending, body))
			cancel()
		}
		if err != nil {
			log.Warn("a notification was not sent", "event", e.Event, "by", w.name, "error", err)
			continue
		}
		log.Info("notified", "event", e.Event, "by", w.name)
	}
}
