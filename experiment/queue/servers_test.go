package queue

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/agepath/agepath/internal/testing/needs"
)

// TestServers wants URLs that come through to be shown without passwords and
// tokens, and with all else.
func TestServers(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"nats://a:4222":                    "nats://a:4222",
		"a":                                "nats://a",
		"a, b:1 ,tls://c":                  "nats://a,nats://b:1,tls://c",
		"nats://u:p@a,ws://t@b:80":         "nats://u:xxxxx@a,ws://xxxxx@b:80",
		"t:@a":                             "nats://xxxxx@a",
		":p@a":                             "nats://:xxxxx@a",
		"wss://u:a@b:c@[::1]:443/":         "wss://u:xxxxx@[::1]:443/",
		"nats://u:%2C%40%2F%3A%23%3F%20@a": "nats://u:xxxxx@a",
	} {
		parsed, err := parseServers(list)
		if err != nil || parsed.String() != want {
			t.Errorf("%s: %s, %v; want %s", list, parsed, err, want)
		}
	}
}

// TestTokenIsNotTold connects with a token to a server that comes, goes and
// comes back, and wants the token in nothing that is told about that.
func TestTokenIsNotTold(t *testing.T) {
	t.Parallel()
	const token = "hunter2"
	address := needs.FreePorts(t, 1)[0]
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	start := func() *server.Server {
		node, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: at.Port, NoSigs: true, NoLog: true, Authorization: token, JetStream: true, StoreDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		node.Start()
		if !node.ReadyForConnections(patience) {
			t.Fatal("server is not ready")
		}
		return node
	}
	told := make(chan string, 100)
	await := func(want string) {
		t.Helper()
		for timeout := time.After(patience); ; {
			select {
			case text := <-told:
				if strings.Contains(text, token) {
					t.Errorf("told: %s", text)
				}
				if strings.Contains(text, want) {
					return
				}
			case <-timeout:
				t.Fatalf("%q is not told", want)
			}
		}
	}
	connected := make(chan error, 1)
	go func() { // ends with the connection, for which it waits
		q, err := Connect(t.Context(), Config{URL: "nats://" + token + "@" + address, ConnectWait: Forever, Report: func(err error) { told <- err.Error() }})
		if err == nil {
			t.Cleanup(q.Close)
		}
		connected <- err
	}()
	const shown = "nats://xxxxx@"
	await("connecting to NATS at " + shown + address)
	node := start()
	await("connected to NATS at " + shown + address)
	if err := <-connected; err != nil {
		t.Fatal(err)
	}
	stop(node)
	await("connection lost")
	node = start()
	defer stop(node)
	await("connection restored: " + shown + address)
}
