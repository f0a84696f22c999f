//go:build unix

package queue

import (
	"syscall"
	"testing"
)

// TestShutdownReleasesTheFolder has another descriptor of the lock's open file,
// as a child process has between fork and exec.
func TestShutdownReleasesTheFolder(t *testing.T) {
	t.Parallel()
	config := ServerConfig{Dir: t.TempDir()}
	server, err := StartServer(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	child, err := syscall.Dup(int(server.lock.(interface{ Fd() uintptr }).Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	if err := server.Shutdown(); err != nil {
		t.Fatal(err)
	}
	again, err := StartServer(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Shutdown(); err != nil {
		t.Error(err)
	}
}
