package queue

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
)

// system is what the net package makes of a system's error.
func system(operation string, code syscall.Errno) error {
	return &net.OpError{Op: operation, Net: "tcp", Err: os.NewSyscallError(operation, code)}
}

func answered(code jetstream.ErrorCode, text string) error {
	return &jetstream.APIError{Code: 503, ErrorCode: code, Description: text}
}

// passing are errors after which trying again can help, one of each sort.
var passing = map[string]error{
	"asked before the answer": errors.New("nats: expected 'PONG', got 'PING'"),
	"broken pipe":             system("write", syscall.EPIPE),
	"reset while writing":     system("write", syscall.ECONNRESET),
	"reset while reading":     system("read", syscall.ECONNRESET),
	"refused":                 system("dial", syscall.ECONNREFUSED),
	"no route":                system("dial", syscall.EHOSTUNREACH),
	"no address":              &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nats", IsNotFound: true}},
	"closed by us":            &net.OpError{Op: "write", Err: net.ErrClosed},
	"end":                     io.EOF,
	"end within TLS":          io.ErrUnexpectedEOF,
	"closed in the process":   io.ErrClosedPipe,
	"deadline":                context.DeadlineExceeded,
	"deadline of a write":     os.ErrDeadlineExceeded,
	"timeout":                 nats.ErrTimeout,
	"stale connection":        nats.ErrStaleConnection,
	"disconnected":            nats.ErrDisconnected,
	"reconnecting":            nats.ErrConnectionReconnecting,
	"no server":               nats.ErrNoServers,
	"buffer full":             nats.ErrReconnectBufExceeded,
	"no responders":           nats.ErrNoResponders,
	"no stream answers":       jetstream.ErrNoStreamResponse,
	"no confirmation":         jetstream.ErrAsyncPublishTimeout,
	"stalled":                 jetstream.ErrTooManyStalledMsgs,
	"no heartbeat":            jetstream.ErrNoHeartbeat,
	"server shuts down":       jetstream.ErrServerShutdown,
	"leader moves":            jetstream.ErrConsumerLeadershipChanged,
	"no peers":                answered(10005, "no suitable peers for placement"),
	"of an object":            &nats.APIError{Code: 503, ErrorCode: 10008, Description: "JetStream system temporarily unavailable"},
	"temporarily":             answered(10008, "JetStream system temporarily unavailable"),
	"no leader":               answered(10009, "JetStream cluster can not handle request"),
	"stream offline":          answered(10118, "stream is offline"),
	"consumer offline":        answered(10119, "consumer is offline"),
	"last sequence not read":  answered(10163, "expected last sequence per subject temporarily unavailable"),
	"too many requests":       answered(10167, "too many requests"),
	"former consumer":         answered(10012, "rename obs/run/o.dat.tmp obs/run/o.dat: no such file or directory"),
}

// lasting are errors that trying again does not change.
var lasting = map[string]error{
	"consumer not created": answered(10012, "no space left on device"),
	"none":                 nil,
	"closed for good":      nats.ErrConnectionClosed,
	"interrupted":          context.Canceled,
	"not let in":           nats.ErrAuthorization,
	"not permitted":        nats.ErrPermissionViolation,
	"too large":            nats.ErrMaxPayload,
	"alert of TLS":         &net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")},
	"no stream":            jetstream.ErrStreamNotFound,
	"no consumer":          jetstream.ErrConsumerNotFound,
	"no message":           jetstream.ErrMsgNotFound,
	"not enabled":          jetstream.ErrJetStreamNotEnabledForAccount,
	"disk full":            answered(10047, "insufficient storage resources available"),
	"refused task":         answered(10077, "maximum messages per subject exceeded"),
	"lost compare and set": answered(10071, "wrong last sequence: 7"),
}

// TestTransient wants errors to pass or to last, bare and as this package and the
// library wrap them.
func TestTransient(t *testing.T) {
	t.Parallel()
	for want, list := range map[bool]map[string]error{true: passing, false: lasting} {
		for name, err := range list {
			if transient(err) != want {
				t.Errorf("%s: %v: transient is %v", name, err, !want)
			}
			if err == nil {
				continue
			}
			if wrapped := fmt.Errorf("storing outcome: %w", errors.Join(errors.New("first"), err)); transient(wrapped) != want {
				t.Errorf("%s, wrapped: transient is %v", name, !want)
			}
		}
	}
	for _, target := range transientErrors {
		if !listed(target) {
			t.Errorf("%v has no test", target)
		}
	}
	for _, code := range transientCodes {
		if !listed(answered(code, "")) {
			t.Errorf("code %d has no test", code)
		}
	}
}

func listed(target error) bool {
	for _, err := range passing {
		if errors.Is(err, target) || apiCode(target) != 0 && apiCode(err) == apiCode(target) {
			return true
		}
	}
	return false
}

// TestBrokenConnection takes the errors of a connection that the other end resets,
// and of one to nobody, from the system.
func TestBrokenConnection(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	other, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.(*net.TCPConn).SetLinger(0); err != nil {
		t.Fatal(err)
	}
	other.Close()
	listener.Close()
	wantTransient := func(what string, err error) {
		t.Helper()
		if !transient(err) {
			t.Errorf("%s: %v does not pass", what, err)
		}
	}
	_, err = conn.Read(make([]byte, 1))
	wantTransient("read", err)
	for err = nil; err == nil; {
		_, err = conn.Write(make([]byte, 1<<10))
	}
	wantTransient("write", err)
	conn.Close()
	_, err = conn.Write(make([]byte, 1))
	wantTransient("write after close", err)
	_, err = net.Dial("tcp", listener.Addr().String())
	wantTransient("dial", err)
	in, out := net.Pipe()
	in.Close()
	_, err = out.Write(make([]byte, 1))
	wantTransient("write within the process", err)
}

// TestConfirm has the sending of a message fail with whatever passes: it is sent
// again. What lasts is returned.
func TestConfirm(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	send := func(cell string, err error) error {
		return b.confirm(b.ctx, sent{&nats.Msg{Subject: resultTopic.cell("run", cell)}, nil, err}, resultsStream)
	}
	n := len(passing)
	var group sync.WaitGroup // at the same time: each waits before it tries again
	for name, err := range passing {
		group.Go(func() {
			if err := send(strings.ReplaceAll(name, " ", "-"), err); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	group.Wait()
	if stored := b.counts("run").Done; stored != n {
		t.Errorf("%d messages are stored, want %d", stored, n)
	}
	for name, err := range lasting {
		if err == nil {
			continue
		}
		if got := send("lasting", err); !errors.Is(got, err) {
			t.Errorf("%s: error %v", name, got)
		}
	}
	if stored := b.counts("run").Done; stored != n {
		t.Errorf("%d messages are stored after errors that last, want %d", stored, n)
	}
}

// TestPersist has calls to the server fail with whatever passes.
func TestPersist(t *testing.T) {
	t.Parallel()
	b := setup(t, ackWait)
	var group sync.WaitGroup
	for name, passes := range passing {
		group.Go(func() {
			tries := 0
			err := b.persist(b.ctx, "trying", "", func(context.Context) error {
				if tries++; tries == 1 {
					return passes
				}
				return nil
			})
			if err != nil || tries != 2 {
				t.Errorf("%s: %d tries, error %v", name, tries, err)
			}
		})
	}
	group.Wait()
}

// TestPublishOverBrokenConnections breaks the connection again and again while
// tasks are published, from the server's side: writing to it fails in between.
func TestPublishOverBrokenConnections(t *testing.T) {
	needs.Patience(t, "10 s")
	t.Parallel()
	b := setup(t, ackWait)
	if b.server == nil {
		t.Skip("connections are broken from within the embedded server")
	}
	const n, every = 2000, 600
	padded := json.RawMessage(`"` + strings.Repeat("x", 4<<10) + `"`) // so that the library writes while it is given messages
	tasks := func(yield func(experiment.Task, error) bool) {
		i := 0
		for task := range generate("run", n) {
			if i++; i%every == 0 {
				id, err := b.conn.GetClientID()
				if err == nil {
					err = b.server.server.DisconnectClientByID(id)
				}
				if err != nil {
					t.Log("breaking the connection:", err) // it is still being restored
				}
			}
			task.Spec = padded
			if !yield(task, nil) {
				return
			}
		}
	}
	published, refused, err := b.Publish(b.ctx, tasks)
	if err != nil || published+refused != n {
		t.Fatalf("published %d, refused %d, error %v; want %d together", published, refused, err, n)
	}
	b.wantCounts("run", Counts{Queued: n})
}

// TestLostWhileFlushing has the connection lost when the server is asked whether it
// received everything. The library's error is that of a connection closed for good.
func TestLostWhileFlushing(t *testing.T) {
	needs.Patience(t, "5 s")
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- hangUpAtSecondPing(listener) }()
	q, err := Connect(t.Context(), Config{URL: "nats://" + listener.Addr().String(), Report: reports(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := q.flush(ctx); err == nil || ctx.Err() != nil || !transient(err) {
		t.Errorf("error %v, want one that passes", err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	q.conn.Close()
	if err := q.flush(ctx); !errors.Is(err, nats.ErrConnectionClosed) || transient(err) {
		t.Errorf("error %v of a closed connection", err)
	}
}

// hangUpAtSecondPing is a NATS server for one connection, which it closes instead
// of answering what comes after the handshake.
func hangUpAtSecondPing(listener net.Listener) error {
	conn, err := listener.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	listener.Close()
	if _, err := fmt.Fprint(conn, `INFO {"server_id":"test","version":"2.10.0","max_payload":1048576,"headers":true}`+"\r\n"); err != nil {
		return err
	}
	lines := bufio.NewScanner(conn)
	for pings := 0; lines.Scan(); {
		if lines.Text() != "PING" {
			continue
		}
		if pings++; pings == 2 {
			return nil
		}
		if _, err := fmt.Fprint(conn, "PONG\r\n"); err != nil {
			return err
		}
	}
	return lines.Err()
}
