package queue

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"os"
	"os/user"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Slots take turns: owners with tasks get equal slot time, and the runs of an owner time in
// proportion to their priorities. So no run starves. Time without tasks is not made up for.

const (
	// DefaultPriority is that of runs without one; MaxPriority is the highest.
	DefaultPriority, MaxPriority = 10, 100
	// firstPull is the expected time of a first pull, in seconds.
	firstPull = 1.0
	// Together is the expected time of several cells in a pull, in seconds.
	Together, maxTogether = 0.05, 64
)

var thisUser = sync.OnceValue(func() string {
	if u, err := user.Current(); err == nil {
		return printable(u.Username, maxName/2)
	}
	return "user " + strconv.Itoa(os.Getuid())
})

// CheckOwner allows up to 128 printable characters, also "".
func CheckOwner(owner string) error {
	if printable(owner, maxName) != owner {
		return fmt.Errorf("%.140q is not allowed; up to %d printable characters are", owner, maxName)
	}
	return nil
}

type account struct {
	used float64 // so far; of a run divided by its priority
	due  float64 // expected for the current cells
	busy bool
}

type owner struct {
	account
	floor float64 // minimum of used over busy runs
	runs  int
}

// lift raises used of an idle account to the minimum of the busy ones; 0 without any.
func (a *account) lift(floor float64) {
	if a.used = max(a.used, floor); math.IsInf(floor, 1) {
		a.used = 0
	}
}

// bill is the slot time, in seconds, for one request and the tasks it returned.
type bill struct {
	from     *runFeed
	owner    *owner
	priority float64
	began    time.Time
	expected float64
	most     int // tasks asked for
	tasks    int // to be computed
	charged  float64
	due      float64
}

// The caller holds mu.
func (r *registry) owner(s *runFeed) *owner {
	name := s.heard.Load().Owner
	found := r.owners[name]
	if found == nil {
		found = &owner{}
		r.owners[name] = found
	}
	return found
}

// charge sets the seconds so far and those expected. The caller holds mu.
func (b *bill) charge(taken, due float64) {
	taken, b.charged = taken-b.charged, taken
	due, b.due = due-b.due, due
	owner, run := b.owner, b.from.account
	owner.used, owner.due = owner.used+taken, owner.due+due
	run.used, run.due = run.used+taken/b.priority, run.due+due/b.priority
}

// most is the number of tasks to pull at once. The caller holds mu.
func (r *registry) most(s *runFeed) int {
	return min(max(int(Together/cmp.Or(s.seconds, firstPull)), 1), r.several)
}

// The caller holds mu.
func (r *registry) open(from *runFeed, expected float64) *bill {
	priority := cmp.Or(from.heard.Load().Priority, DefaultPriority)
	b := &bill{from: from, owner: r.owner(from), priority: float64(priority), began: time.Now(), expected: expected, most: r.most(from), tasks: 1}
	r.bills[b] = struct{}{}
	b.charge(0, expected)
	from.slots++
	return b
}

// compute begins a bill for a task of a run, a new one if b is nil.
func (r *registry) compute(from *runFeed, b *bill) *bill {
	r.mu.Lock()
	defer r.mu.Unlock()
	from.dry = false
	if b == nil {
		b = r.open(from, 0)
	}
	b.began = time.Now()
	return b
}

func (r *registry) close(b *bill, took float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.bills, b)
	b.from.slots--
	b.charge(took, 0)
	if took /= float64(b.tasks); took > 0 {
		if b.from.seconds == 0 {
			b.from.seconds = took
		}
		b.from.seconds += (took - b.from.seconds) / 4
	}
}

// balance updates the accounts. The caller holds mu.
func (r *registry) balance(now time.Time) {
	for b := range r.bills {
		taken := now.Sub(b.began).Seconds()
		b.charge(taken, max(0, b.expected-taken))
	}
	for _, o := range r.owners {
		o.busy, o.floor, o.runs = false, math.Inf(1), 0
	}
	for _, s := range r.sources {
		s.account.busy = false
	}
	for _, s := range r.sources {
		o := r.owner(s)
		o.runs++
		if s.slots > 0 || !s.dry && s.asked(now) { // the lanes of a run share the account
			s.account.busy, o.busy, o.floor = true, true, min(o.floor, s.account.used)
		}
	}
	floor := math.Inf(1)
	for name, o := range r.owners {
		if o.runs == 0 {
			delete(r.owners, name)
		} else if o.busy {
			floor = min(floor, o.used)
		}
	}
	for _, o := range r.owners {
		if !o.busy {
			o.lift(floor)
		}
	}
	for _, s := range r.sources {
		if !s.account.busy {
			s.account.lift(r.owner(s).floor)
		}
	}
}

// The caller holds the registry's mu.
func (s *runFeed) asked(now time.Time) bool {
	return !s.heard.Load().Paused && !now.Before(s.rest)
}

// The caller holds mu.
func (r *registry) before(a, b *runFeed) bool {
	x, y := r.owner(a), r.owner(b)
	order := cmp.Compare(x.used+x.due, y.used+y.due)
	if x == y {
		order = cmp.Compare(a.account.used+a.account.due, b.account.used+b.account.due)
	}
	return cmp.Or(order, cmp.Compare(a.turn, b.turn)) < 0
}

// turns yields the runs to ask without waiting, by turn and each at most once, with a bill that is
// closed unless the caller stops. Without every, it omits runs found empty recently. It yields a
// single run only with single or for several tasks: that run is asked by waiting at it.
func (r *registry) turns(every, single bool) iter.Seq2[*runFeed, *bill] {
	return func(yield func(*runFeed, *bill) bool) {
		var asked []*runFeed
		for {
			next, b := r.take(func(s *runFeed) bool {
				return (len(r.sources) > 1 || single || r.most(s) > 1) && !slices.Contains(asked, s) && (every || time.Since(s.empty) >= r.every)
			})
			if next == nil || !yield(next, b) {
				return
			}
			r.close(b, 0)
			asked = append(asked, next)
		}
	}
}

func (r *registry) take(may func(*runFeed) bool) (*runFeed, *bill) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.balance(time.Now())
	next := r.next(may, r.before)
	if next == nil {
		return nil, nil
	}
	return next, r.open(next, cmp.Or(next.seconds, firstPull))
}

// quiet returns the run to wait at: the one asked longest ago.
func (r *registry) quiet() *runFeed {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next(func(*runFeed) bool { return true }, func(a, b *runFeed) bool { return a.turn < b.turn })
}

// The caller holds mu.
func (r *registry) next(may func(*runFeed) bool, before func(a, b *runFeed) bool) *runFeed {
	now := time.Now()
	var next *runFeed
	for _, s := range r.sources {
		if may(s) && s.asked(now) && (next == nil || before(s, next)) {
			next = s
		}
	}
	if next != nil {
		r.turn++
		next.turn = r.turn
	}
	return next
}
