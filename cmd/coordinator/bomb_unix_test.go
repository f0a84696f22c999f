//go:build unix

package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestIrregularFiles wants a named pipe, to open which would wait for ever, a
// device, a socket and a folder to be refused as data sets at once.
func TestIrregularFiles(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "agepath") //nolint:usetesting // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.csv"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "socket.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	write(t, dir, "folder.csv/data.csv", table)
	for path, want := range map[string]string{
		"pipe.csv": "(p-", "socket.csv": "(S-", "folder.csv": "(d-", "/dev/zero": "(D", "/dev/null": "(D",
	} {
		grid := write(t, dir, "grid.yaml", "data: [{path: "+path+"}]\nmodels: [{lasso: {alpha: 0.1}}]\nmethods: [original]\n")
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		done := make(chan outcome, 1)
		go func() { done <- doWith(t, ctx, nil, "plan", grid) }() // ends with the test's process where it hangs
		select {
		case o := <-done:
			wantRefusal(t, o, []string{"data.0", path, want, "is not a regular file"})
		case <-ctx.Done():
			t.Errorf("%s hangs", path)
		}
		cancel()
	}
}
