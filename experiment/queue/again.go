package queue

import (
	"strconv"

	"github.com/nats-io/nats.go"
)

// Tasks of a cell are numbered from 0: a task, and its result, has the number of results known when
// it was queued. A task is done when its cell has a result of this number or a higher one. Stream
// sequences do not serve: after the loss of a node the servers of a cluster can number a message
// differently (seen with nats-server 2.9.10, three replicas).

// numberHeader holds the number of a task, none for 0.
const numberHeader = "Agepath-Number"

func numberOf(header nats.Header) uint64 {
	text := header.Get(numberHeader)
	if text == "" {
		return 0
	}
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil || number > maxNumber {
		return 0 // foreign
	}
	return number
}
