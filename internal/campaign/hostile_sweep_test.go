//go:build unix

package campaign

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/needs"
)

// digest is the digest of an object as the client library writes it.
func digest(body string) string {
	sum := sha256.Sum256([]byte(body))
	return "SHA-256=" + base64.URLEncoding.EncodeToString(sum[:])
}

// guarded is a server with the accounts of deploy/k8s/nats, and one user
// who may everything.
type guarded struct {
	t   *testing.T
	dir string
	url string
}

// startGuarded starts a nats-server program, or with "" one in this process.
func startGuarded(t *testing.T, program string) *guarded {
	t.Helper()
	g := &guarded{t: t, dir: t.TempDir()}
	config := g.configure()
	if program != "" {
		host, port, err := net.SplitHostPort(needs.FreePorts(t, 1)[0])
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, "-c", config, "-a", host, "-p", port)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		g.url = "nats://" + net.JoinHostPort(host, port)
		await(t, program+" answers", func() bool {
			conn, err := nats.Connect(g.url, nats.UserInfo("all", "all"))
			if err == nil {
				conn.Close()
			}
			return err == nil
		})
		return g
	}
	options, err := server.ProcessConfigFile(config)
	if err != nil {
		t.Fatal(err)
	}
	options.Host, options.Port, options.NoSigs, options.NoLog = "127.0.0.1", server.RANDOM_PORT, true, true
	node, err := server.NewServer(options)
	if err != nil {
		t.Fatal(err)
	}
	node.Start()
	t.Cleanup(func() {
		node.Shutdown()
		node.WaitForShutdown()
	})
	g.url = node.ClientURL()
	if !node.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server is not ready")
	}
	return g
}

// configure writes the configuration of a server with the accounts of deploy/k8s, and the user all.
func (g *guarded) configure() (path string) {
	g.t.Helper()
	for _, name := range []string{"permissions.conf", "accounts.conf"} {
		text, err := os.ReadFile(filepath.Join("../../deploy/k8s/nats", name))
		if err != nil {
			g.t.Fatal(err)
		}
		g.write(name, strings.Replace(string(text), "{user: coordinator,", "{user: all, password: all}\n{user: coordinator,", 1))
	}
	g.write("users.conf", "COORDINATOR_PASSWORD: coordinator\nWORKER_PASSWORD: worker\nVIEWER_PASSWORD: viewer\n")
	return g.write("nats.conf", fmt.Sprintf("include \"accounts.conf\"\njetstream {store_dir: %q}\n", filepath.Join(g.dir, "store")))
}

func (g *guarded) write(name, text string) string {
	g.t.Helper()
	path := filepath.Join(g.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		g.t.Fatal(err)
	}
	return path
}

// connect connects as a user; violations counts what the server refuses.
func (g *guarded) connect(user string, violations *atomic.Int64) *nats.Conn {
	g.t.Helper()
	conn, err := nats.Connect(strings.Replace(g.url, "://", "://"+user+":"+user+"@", 1), nats.CustomInboxPrefix("_INBOX_agepath_"+user),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				violations.Add(1)
			}
		}))
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(conn.Close)
	return conn
}

// program returns a program of a user with arguments.
func (g *guarded) program(name, user string, args ...string) (*exec.Cmd, *logText) {
	g.t.Helper()
	args = append(args, "--nats", g.url, "--user", user, "--password-file", g.write(user+".password", user))
	if user != "coordinator" {
		args = append(args, "--jetstream-domain", "agepath", "--inbox-prefix", "_INBOX_agepath_"+user)
	}
	cmd, log := exec.Command(builtProgram(g.t, name), args...), new(logText)
	cmd.Stdout, cmd.Stderr = log, log
	return cmd, log
}

// must runs a command of the coordinator to its end.
func (g *guarded) must(args ...string) string {
	g.t.Helper()
	cmd, log := g.program("coordinator", "coordinator", args...)
	if err := cmd.Run(); err != nil {
		g.t.Fatalf("%s: %v\n%s", args[0], err, log)
	}
	return log.String()
}

// sweep computes a grid with a coordinator and a worker, while calls meanwhile. It
// returns the most memory that each took.
func (g *guarded) sweep(grid, out string, meanwhile func(running func() bool)) (coordinator, worker int64) {
	t := g.t
	t.Helper()
	w, said := g.program("worker", "worker", "--slots", "1", "--cache", filepath.Join(g.dir, "cache"), "--log-format", "json")
	c, log := g.program("coordinator", "coordinator", "run", grid, "--out", out, "--workers", "0", "--figures", "0", "--ack-wait", "5s")
	for _, cmd := range []*exec.Cmd{w, c} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	coordinatorPeak, workerPeak := watchMemory(c), watchMemory(w)
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() { // does nothing to those that have ended
		_ = c.Process.Kill()
		_ = w.Process.Kill()
	})
	var gone atomic.Bool
	over := make(chan error, 1)
	go func() {
		err := <-ended
		gone.Store(true)
		over <- err
	}()
	meanwhile(func() bool { return !gone.Load() })
	select {
	case err := <-over:
		if err != nil {
			t.Fatalf("the coordinator: %v\n%s", err, log)
		}
	case <-time.After(patienceFor):
		t.Fatalf("the coordinator does not end:\n%s", log)
	}
	_ = w.Process.Signal(syscall.SIGTERM)
	if err := w.Wait(); err != nil {
		t.Errorf("the worker: %v", err)
	}
	for name, text := range map[string]string{"coordinator": log.String(), "worker": said.String()} {
		if strings.Contains(text, "panic") || strings.Contains(text, "goroutine ") {
			t.Errorf("the %s says\n%s", name, text)
		}
	}
	return coordinatorPeak(), workerPeak()
}

// watchMemory reads the peak memory of a process until it ends; the result waits for the end and
// returns the peak in bytes. What wait4 reports is at least what this process had at the fork.
func watchMemory(cmd *exec.Cmd) func() int64 {
	status := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)
	peak := make(chan int64, 1)
	go func() {
		last := int64(0)
		for {
			text, err := os.ReadFile(status)
			_, rest, found := strings.Cut(string(text), "VmHWM:")
			if err != nil || !found { // it has ended
				peak <- last
				return
			}
			if fields := strings.Fields(rest); len(fields) > 0 {
				kilobytes, _ := strconv.ParseInt(fields[0], 10, 64)
				last = max(last, kilobytes<<10)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return func() int64 { return <-peak }
}

// TestHostileMessages publishes messages of each kind, which nobody sends, with
// a worker's credentials while a sweep goes on; those that a worker may not publish,
// the server refuses, and they are published with a coordinator's. At the end every
// cell of the plan has one row with the right numbers, the exit status is 0, and the
// messages are quarantined.
func TestHostileMessages(t *testing.T) {
	needs.Patience(t, "half a minute")
	t.Parallel()
	messages, repeats := 100, 20
	if needs.Long() {
		messages, repeats = 500, 80
	}
	g := startGuarded(t, "")
	path := g.write("grid.yaml", fmt.Sprintf(grid, repeats))
	var violations atomic.Int64
	all := g.connect("all", &violations)
	js, err := jetstream.New(all)
	if err != nil {
		t.Fatal(err)
	}
	calm := filepath.Join(g.dir, "calm")
	calmCoordinator, calmWorker := g.sweep(path, calm, func(func() bool) {})
	want := numbers(t, calm)
	if len(want) != repeats*(20*2+1) {
		t.Fatalf("%d cells, want %d", len(want), repeats*(20*2+1))
	}
	h := &hostile{t: t, random: rand.New(rand.NewPCG(seed(t), 18))}
	if !h.learn(js) {
		t.Fatal("the server has no results")
	}
	g.must("purge", h.run)

	var refused atomic.Int64
	asWorker, asCoordinator := g.connect("worker", &refused), g.connect("coordinator", &violations)
	out, published := filepath.Join(g.dir, "out"), 0
	began := time.Now()
	coordinator, worker := g.sweep(path, out, func(running func() bool) {
		await(t, "the first results are there", func() bool {
			stream, err := js.Stream(t.Context(), "AGEPATH_RESULTS")
			return err == nil && stream.CachedInfo().State.Msgs > 10
		})
		for range messages {
			for _, kind := range kindsOfWorkers {
				h.publish(asWorker, h.next(kind))
				published++
			}
			for _, kind := range kindsOfCoordinators {
				attack := h.next(kind)
				h.publish(asWorker, attack[len(attack)-1:])
				h.publish(asCoordinator, attack)
				published++
			}
			if !running() {
				t.Fatalf("the sweep ended after %d messages", published)
			}
		}
		t.Logf("%d messages were published within %v", published, time.Since(began).Round(time.Millisecond))
	})
	t.Logf("the sweep took %v; coordinator %d MiB, undisturbed %d; worker %d MiB, undisturbed %d",
		time.Since(began).Round(time.Millisecond), coordinator>>20, calmCoordinator>>20, worker>>20, calmWorker>>20)
	if n := refused.Load(); n != int64(2*messages) {
		t.Errorf("the server refused %d messages of the worker's user, want %d", n, 2*messages)
	}
	for name, grown := range map[string]int64{"coordinator": coordinator - calmCoordinator, "worker": worker - calmWorker} {
		if grown > 100<<20 {
			t.Errorf("the %s took %d MiB more than undisturbed", name, grown>>20)
		}
	}
	wantSame(t, numbers(t, out), want)

	if text := g.must("submit", path); !strings.Contains(text, "was damaged at the server and is replaced") {
		t.Errorf("submit prints\n%s", text)
	}
	w, said := g.program("worker", "worker", "--slots", "1", "--drain", "--cache", filepath.Join(g.dir, "cache"))
	if err := w.Run(); err != nil {
		t.Errorf("the worker that drains: %v\n%s", err, said)
	}
	g.must("submit", path) // what came of the last tasks
	collected := filepath.Join(g.dir, "collected")
	g.must("collect", h.run, "--out", collected)
	wantSame(t, numbers(t, collected), want)
	status := g.must("status", h.run)
	count := regexp.MustCompile(`(\d+) messages did not pass and are quarantined`).FindStringSubmatch(status)
	if count == nil {
		t.Fatalf("status prints\n%s", status)
	}
	t.Logf("%s messages are quarantined", count[1])
}

// wantSame wants the rows of an undisturbed run.
func wantSame(t *testing.T, have, want map[string]string) {
	t.Helper()
	wrong := 0
	for cell, row := range want {
		if have[cell] != row {
			if wrong++; wrong <= 3 {
				t.Errorf("cell %s:\n%s\nwant\n%s", cell, have[cell], row)
			}
		}
	}
	if wrong > 0 || len(have) != len(want) {
		t.Errorf("%d rows, %d of %d cells are wrong", len(have), wrong, len(want))
	}
}

// learn keeps some of the results that a server has, and reports whether it has any
// that can be read now.
func (h *hostile) learn(js jetstream.JetStream) bool {
	stream, err := js.Stream(h.t.Context(), "AGEPATH_RESULTS")
	if err != nil {
		return false
	}
	state := stream.CachedInfo().State
	for sequence := state.FirstSeq; sequence <= state.LastSeq && len(h.valid) < 200; sequence += 1 + state.Msgs/200 {
		msg, err := stream.GetMsg(h.t.Context(), sequence)
		if err != nil {
			continue // replaced meanwhile
		}
		o, err := queue.DecodeOutcome(msg.Data)
		if err != nil || !strings.HasSuffix(msg.Subject, "."+o.Run+"."+o.Cell) || len(o.Labels.Columns) == 0 || len(o.Measures.Columns) < 3 || o.Further == nil {
			continue // of an attack before
		}
		h.run = o.Run
		h.valid = append(h.valid, &nats.Msg{Subject: msg.Subject, Header: msg.Header, Data: bytes.Clone(msg.Data)})
	}
	return len(h.valid) > 0
}

// publish publishes the messages of an attack.
func (h *hostile) publish(conn *nats.Conn, attack []*nats.Msg) {
	h.t.Helper()
	for _, msg := range attack {
		if err := conn.PublishMsg(msg); err != nil {
			h.t.Fatalf("publishing %s: %v", msg.Subject, err)
		}
	}
	if err := conn.Flush(); err != nil {
		h.t.Fatal(err)
	}
}

// attack publishes hostile messages, from the results that are there. A server that
// cannot be reached at the moment is spared.
func (d *deployment) attack() {
	d.t.Helper()
	conn, err := nats.Connect("nats://"+strings.Join(d.addresses, ",nats://"), nats.Timeout(time.Second), nats.MaxReconnects(0))
	if err != nil {
		return
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		d.t.Error(err)
		return
	}
	h := &hostile{t: d.t, random: d.random, made: d.attacked}
	if !h.learn(js) {
		return // nothing was computed yet, or no leader is elected
	}
	for range 20 {
		for _, kind := range kindsOfWorkers {
			for _, msg := range h.next(kind) {
				if conn.PublishMsg(msg) == nil {
					d.attacked++
				}
			}
		}
	}
	_ = conn.FlushTimeout(time.Second) // a server that went away has them or not
}

// sift has the hostile messages quarantined that came after the coordinator had
// ended, and the cells computed again whose result they replaced.
func (d *deployment) sift() {
	d.t.Helper()
	for _, s := range d.sweeps {
		submit := exec.Command(builtProgram(d.t, "coordinator"), "submit", s.grid, "--nats", "nats://"+strings.Join(d.addresses, ",nats://"))
		if text, err := submit.CombinedOutput(); err != nil {
			d.t.Errorf("submitting after %d hostile messages: %v\n%s", d.attacked, err, text)
		} else {
			d.t.Logf("after %d hostile messages: %s", d.attacked, text)
		}
	}
}
