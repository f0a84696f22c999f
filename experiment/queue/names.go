package queue

import (
	"fmt"
	"strings"

	"github.com/agepath/agepath/experiment"
)

const (
	tasksStream      = "AGEPATH_TASKS"
	resultsStream    = "AGEPATH_RESULTS"
	attemptsStream   = "AGEPATH_ATTEMPTS"
	deadStream       = "AGEPATH_DEAD"
	workersStream    = "AGEPATH_WORKERS"
	quarantineStream = "AGEPATH_QUARANTINE"
	dataBucket       = "AGEPATH_DATA"
	outcomesBucket   = "AGEPATH_OUTCOMES"
)

type topic string

const (
	taskTopic       topic = "agepath.task."
	resultTopic     topic = "agepath.result."
	attemptTopic    topic = "agepath.attempt."
	deadTopic       topic = "agepath.dead."
	workerTopic     topic = "agepath.worker."
	quarantineTopic topic = "agepath.quarantine."
)

// Ends in *, not >: servers before 2.10 want a subset of the stream's subjects.
func (t topic) all() string                  { return string(t) + "*.*" }
func (t topic) run(run string) string        { return string(t) + run + ".*" }
func (t topic) cell(run, cell string) string { return string(t) + run + "." + cell }

func cellOf(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

func runOf(subject string) string {
	rest := subject[:max(0, strings.LastIndexByte(subject, '.'))]
	return runOfLane(rest[strings.LastIndexByte(rest, '.')+1:])
}

// Tasks that bring a command are in a second lane, RUN+commands, with its own consumer, from which
// only workers that run commands pull. No run's name contains a +.
const commandsLane = "+commands"

func lanes(run string) []string { return []string{run, run + commandsLane} }

func laneOf(task *experiment.Task) string {
	if task.Commands() {
		return task.Run + commandsLane
	}
	return task.Run
}

func runOfLane(lane string) string { return strings.TrimSuffix(lane, commandsLane) }

// maxName keeps names within the limit for consumer names.
const maxName = 128

// ValidName checks the name of a run or a cell: 1 to 128 letters a-z and A-Z, digits, '-' and '_',
// as subjects and consumers need.
func ValidName(name string) error {
	if name == "" || len(name) > maxName {
		return fmt.Errorf("name %.140q has %d characters; allowed are 1 to %d", name, len(name), maxName)
	}
	for _, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return fmt.Errorf("name %q: character %q is not allowed; allowed are letters a-z and A-Z, digits, '-' and '_'", name, c)
		}
	}
	return nil
}

func validRun(run string) error {
	if err := ValidName(run); err != nil {
		return fmt.Errorf("run %w", err)
	}
	return nil
}
