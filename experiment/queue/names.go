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

// topic is the first part of the subjects of one stream.
type topic string

const (
	taskTopic       topic = "agepath.task."
	resultTopic     topic = "agepath.result."
	attemptTopic    topic = "agepath.attempt."
	deadTopic       topic = "agepath.dead."
	workerTopic     topic = "agepath.worker." // followed by the worker's name alone
	quarantineTopic topic = "agepath.quarantine."
)

// A run's filter ends in * and not in >: servers before 2.10 want it to be a
// subset of the stream's subjects.
func (t topic) all() string                  { return string(t) + "*.*" }
func (t topic) run(run string) string        { return string(t) + run + ".*" }
func (t topic) cell(run, cell string) string { return string(t) + run + "." + cell }

// cellOf returns the cell of a subject of any topic.
func cellOf(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// runOf returns the run of a subject of any topic.
func runOf(subject string) string {
	rest := subject[:max(0, strings.LastIndexByte(subject, '.'))]
	return runOfLane(rest[strings.LastIndexByte(rest, '.')+1:])
}

// The tasks of a run are in two lanes, each with a subject and a consumer: RUN and, for
// those that bring a command, RUN+commands, from which only workers pull that run
// commands. No run's name has a +.
const commandsLane = "+commands"

func lanes(run string) []string { return []string{run, run + commandsLane} }

func laneOf(task *experiment.Task) string {
	if task.Commands() {
		return task.Run + commandsLane
	}
	return task.Run
}

func runOfLane(lane string) string { return strings.TrimSuffix(lane, commandsLane) }

// maxName keeps a run's name inside what servers take as a consumer's name.
const maxName = 128

// ValidName returns an error unless name can be the name of a run or a cell:
// 1 to 128 letters a-z and A-Z, digits, '-' and '_'. Both become parts of NATS
// subjects, a run's name also the name of a consumer.
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
