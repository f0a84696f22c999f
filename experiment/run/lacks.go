package run

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
)

// lackFor is how long a worker leaves the tasks of a command to others after one has shown what it
// lacks. It says so for twice as long, until a next task has shown it again.
const lackFor = time.Minute

// lacks is what a worker lacks for commands, which it does not try for a while.
type lacks struct {
	mu  sync.Mutex
	all map[program]lack
}

// program identifies a command by its run and files.
type program struct{ run, files string }

type lack struct {
	err  *outside.LackError
	seen time.Time
}

func programOf(task *experiment.Task) program {
	return program{task.Run, strings.Join(task.Files, " ")}
}

// of returns nil for nothing.
func (l *lacks) of(task *experiment.Task) error {
	if !task.Commands() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if found := l.all[programOf(task)]; time.Since(found.seen) < lackFor {
		return found.err
	}
	return nil
}

func (l *lacks) note(task *experiment.Task, err *outside.LackError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[programOf(task)] = lack{err, time.Now()}
}

// clear follows a computed task of the command.
func (l *lacks) clear(task *experiment.Task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if task.Commands() {
		delete(l.all, programOf(task))
	}
}

func (l *lacks) list() (list []queue.Lack) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, found := range l.all {
		if time.Since(found.seen) < 2*lackFor {
			list = append(list, queue.Lack{Run: key.run, What: found.err.What, Why: found.err.Err.Error()})
		}
	}
	slices.SortFunc(list, func(a, b queue.Lack) int { return strings.Compare(a.Run+a.What+a.Why, b.Run+b.What+b.Why) })
	return list
}
