//go:build unix

package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// programs is the folder of the coordinator and the worker, which are built once.
var (
	programs string
	build    = sync.OnceValue(func() error {
		cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", programs+string(filepath.Separator), "github.com/agepath/agepath/cmd/...")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building the programs: %w\n%s", err, text)
		}
		return nil
	})
)

func builtProgram(t *testing.T, name string) string {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(programs, name)
}

// logText is what a process wrote, which is read while it writes.
type logText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// restartAfter is the time between the end of a member and its next start.
const restartAfter = 100 * time.Millisecond

// member is a process of a deployment, which is started again when it ends, as
// systemd or Kubernetes do.
type member struct {
	name string
	host []string // what runs a program on its host, empty: here
	path string
	args []string
	once bool // not started again after the exit status 0
	env  []string

	mu       sync.Mutex
	cmd      *exec.Cmd
	log      *logText // of the process that runs, or ran last
	sent     bool     // a signal that ends it was sent to it
	stopping bool
	starts   int
	surprise []string      // ends that nobody asked for
	ended    chan struct{} // closed when it is not started again
}

// launch starts a member and keeps it going.
func (m *member) launch(t *testing.T) {
	t.Helper()
	m.ended = make(chan struct{})
	if err := m.start(); err != nil {
		t.Fatal(err)
	}
	go m.keep() // ends with stop, or the exit status 0 of one that runs once
	t.Cleanup(func() {
		m.stop(syscall.SIGKILL)
		<-m.ended
	})
}

// wantProgram waits until the process is the program, not what starts it on a host,
// which signals must not go to instead.
func (m *member) wantProgram(t *testing.T) {
	t.Helper()
	if len(m.host) == 0 {
		return
	}
	await(t, m.name+" runs on its host", func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		target, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", m.cmd.Process.Pid))
		return target == m.path
	})
}

func (m *member) start() error {
	m.log = new(logText)
	command := slices.Concat(m.host, []string{m.path}, m.args)
	m.cmd = exec.Command(command[0], command[1:]...)
	m.cmd.Env = append(os.Environ(), m.env...)
	m.cmd.Stderr = m.log
	m.sent = false
	m.starts++
	return m.cmd.Start()
}

func (m *member) keep() {
	defer close(m.ended)
	for {
		err := m.cmd.Wait()
		m.mu.Lock()
		if !m.sent && err != nil {
			m.surprise = append(m.surprise, fmt.Sprintf("%v: %s", err, lastLine(m.log.String())))
		}
		if m.stopping || m.once && err == nil {
			m.mu.Unlock()
			return
		}
		m.mu.Unlock()
		<-time.After(restartAfter)
		m.mu.Lock()
		if m.stopping {
			m.mu.Unlock()
			return
		}
		if err := m.start(); err != nil {
			m.surprise = append(m.surprise, err.Error())
			m.mu.Unlock()
			return
		}
		m.mu.Unlock()
	}
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// lostConnections returns how often the process told that pings were not answered.
func (m *member) lostConnections() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Count(m.log.String(), "connection lost, restoring it: "+nats.ErrStaleConnection.Error())
}

// signal sends a signal to the process that runs now.
func (m *member) signal(s syscall.Signal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s == syscall.SIGTERM && m.sent {
		return // a second one would end it at once
	}
	m.sent = m.sent || s == syscall.SIGKILL || s == syscall.SIGTERM
	_ = m.cmd.Process.Signal(s) // it can have ended
}

// stop ends the process for good.
func (m *member) stop(s syscall.Signal) {
	m.mu.Lock()
	m.stopping = true
	m.mu.Unlock()
	m.signal(s)
}

// goesOn reports whether the member has not ended for good.
func (m *member) goesOn() bool {
	select {
	case <-m.ended:
		return false
	default:
		return true
	}
}

// await waits for the end of a member.
func (m *member) await(wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-m.ended:
		return nil
	case <-timer.C:
		m.mu.Lock()
		defer m.mu.Unlock()
		return errors.New(m.name + " goes on after " + wait.String() + ":\n" + m.log.String())
	}
}
