//go:build unix

package campaign

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// count writes 0, 1, 2 ... to a server, a line at a time. Its argument is the
// server's address.
func count(ctx context.Context) error {
	conn, err := net.Dial("tcp", os.Args[1])
	if err != nil {
		return err
	}
	defer conn.Close()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for i := 0; ; i++ {
		if _, err := fmt.Fprintln(conn, i); err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// TestNetwork has a program on a host count over a connection whose cable is
// pulled: nothing arrives then, and when it is back the connection goes on.
// Signals reach the program, and nothing is left of the network, nor of one whose
// process was killed.
func TestNetwork(t *testing.T) {
	t.Run("network", func(t *testing.T) {
		gone := exec.Command("go", "version")
		if err := gone.Run(); err != nil {
			t.Fatal(err)
		}
		_, err := system("ip", "netns", "add", fmt.Sprintf("age-%d-0", gone.Process.Pid))
		made := err == nil
		n := hostNetwork(t, 2)
		if n == nil {
			t.Skip("no network")
		}
		if !made {
			t.Fatal(err)
		}
		namespaces, _, err := parts()
		if err != nil || namespaces[gone.Process.Pid] != nil || len(namespaces[os.Getpid()]) != 2 {
			t.Errorf("namespaces %v: %v; want two of %d, none of %d", namespaces, err, os.Getpid(), gone.Process.Pid)
		}
		h := &host{t: t, namespace: n.hosts[1], netem: n.netem}
		listener, err := net.Listen("tcp", net.JoinHostPort(n.address.String(), "0"))
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		counter := &member{name: "count", host: h.command(), path: os.Args[0], args: []string{listener.Addr().String()}, env: []string{asProgram + "=count"}, once: true}
		counter.launch(t)
		counter.wantProgram(t)
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		wantLoss(t, h, conn)
		counter.signal(syscall.SIGTERM)
		if err := counter.await(20 * time.Second); err != nil {
			t.Error(err)
		} else if code := counter.cmd.ProcessState.ExitCode(); code != 0 || counter.starts != 1 {
			t.Errorf("SIGTERM: the exit status %d after %d starts: %s", code, counter.starts, counter.log.String())
		}
	})
	wantNoNetwork(t)
}

// wantLoss pulls the cable of a host that counts over a connection.
func wantLoss(t *testing.T, h *host, conn net.Conn) {
	t.Helper()
	lines, next := bufio.NewReader(conn), 0
	var part string
	read := func(within time.Duration) error {
		if err := conn.SetReadDeadline(time.Now().Add(within)); err != nil {
			t.Fatal(err)
		}
		text, err := lines.ReadString('\n')
		part += text
		if err != nil {
			return err
		}
		if i, err := strconv.Atoi(strings.TrimSpace(part)); err != nil || i != next {
			t.Fatalf("%q arrived, want %d", part, next)
		}
		part = ""
		next++
		return nil
	}
	for range 10 {
		if err := read(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	first, second := h.lose(), h.lose() // two faults of a host at a time
	second()
	at := next
	var err error
	for err == nil && next < at+10000 { // what was on its way
		err = read(time.Second)
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("with the cable pulled %d lines arrived, then %v; want silence", next-at, err)
	}
	first()
	for range 100 {
		if err := read(time.Minute); err != nil {
			t.Fatalf("with the cable back: %v", err)
		}
	}
}
