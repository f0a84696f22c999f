// Package testqueue has servers and connections that end with a test.
package testqueue

import (
	"testing"

	"github.com/agepath/agepath/experiment/queue"
)

// Server starts an embedded server that listens at an address, if not "".
func Server(t testing.TB, listen string) *queue.Server {
	t.Helper()
	server, err := queue.StartServer(queue.ServerConfig{Dir: t.TempDir(), Listen: listen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Shutdown)
	if listen != "" {
		if err := server.Open(); err != nil {
			t.Fatal(err)
		}
	}
	return server
}

// Connect returns a connection that closes before earlier servers.
func Connect(t testing.TB, config queue.Config) *queue.Queue {
	t.Helper()
	q, err := queue.Connect(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}
