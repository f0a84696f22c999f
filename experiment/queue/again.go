package queue

import (
	"context"
	"iter"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/agepath/agepath/experiment"
)

// A cell's tasks are numbered from 0: a task has the number of results that whoever
// queued it knew of, and so has the result that comes of it. A task is done when its
// cell has a result of its own number or a higher one. The sequence of a message in
// its stream would not do for that: after the loss of a node the servers of a
// cluster can number the same message differently (seen with nats-server 2.9.10 and
// three replicas, one apart).

// numberHeader holds the number of a task that was queued by [Queue.PublishAgain];
// others have the number 0.
const numberHeader = "Agepath-Number"

// numberOf returns the number of a task by its message's headers.
func numberOf(header nats.Header) uint64 {
	text := header.Get(numberHeader)
	if text == "" {
		return 0
	}
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil || number > maxNumber {
		return 0 // nobody writes such a header
	}
	return number
}

// PublishAgain is [Queue.Publish] for runs that were published before. number
// returns of a cell how many results were there when the caller looked:
// [Ended.Number] and one more, 0 for none. Workers look for one that has come since
// before they compute the cell.
func (q *Queue) PublishAgain(ctx context.Context, tasks iter.Seq2[experiment.Task, error], number func(cell string) uint64) (published, refused int, err error) {
	return q.publish(ctx, tasks, number)
}
