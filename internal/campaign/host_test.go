//go:build unix

package campaign

import (
	"testing"
	"time"
)

// latency is how long what passes the network of a slow host takes, each way.
const latency = 500 * time.Millisecond

// host is a machine of a deployment. All its connections are links, on a network
// where there can be one. Faults of a host can overlap: each ends with its own.
type host struct {
	t         *testing.T
	links     []*link
	namespace *namespace // nil: its processes are on this machine
	netem     bool

	cuts, losses, delays int // that there are now
}

// command returns what runs a program on the host.
func (h *host) command() []string {
	if h.namespace == nil {
		return nil
	}
	return h.namespace.command()
}

// set makes the links do what the faults of now ask for.
func (h *host) set() {
	by := time.Duration(0)
	if h.delays > 0 && !h.netem {
		by = latency
	}
	for _, l := range h.links {
		l.set(h.cuts > 0, h.losses > 0 && h.namespace == nil, by)
	}
}

// cut closes the host's connections and lets it make none.
func (h *host) cut() (heal func()) {
	h.cuts++
	h.set()
	return func() {
		h.cuts--
		h.set()
	}
}

// lose loses all packets of the host. Without namespaces nothing passes until it
// is over, which looks the same to the programs.
func (h *host) lose() (heal func()) {
	if h.losses++; h.losses == 1 && h.namespace != nil {
		h.must(h.namespace.unplug())
	}
	h.set()
	return func() {
		if h.losses--; h.losses == 0 && h.namespace != nil {
			h.must(h.namespace.plug())
		}
		h.set()
	}
}

// slow delays what passes between the host and the servers.
func (h *host) slow() (heal func()) {
	if h.delays++; h.delays == 1 && h.netem {
		h.must(h.namespace.delay(latency.String()))
	}
	h.set()
	return func() {
		if h.delays--; h.delays == 0 && h.netem {
			h.must(h.namespace.undelay())
		}
		h.set()
	}
}

func (h *host) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Error(err)
	}
}
