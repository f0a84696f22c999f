//go:build unix

package campaign

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/testing/needs"
)

const (
	workers  = 3
	slots    = 2
	diskSize = 32 << 20 // of the small disks
	// maxDeaths is more than the default of 2: with a fault a second some cells lose
	// two workers and are none the worse.
	maxDeaths = "6"
)

// deployment is a cluster of NATS servers, a coordinator for each sweep and workers, each
// of these on a host of its own.
type deployment struct {
	t            *testing.T
	random       *rand.Rand
	nodes        []node
	addresses    []string
	hosts        []*host // of the members
	isolated     *member // what goes on without a network, nil: none
	wasIsolated  bool    // one was
	sweeps       []sweep
	coordinators []*member // of the sweeps
	outs         []string
	workers      []*member
	caches       []string
	noDisks      bool // that fill up
	attacked     int  // hostile messages published
}

// members are the coordinators, then the workers.
func (d *deployment) members() []*member { return slices.Concat(d.coordinators, d.workers) }

// deploy starts everything but the coordinators.
func deploy(t *testing.T, seed uint64, server string, sweeps []sweep) *deployment {
	t.Helper()
	d := &deployment{t: t, sweeps: sweeps, random: rand.New(rand.NewPCG(seed, 0))}
	d.nodes, d.addresses = startCluster(t, server)
	t.Cleanup(func() {
		for _, n := range d.nodes {
			n.stop()
		}
	})
	d.makeHosts()
	for i, s := range sweeps {
		out := filepath.Join(d.smallDisk(), "out")
		d.outs = append(d.outs, out)
		d.coordinators = append(d.coordinators, &member{
			name: "coordinator of " + s.name, path: builtProgram(t, "coordinator"), once: true, host: d.hosts[i].command(),
			args: []string{"run", s.grid, "--nats", d.url(i), "--workers", "0", "--out", out, "--figures", "0", "--replicas", "3", "--ack-wait", ackWait.String()},
		})
	}
	for i := range workers {
		cache, at := d.smallDisk(), len(sweeps)+i
		d.caches = append(d.caches, cache)
		d.workers = append(d.workers, &member{
			name: fmt.Sprintf("worker %d", i), path: builtProgram(t, "worker"), host: d.hosts[at].command(),
			args: []string{"--nats", d.url(at), "--slots", fmt.Sprint(slots), "--cache", cache, "--max-deaths", maxDeaths},
		})
		d.workers[i].launch(t)
		d.workers[i].wantProgram(t)
	}
	return d
}

// makeHosts makes a host for each coordinator and each worker, with links to all nodes.
func (d *deployment) makeHosts() {
	t := d.t
	t.Helper()
	hosts := len(d.sweeps) + workers
	lan, address := hostNetwork(t, hosts), "127.0.0.1"
	if lan != nil {
		address = lan.address.String()
	}
	for i := range hosts {
		h := &host{t: t}
		if lan != nil {
			h.namespace, h.netem = lan.hosts[i], lan.netem
		}
		for _, node := range d.addresses {
			h.links = append(h.links, newLink(t, address, node))
		}
		d.hosts = append(d.hosts, h)
	}
}

func (d *deployment) url(host int) string {
	var urls []string
	for _, l := range d.hosts[host].links {
		urls = append(urls, l.url())
	}
	return strings.Join(urls, ",")
}

func (d *deployment) anyWorker() *member { return d.workers[d.random.IntN(len(d.workers))] }
func (d *deployment) anyCoordinator() *member {
	return d.coordinators[d.random.IntN(len(d.coordinators))]
}
func (d *deployment) anyHost() *host { return d.hosts[d.random.IntN(len(d.hosts))] }

// hit sends a signal to a member. One that is isolated has to live to find out.
func (d *deployment) hit(m *member, s syscall.Signal) {
	if m != d.isolated {
		m.signal(s)
	}
}

// isolate loses all packets of a coordinator's or a worker's host and tells how
// often in that time the process found its connection lost.
func (d *deployment) isolate() (heal func()) {
	at := d.random.IntN(len(d.coordinators))
	if d.random.IntN(2) == 0 {
		at = len(d.coordinators) + d.random.IntN(workers)
	}
	m := d.members()[at]
	d.isolated, d.wasIsolated = m, true
	plug, before := d.hosts[at].lose(), m.lostConnections()
	return func() {
		d.t.Logf("%s found %d connections stale", m.name, m.lostConnections()-before)
		plug()
		d.isolated = nil
	}
}

func (d *deployment) between(least, most time.Duration) time.Duration {
	return least + time.Duration(d.random.Int64N(int64(most-least)))
}

// smallDisk returns a folder on a disk of its own that is soon full. Without the
// right to mount one, no disk fills up in the campaign.
func (d *deployment) smallDisk() string {
	t := d.t
	t.Helper()
	dir, err := needs.SmallDisk(t, diskSize)
	if err != nil {
		needs.Without(t, "no disk fills up: %v", err)
		d.noDisks = true
	}
	return dir
}

// mercyAfter is after which time no more faults happen: on a machine with other
// work the programs would be stopped again before they are where they were.
const mercyAfter = 2 * time.Minute

// bombard lets faults happen in a random order, each as often as the others, until the
// coordinators have ended, and sets everything right again. With AGEPATH_LONG=1 the first one is
// isolation, whose end it waits for.
func (d *deployment) bombard() (happened int) {
	type healing struct {
		heal func()
		at   time.Time
	}
	pending := map[string]healing{}
	heal := func(all bool) {
		for name, h := range pending {
			if all || time.Now().After(h.at) {
				d.t.Logf("over: %s", name)
				h.heal()
				delete(pending, name)
			}
		}
	}
	defer func() { heal(true) }()
	var next []fault
	if needs.Long() {
		next = []fault{faults[slices.IndexFunc(faults, func(f fault) bool { return f.name == isolation })]}
	}
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	began := time.Now()
	due := began.Add(d.between(time.Second, 2*time.Second))
	for range ticker.C {
		heal(false)
		goesOn := slices.ContainsFunc(d.coordinators, (*member).goesOn)
		if !goesOn && d.isolated == nil {
			break
		}
		if !goesOn || time.Now().Before(due) || time.Since(began) > mercyAfter {
			continue
		}
		if len(next) == 0 {
			next = append(next, faults...)
			d.random.Shuffle(len(next), func(i, j int) { next[i], next[j] = next[j], next[i] })
		}
		f := next[0]
		next = next[1:]
		if _, goesOn := pending[f.name]; goesOn || d.noDisks && strings.HasPrefix(f.name, "full disk") || f.name == isolation && (d.wasIsolated || !needs.Long()) {
			continue
		}
		d.t.Logf("fault: %s", f.name)
		undo, after := f.do(d)
		if undo != nil {
			pending[f.name] = healing{undo, time.Now().Add(after)}
		}
		happened++
		due = time.Now().Add(d.between(300*time.Millisecond, 1200*time.Millisecond))
	}
	return happened
}

// leftOver lists the processes that run one of the programs.
func leftOver(t *testing.T, dir string) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	var left []string
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, dir) {
			left = append(left, link)
		}
	}
	return left
}

// shutDown ends the workers in order.
func (d *deployment) shutDown() {
	for _, w := range d.workers {
		w.stop(syscall.SIGCONT)
		w.signal(syscall.SIGTERM)
	}
	for _, w := range d.workers {
		if err := w.await(30 * time.Second); err != nil {
			d.t.Error(err)
			continue
		}
		if code := w.cmd.ProcessState.ExitCode(); code > 0 { // below: it was killed just before
			d.t.Errorf("%s ended with the exit status %d:\n%s", w.name, code, w.log.String())
		}
	}
}
