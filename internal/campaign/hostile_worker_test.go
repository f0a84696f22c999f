//go:build unix

package campaign

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/needs"
)

// hostileWorker is a worker's user who was taken over.
type hostileWorker struct {
	*hostile
	conn *nats.Conn
	js   jetstream.JetStream
}

// store sends an outcome as the result of a cell.
func (h *hostileWorker) store(run, cell string, o *experiment.Outcome) {
	h.t.Helper()
	options := cbor.CoreDetEncOptions() // in which each year can be written
	options.Time = cbor.TimeUnix
	mode, err := options.EncMode()
	if err != nil {
		h.t.Fatal(err)
	}
	body, err := mode.Marshal(o)
	if err != nil {
		h.t.Fatal(err)
	}
	h.send("agepath.result."+run+"."+cell, string(body), nats.Header{"Agepath-Status": {string(o.Status)}, "Agepath-Task": {"0"}})
}

func (h *hostileWorker) send(subject, body string, header nats.Header) {
	h.t.Helper()
	if err := h.conn.PublishMsg(message(subject, body, header)); err != nil {
		h.t.Fatal(err)
	}
}

// copyOf returns the outcome of a valid result.
func (h *hostileWorker) copyOf() *experiment.Outcome {
	h.t.Helper()
	o, err := queue.DecodeOutcome(pick(h.hostile, h.valid).Data)
	if err != nil {
		h.t.Fatal(err)
	}
	o.Status = experiment.OK
	return o
}

// rollup asks each stream to remove what it has, and wants that refused.
func (h *hostileWorker) rollup() {
	h.t.Helper()
	for _, subject := range []string{
		"agepath.result." + h.run + ".x", "agepath.attempt." + h.run + ".x", "agepath.dead." + h.run + ".x", "agepath.worker.x",
		"$O.AGEPATH_OUTCOMES.C.x", "$O.AGEPATH_OUTCOMES.M.x",
	} {
		for _, how := range []string{"all", "sub"} {
			_, err := h.js.PublishMsg(h.t.Context(), message(subject, "", nats.Header{"Nats-Rollup": {how}}))
			if err == nil || !strings.Contains(err.Error(), "rollup not permitted") {
				h.t.Errorf("%s, rollup %s: %v", subject, how, err)
			}
		}
	}
}

// settle says of all tasks, which are others', that they are done, given up, or to be
// delivered in an hour, and takes five without computing them.
func (h *hostileWorker) settle() {
	h.t.Helper()
	if err := h.conn.PublishRequest("$JS.agepath.API.CONSUMER.MSG.NEXT.AGEPATH_TASKS."+h.run, "_INBOX_agepath_worker.hostile", []byte(`{"batch":5,"no_wait":true}`)); err != nil {
		h.t.Fatal(err)
	}
	for _, word := range []string{`-NAK {"delay": 3600000000000}`, "+ACK", "+TERM"} {
		for sequence := range 5000 {
			h.send(fmt.Sprintf("$JS.ACK.AGEPATH_TASKS.%s.1.%d.%d.%d.5", h.run, sequence, sequence, time.Now().UnixNano()), word, nil)
		}
	}
	if err := h.conn.Flush(); err != nil {
		h.t.Fatal(err)
	}
}

// attack does everything but the flood of strays. other is a run of the same data, whose
// results the attacked one takes where the other plans its cells: it does not.
func (h *hostileWorker) attack(other string, large, ghosts int) {
	h.t.Helper()
	h.rollup()
	for i := range 100 { // no descriptions of objects
		h.send(fmt.Sprintf("$O.AGEPATH_OUTCOMES.M.junk%d", i), "no description", nil)
	}
	for i := range 50 {
		o := h.copyOf()
		o.Started, o.Finished = time.Date(10_000+i, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(20_000+i, 1, 1, 0, 0, 0, 0, time.UTC)
		h.store(h.run, o.Cell, o)
	}
	for i := range large {
		o := h.copyOf()
		o.Labels.Columns[0].Texts[0] = strings.Repeat("L", 200<<10) + fmt.Sprint(i)
		h.store(h.run, o.Cell, o)
	}
	for i := range ghosts {
		name := fmt.Sprintf("ghost%d", i)
		body, err := json.Marshal(queue.Presence{Name: name, State: queue.Working, Slots: 1, At: time.Now(), Trouble: strings.Repeat("t", 30<<10)})
		if err != nil {
			h.t.Fatal(err)
		}
		h.send("agepath.worker."+name, string(body), nil)
	}
	for range 100 {
		o := h.copyOf()
		cell := o.Cell
		h.store(other, cell, o) // of this run
		for j := range o.Measures.Columns {
			for k := range o.Measures.Columns[j].Floats {
				o.Measures.Columns[j].Floats[k] *= 0.5
			}
		}
		o.Run = other
		h.store(other, cell, o)
	}
	if err := h.conn.Flush(); err != nil {
		h.t.Fatal(err)
	}
}

// strays stores results of cells that no plan has.
func (h *hostileWorker) strays(n int) {
	h.t.Helper()
	base := pick(h.hostile, h.valid)
	for range n {
		h.send("agepath.result."+h.run+"."+h.foreign(), string(base.Data), base.Header)
	}
	if err := h.conn.Flush(); err != nil {
		h.t.Fatal(err)
	}
}

// page is a serving coordinator.
type page struct {
	cmd     *exec.Cmd
	log     *logText
	address string
	peak    func() int64
}

func (g *guarded) serve() *page {
	g.t.Helper()
	p := &page{}
	p.cmd, p.log = g.program("coordinator", "viewer", "serve", "--listen", "127.0.0.1:0", "--inbox-prefix", "_INBOX_agepath_viewer")
	if err := p.cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	p.peak = watchMemory(p.cmd)
	g.t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	await(g.t, "serve says its address", func() bool {
		p.address = regexp.MustCompile(`http://\S+/`).FindString(p.log.String())
		return p.address != ""
	})
	return p
}

// stop ends it and returns the most memory that it took.
func (p *page) stop(t *testing.T) int64 {
	t.Helper()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("serve: %v\n%s", err, p.log)
	}
	return p.peak()
}

// standing is what status and the page say of a run.
type standing struct {
	Cells, OK, Failed, Strays, Ended int64
	Phase                            string
	Reading                          bool
}

// run returns what the page says of a run, half a second later: answers take megabytes.
func (p *page) run(t *testing.T, name string) (s standing) {
	t.Helper()
	time.Sleep(500 * time.Millisecond)
	response, err := http.Get(p.address + "state.json?run=" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var state struct {
		Run *struct {
			Name string
			standing
			Statuses map[string]int64
		}
	}
	if err := json.Unmarshal(body, &state); err != nil {
		t.Fatalf("%v in %.200s", err, body)
	}
	if state.Run == nil || state.Run.Name != name {
		return s
	}
	s = state.Run.standing
	for _, n := range state.Run.Statuses {
		s.Ended += n
	}
	return s
}

// status returns what status says of a run.
func (g *guarded) status(name string) (s standing) {
	g.t.Helper()
	text := g.must("status", name, "--json")
	var status struct {
		Runs []struct {
			State    string
			Cells    int64
			Statuses map[string]int64
			Strays   int64
		}
	}
	if err := json.Unmarshal([]byte(text[strings.IndexByte(text, '{'):]), &status); err != nil || len(status.Runs) != 1 {
		g.t.Fatalf("%v in\n%s", err, text)
	}
	r := status.Runs[0]
	s = standing{Cells: r.Cells, OK: r.Statuses["ok"], Strays: r.Strays, Phase: r.State}
	for _, n := range r.Statuses {
		s.Ended += n
	}
	return s
}

// TestHostileWorker has a worker's user attack a run and those who watch it in each way that
// its permissions leave. The run ends with the right numbers, status and serve are true, and
// serve takes at most 200 MB more than with an undisturbed run. With AGEPATH_LONG=1 the attack
// is larger, and a server of another version is attacked too.
func TestHostileWorker(t *testing.T) {
	needs.Patience(t, "half a minute")
	t.Parallel()
	hostileRun(t, startGuarded(t, ""))
	if needs.Long() {
		hostileRun(t, startGuarded(t, needs.Program(t, "a server of another version", "nats-server", "/usr/sbin/nats-server")))
	}
}

func hostileRun(t *testing.T, g *guarded) {
	repeats, large, ghosts, strays := 12, 60, 500, 500
	if needs.Long() {
		repeats, large, ghosts, strays = 60, 3000, 2000, 100_000
	}
	cells := int64(repeats * (20*2 + 1))
	path := g.write("grid.yaml", fmt.Sprintf(grid, repeats))
	few := g.write("few.yaml", strings.Replace(fmt.Sprintf(grid, 1), "name: paths", "name: few\nseed: 7", 1))
	var violations, refused atomic.Int64
	js, err := jetstream.New(g.connect("all", &violations))
	if err != nil {
		t.Fatal(err)
	}
	calm := g.serve()
	g.sweep(path, filepath.Join(g.dir, "calm"), func(func() bool) {})
	want := numbers(t, filepath.Join(g.dir, "calm"))
	h := &hostileWorker{hostile: &hostile{t: t, random: rand.New(rand.NewPCG(seed(t), 39))}, conn: g.connect("worker", &refused)}
	if h.js, err = jetstream.NewWithDomain(h.conn, "agepath", jetstream.WithDefaultTimeout(5*time.Second)); err != nil {
		t.Fatal(err)
	}
	if !h.learn(js) {
		t.Fatal("the server has no results")
	}
	await(t, "the page of the undisturbed run", func() bool { return calm.run(t, h.run).OK == cells })
	undisturbed := calm.stop(t)
	g.must("purge", h.run)
	other := regexp.MustCompile(`few-\w+`).FindString(g.must("submit", few))

	watched, began := g.serve(), time.Now()
	out := filepath.Join(g.dir, "out")
	g.sweep(path, out, func(running func() bool) {
		await(t, "the first results are there", func() bool {
			stream, err := js.Stream(t.Context(), "AGEPATH_RESULTS")
			if err != nil {
				t.Fatal(err)
			}
			info, err := stream.Info(t.Context(), jetstream.WithSubjectFilter("agepath.result."+h.run+".*"))
			return err == nil && len(info.State.Subjects) > 10
		})
		began = time.Now()
		h.settle() // the run waits for what is lost by that
		if !running() {
			t.Error("the run ended before its tasks were taken from it")
		}
		h.attack(other, large, ghosts)
		t.Logf("the attack took %v; the run went on: %v", time.Since(began).Round(time.Millisecond), running())
	})
	t.Logf("the run ended %v after its beginning", time.Since(began).Round(time.Millisecond))
	wantSame(t, numbers(t, out), want)
	// The server lost results that were replaced after the run had taken them.
	g.must("submit", path)
	w, log := g.program("worker", "worker", "--slots", "1", "--drain", "--cache", filepath.Join(g.dir, "cache"))
	if err := w.Run(); err != nil {
		t.Errorf("the worker that drains: %v\n%s", err, log)
	}
	collected := filepath.Join(g.dir, "collected")
	g.must("collect", h.run, "--out", collected)
	wantSame(t, numbers(t, collected), want)
	h.strays(strays)
	said := g.status(h.run)
	if said.Cells != cells || said.Ended != cells || said.OK != cells || said.Phase != "finished" || said.Strays != int64(strays) {
		t.Errorf("status says %+v", said)
	}
	await(t, "the page shows the run", func() bool {
		shown := watched.run(t, h.run)
		return !shown.Reading && shown.Cells == cells && shown.OK == cells && shown.Ended == cells && shown.Phase == "finished" && shown.Strays == int64(strays)
	})
	if text := g.must("status", h.run); !strings.Contains(text, fmt.Sprintf("%d results are of cells that the run does not have", strays)) {
		t.Errorf("status prints\n%s", text)
	}
	peak := watched.stop(t)
	t.Logf("%d cells, %d labels of 200 kB, %d ghosts, %d strays; serve took %d MB, undisturbed %d", cells, large, ghosts, strays, peak/1e6, undisturbed/1e6)
	if peak-undisturbed > 200e6 {
		t.Errorf("serve took %d MB, undisturbed %d", peak/1e6, undisturbed/1e6)
	}
	if text := g.must("purge", h.run, "--uncollected"); !strings.Contains(text, h.run) {
		t.Errorf("purge prints\n%s", text)
	}
}
