package queue

import (
	"crypto/rand"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/agepath/agepath/internal/testing/needs"
)

// TestLink wants every state of a connection to be told once.
func TestLink(t *testing.T) {
	t.Parallel()
	var told []string
	l := &link{report: func(err error) { told = append(told, err.Error()) }}
	for range 2 {
		l.trouble(errors.New("refused"))
	}
	l.down(errors.New("broken"))
	for range 3 {
		l.trouble(errors.New("nobody there"))
		l.trouble(errors.New("not let in"))
	}
	l.up("nats://there")
	l.trouble(errors.New("nobody there"))
	l.down(nil)
	want := []string{
		"refused", "refused", "connection lost, restoring it: broken", "nobody there", "not let in",
		"connection restored: nats://there", "nobody there",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// TestRenewedPassword takes a server away and brings it back with another
// password: the connection is restored when the password's file has the new
// one, and what is told meanwhile does not grow with the attempts.
func TestRenewedPassword(t *testing.T) {
	t.Parallel()
	options := func(password string, port int) *server.Options {
		return &server.Options{
			Host: "127.0.0.1", Port: port, NoSigs: true, NoLog: true,
			Users:     []*server.User{{Username: "anna", Password: password}},
			JetStream: true, StoreDir: t.TempDir(),
		}
	}
	start := func(password string, port int) *server.Server {
		node, err := server.NewServer(options(password, port))
		if err != nil {
			t.Fatal(err)
		}
		node.Start()
		if !node.ReadyForConnections(patience) {
			t.Fatal("server is not ready")
		}
		return node
	}
	file := filepath.Join(t.TempDir(), "password")
	renew := func(password string) {
		if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	renew("first")
	at, err := net.ResolveTCPAddr("tcp", needs.FreePorts(t, 1)[0])
	if err != nil {
		t.Fatal(err)
	}
	node := start("first", at.Port)
	told := make(chan string, 100)
	q, err := Connect(t.Context(), Config{URL: node.ClientURL(), User: "anna", PasswordFile: file, Report: func(err error) { told <- err.Error() }})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	stop(node)
	var all []string
	await := func(part string) {
		t.Helper()
		for timeout := time.After(patience); ; {
			select {
			case text := <-told:
				all = append(all, text)
				if strings.Contains(strings.ToLower(text), part) {
					return
				}
			case <-timeout:
				t.Fatalf("%q is not told, but %q", part, all)
			}
		}
	}
	await("connection lost")
	await("refused") // nobody listens
	node = start("second", at.Port)
	defer stop(node)
	await("authorization violation")
	renew("second")
	await("connection restored")
	slices.Sort(all)
	if unique := slices.Compact(slices.Clone(all)); len(unique) != len(all) {
		t.Errorf("told more than once: %q", all)
	}
}

// TestRenewedURL has a configuration that names another server while none answers: at the start, and
// after the connection was lost.
func TestRenewedURL(t *testing.T) {
	t.Parallel()
	start := func() *Server {
		server, err := StartServer(ServerConfig{Dir: serverFolder(t), Listen: "127.0.0.1:0", Token: rand.Text()})
		if err == nil {
			err = server.Open()
		}
		if err != nil {
			t.Fatal(err)
		}
		return server
	}
	var url atomic.Value
	first := start()
	url.Store("not an address")
	q, err := Connect(t.Context(), Config{
		URL: "nats://" + needs.FreePorts(t, 1)[0], ConnectWait: Forever, Renew: func() string { return url.Load().(string) },
		Report: func(error) { url.CompareAndSwap("not an address", first.URL()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	first.Shutdown()
	second := start()
	defer second.Shutdown()
	url.Store(second.URL())
	b := &bundle{t: t}
	b.await("the second server is found", func() bool { return q.Connected() && q.conn.ConnectedAddr() == second.server.Addr().String() })
}
