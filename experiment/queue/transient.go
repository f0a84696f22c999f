package queue

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The only list of transient errors; all retries use it.

var transientErrors = []error{
	// Connection lost or being restored; see also transientOperations.
	io.EOF, io.ErrUnexpectedEOF, // the latter within TLS
	io.ErrClosedPipe, // to a server in this process
	nats.ErrNoServers, nats.ErrDisconnected, nats.ErrConnectionReconnecting,
	nats.ErrReconnectBufExceeded, nats.ErrStaleConnection,

	// No answer came in time.
	context.DeadlineExceeded, os.ErrDeadlineExceeded, nats.ErrTimeout,
	jetstream.ErrAsyncPublishTimeout, jetstream.ErrTooManyStalledMsgs, jetstream.ErrNoHeartbeat,

	// A server is away, or a leader is being elected.
	nats.ErrNoResponders, jetstream.ErrNoStreamResponse, jetstream.ErrServerShutdown, jetstream.ErrConsumerLeadershipChanged,
}

// transientOperations are those of a [net.OpError]: a connection refused, reset, broken (EPIPE) or
// closed, an unreachable network, an unresolved name. Their codes differ between systems. A TLS
// alert is an operation as well, but not transient.
var transientOperations = []string{"dial", "read", "write"}

// From nats-server errors.json.
var transientCodes = []jetstream.ErrorCode{
	10005, // no suitable peers: cluster nodes are away or starting
	10008, // JetStream system temporarily unavailable
	10009, // not the leader
	10118, // stream is offline
	10119, // consumer is offline
	10163, // expected last sequence per subject temporarily unavailable
	10167, // too many requests
}

const consumerNotCreated jetstream.ErrorCode = 10012

func transient(err error) bool {
	for _, target := range transientErrors {
		if errors.Is(err, target) {
			return true
		}
	}
	var op *net.OpError
	if errors.As(err, &op) && slices.Contains(transientOperations, op.Op) {
		return true
	}
	code := apiCode(err)
	switch {
	case err == nil:
		return false
	case strings.Contains(err.Error(), "expected 'PONG', got 'PING'"): // asked first, where connecting takes 2 s on a busy machine
		return true
	case code == consumerNotCreated: // the server still removes the folder of the former one of the name
		return strings.Contains(err.Error(), "no such file or directory")
	}
	return slices.Contains(transientCodes, code)
}
