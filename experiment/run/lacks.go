package run

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
)

// firstLack and mostLack bound how long a worker leaves the tasks of a command to others; the time
// doubles.
const firstLack, mostLack = 30 * time.Second, 10 * time.Minute

// lacks is what a worker lacks for commands, which it does not try for a while.
type lacks struct {
	mu  sync.Mutex
	all map[program]*lack

	isolation atomic.Bool // see [outside.Isolate]
}

// program identifies a command by its run and files.
type program struct{ run, files string }

type lack struct {
	err   *outside.LackError
	until time.Time // its tasks are not tried before
	wait  time.Duration
	seen  time.Time // when a task was last left to others
}

func programOf(task *experiment.Task) program {
	return program{task.Run, strings.Join(task.Files, " ")}
}

// of returns nil for nothing.
func (l *lacks) of(task *experiment.Task) *outside.LackError {
	if !task.Commands() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.all[programOf(task)]
	if found == nil || time.Now().After(found.until) {
		return nil
	}
	found.seen = time.Now()
	return found.err
}

func (l *lacks) note(task *experiment.Task, err *outside.LackError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, key := time.Now(), programOf(task)
	found := l.all[key]
	if found == nil {
		found = &lack{}
		l.all[key] = found
	}
	if now.After(found.until) { // otherwise another slot did
		found.wait = min(max(2*found.wait, firstLack), mostLack)
		found.until = now.Add(found.wait)
	}
	found.err, found.seen = err, now
}

// clear follows a computed task of the command.
func (l *lacks) clear(task *experiment.Task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if task.Commands() {
		delete(l.all, programOf(task))
	}
}

// lackFor is how long a lack is announced after a task was left to others.
const lackFor = time.Minute

func (l *lacks) list() (list []queue.Lack) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, found := range l.all {
		if time.Since(found.seen) < lackFor {
			list = append(list, queue.Lack{Run: key.run, What: found.err.What, Why: found.err.Err.Error()})
		}
	}
	slices.SortFunc(list, func(a, b queue.Lack) int { return strings.Compare(a.Run+a.What+a.Why, b.Run+b.What+b.Why) })
	return list
}
