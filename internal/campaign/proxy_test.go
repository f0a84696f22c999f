//go:build unix

package campaign

import (
	"net"
	"sync"
	"testing"
	"time"
)

// link is the network between one host and one server: a proxy that can cut
// connections, and where the host is no network namespace let them hang without a
// word, and where the kernel has no netem delay what passes.
type link struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	open  *sync.Cond // signalled when it no longer hangs
	conns map[net.Conn]bool
	cut   bool
	hangs bool
	delay time.Duration
	all   sync.WaitGroup
}

// newLink makes a link to a target, which hosts reach at an address of this
// machine.
func newLink(t *testing.T, address, target string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	l := &link{listener: listener, target: target, conns: map[net.Conn]bool{}}
	l.open = sync.NewCond(&l.mu)
	l.all.Go(l.accept)
	t.Cleanup(l.close)
	return l
}

func (l *link) url() string { return "nats://" + l.listener.Addr().String() }

func (l *link) accept() {
	for {
		from, err := l.listener.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", l.target)
		if err != nil || !l.add(from, to) {
			from.Close()
			if err == nil {
				to.Close()
			}
			continue
		}
		l.all.Go(func() { l.pass(from, to) })
		l.all.Go(func() { l.pass(to, from) })
	}
}

func (l *link) add(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		return false
	}
	for _, conn := range conns {
		l.conns[conn] = true
	}
	return true
}

// chunk is what arrived at a time.
type chunk struct {
	bytes []byte
	at    time.Time
}

// pass copies one direction, each byte after the delay that holds when it
// arrives.
func (l *link) pass(from, to net.Conn) {
	chunks := make(chan chunk, 1024)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(chunks)
		for {
			buffer := make([]byte, 32<<10)
			n, err := from.Read(buffer)
			if n > 0 {
				chunks <- chunk{buffer[:n], time.Now()}
			}
			if err != nil {
				return
			}
		}
	})
	for c := range chunks {
		l.mu.Lock()
		for l.hangs && !l.cut {
			l.open.Wait()
		}
		wait := l.delay - time.Since(c.at)
		l.mu.Unlock()
		if wait > 0 {
			timer := time.NewTimer(wait)
			<-timer.C
		}
		if _, err := to.Write(c.bytes); err != nil {
			break
		}
	}
	from.Close()
	to.Close()
	for range chunks {
	}
	reading.Wait()
	l.mu.Lock()
	delete(l.conns, from)
	delete(l.conns, to)
	l.mu.Unlock()
}

// set changes the state of the link; a cut closes its connections.
func (l *link) set(cut, hangs bool, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut, l.hangs, l.delay = cut, hangs, delay
	if cut {
		for conn := range l.conns {
			conn.Close()
		}
	}
	l.open.Broadcast()
}

func (l *link) close() {
	l.listener.Close()
	l.set(true, false, 0)
	l.all.Wait()
}
