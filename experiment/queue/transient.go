package queue

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// What follows is the one list of errors that can pass: trying again can help.
// Every call to the server that is tried again goes by it.

// transientErrors come from the client library, or from the connection through it.
var transientErrors = []error{
	// The connection is lost or being restored. The library passes on what writing
	// to it returned; see also transientOperations.
	io.EOF, io.ErrUnexpectedEOF, // the latter within TLS
	io.ErrClosedPipe, // to a server in this process
	nats.ErrNoServers, nats.ErrDisconnected, nats.ErrConnectionReconnecting,
	nats.ErrReconnectBufExceeded, nats.ErrStaleConnection,

	// No answer came in time.
	context.DeadlineExceeded, os.ErrDeadlineExceeded, nats.ErrTimeout,
	jetstream.ErrAsyncPublishTimeout, jetstream.ErrTooManyStalledMsgs, jetstream.ErrNoHeartbeat,

	// Nobody answers for a stream or a consumer: its server is away, or its leader is
	// being elected.
	nats.ErrNoResponders, jetstream.ErrNoStreamResponse, jetstream.ErrServerShutdown, jetstream.ErrConsumerLeadershipChanged,

	errBehind,
}

// transientOperations are those of a [net.OpError]: a connection refused (ECONNREFUSED),
// reset (ECONNRESET), broken (EPIPE) or closed, an unreachable network, a name
// without an address. The codes of the causes differ between systems. An alert of TLS
// is an operation too, and not among them.
var transientOperations = []string{"dial", "read", "write"}

// transientCodes are those of JetStream servers (nats-server errors.json).
var transientCodes = []jetstream.ErrorCode{
	10005, // no suitable peers: nodes of the cluster are away, or still come up
	10008, // JetStream system temporarily unavailable
	10009, // not the leader
	10118, // stream is offline
	10119, // consumer is offline
	10163, // expected last sequence per subject temporarily unavailable
	10167, // too many requests
}

// transient reports whether trying again can help.
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
	return slices.Contains(transientCodes, apiCode(err))
}
