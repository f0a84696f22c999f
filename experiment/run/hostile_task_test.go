package run

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/needs"
)

// taskOf returns the task of a cell of the plan.
func (w *wire) taskOf(cell string) experiment.Task {
	w.t.Helper()
	for task, err := range w.plan.Tasks() {
		if err != nil {
			w.t.Fatal(err)
		}
		if task.Cell == cell {
			return task
		}
	}
	w.t.Fatalf("the plan has no cell %s", cell)
	return experiment.Task{}
}

// TestTasksOnTheWire has tasks that are not what they say. A worker that drains the
// queue ends, no cell is computed under another's identity, and a coordinator queues
// the right tasks.
func TestTasksOnTheWire(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "2 s")
	for name, spoil := range map[string]func(*experiment.Task){
		"another α": func(task *experiment.Task) {
			task.Spec = json.RawMessage(strings.Replace(string(task.Spec), `"alpha":0.01`, `"alpha":0.02`, 1))
		},
		"a malformed digest": func(task *experiment.Task) { task.Data = []string{"../../etc/passwd"} },
		"a malformed file":   func(task *experiment.Task) { task.Files = []string{"../../etc/passwd"} },
		"a file too much":    func(task *experiment.Task) { task.Files = []string{strings.Repeat("0", 64)} },
		"another data set":   func(task *experiment.Task) { task.Data = []string{strings.Repeat("0", 64)} },
		"no data set":        func(task *experiment.Task) { task.Data = nil },
		"other needs": func(task *experiment.Task) { // which this worker meets
			task.Needs = slices.DeleteFunc(selfpaced.Kind{}.Abilities(), func(n experiment.Need) bool {
				return n == task.Needs[0] || n.Name == experiment.CommandNeed
			})[:1]
		},
		"no spec":           func(task *experiment.Task) { task.Spec = json.RawMessage(`{}`) },
		"labels of another": func(task *experiment.Task) { task.Labels.Columns[0].Texts[0] = "<script>" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWire(t)
			if err := w.Purge(t.Context(), w.plan.Run); err != nil {
				t.Fatal(err)
			}
			bad := w.taskOf(w.ids[0])
			spoil(&bad)
			publish(t, w.Queue, bad)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			worker := &Worker{Queue: w.Queue, Kinds: []experiment.Kind{selfpaced.Kind{}}, Slots: 1, Drain: true, Idle: 10 * time.Millisecond}
			if err := worker.Run(ctx); err != nil || ctx.Err() != nil {
				t.Fatalf("the worker does not end: %v %v", err, ctx.Err())
			}
			o := outcomesOf(t, w.Queue, w.plan.Run)[w.ids[0]]
			if o == nil || name != "labels of another" && (o.Status != experiment.Failed || !strings.Contains(o.Error, "the task cannot be read")) {
				t.Errorf("the result is %+v", o)
			}
			if name == "a malformed digest" && !strings.Contains(o.Error, "data set: digest") { // it may not reach what opens files
				t.Errorf("the error is %q", o.Error)
			}
			if name == "a malformed file" && !strings.Contains(o.Error, "file of a command: digest") {
				t.Errorf("the error is %q", o.Error)
			}
			c := &Coordinator{Grid: w.grid, Plan: w.plan, Kind: selfpaced.Kind{}, Out: t.TempDir(), Queue: w.Queue, Workers: 1}
			summary, err := c.Run(ctx)
			if err != nil || summary.Failed() != 0 || summary.Quarantined != 1 {
				t.Fatalf("%+v, %v; want no failed cell and one message quarantined", summary, err)
			}
			w.wantRight(c.Out)
		})
	}
}

// TestTaskOfAnotherVersion has a task that only another version computes: this one
// hands it back, uses up no attempt, ends when nothing else is left, and says so.
func TestTaskOfAnotherVersion(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	other := w.taskOf(w.ids[0])
	other.Run, other.Cell = "other", strings.Repeat("0", 32)
	other.Needs = []experiment.Need{{Name: "gaga", Version: 7}}
	older := other // by a coordinator that does not say what it needs
	older.Cell, older.Needs = strings.Repeat("1", 32), nil
	older.Spec = json.RawMessage(strings.Replace(string(older.Spec), `"algorithm":`, `"algorithm":100`, 1))
	publish(t, w.Queue, other, older)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var said []string
	worker := &Worker{Queue: w.Queue, Kinds: []experiment.Kind{selfpaced.Kind{}}, Slots: 1, Drain: true, Idle: 10 * time.Millisecond,
		Report: func(_ string, err error) { said = append(said, err.Error()) }}
	if err := worker.Run(ctx); err != nil || ctx.Err() != nil {
		t.Fatalf("the worker does not end: %v %v", err, ctx.Err())
	}
	if text := strings.Join(said, "\n"); !strings.Contains(text, "1 tasks are left to others: it asks for version 7 of gaga, this agepath computes version") {
		t.Errorf("the worker says\n%s", text)
	}
	counts, err := w.Counts(t.Context(), "other")
	if err != nil || counts != (queue.Counts{InFlight: 2}) {
		t.Errorf("counts %+v, %v; want the two tasks to wait", counts, err)
	}
	d := &Description{Needs: []experiment.Need{{Name: "gaga", Version: 7}, {Name: "acs", Version: 3}}}
	now := time.Now()
	one := queue.Presence{State: queue.Idle, At: now, Computes: []experiment.Need{{Name: "acs", Version: 3}}}
	two := queue.Presence{State: queue.Working, At: now, Computes: []experiment.Need{{Name: "gaga", Version: 7}}}
	if lacks := d.Unable([]queue.Presence{one}, true, now); len(lacks) != 1 || lacks[0].String() != "version 7 of gaga" {
		t.Errorf("no worker for %v, want version 7 of gaga", lacks)
	}
	if lacks := d.Unable([]queue.Presence{one, two}, true, now); lacks != nil {
		t.Errorf("no worker for %v, want none", lacks)
	}
	two.At = now.Add(-queue.LostAfter - time.Second)
	if lacks := d.Unable([]queue.Presence{one, two}, true, now); len(lacks) != 1 {
		t.Errorf("with a lost worker: no worker for %v", lacks)
	}
	if lacks := d.Unable([]queue.Presence{two}, true, now); len(lacks) != 1 || lacks[0].Text != "no worker" {
		t.Errorf("without a worker: %v", lacks)
	}
	d.Needs = []experiment.Need{{Name: experiment.CommandNeed, Version: 1}}
	if with, without := d.Unable([]queue.Presence{one}, true, now), d.Unable([]queue.Presence{one}, false, now); len(with) != 1 || without != nil {
		t.Errorf("with cells of commands left %v, without %v", with, without)
	}
}

// TestDamagedDataSet flips a byte of a data set at the server. Workers hand its cells
// back and end when nothing else is left; submitting again replaces the data set, and
// a coordinator does while it gathers.
func TestDamagedDataSet(t *testing.T) {
	t.Parallel()
	for name, process := range map[string]bool{"in the worker": false, "in processes": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWire(t)
			if err := w.Purge(t.Context(), w.plan.Run); err != nil {
				t.Fatal(err)
			}
			digest := w.plan.Data[0].Digest
			w.damage(digest)
			tasks := []experiment.Task{w.taskOf(w.ids[0]), w.taskOf(w.ids[1])}
			publish(t, w.Queue, tasks...)
			worker := &Worker{Queue: w.Queue, Kinds: []experiment.Kind{selfpaced.Kind{}}, Slots: 1, Drain: true, Idle: 10 * time.Millisecond}
			if process {
				worker.Process, worker.Cache = slotProcess, t.TempDir()
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := worker.Run(ctx); err != nil || ctx.Err() != nil {
				t.Fatalf("the worker does not end: %v %v", err, ctx.Err())
			}
			if counts, err := w.Counts(t.Context(), w.plan.Run); err != nil || counts != (queue.Counts{InFlight: 2}) {
				t.Errorf("counts %+v, %v; want no result", counts, err)
			}
			if s := w.submit(); len(s.Replaced) != 1 {
				t.Errorf("submitted %+v, want the data set replaced", s)
			}
			set, err := fetchDataset(t.Context(), w.Queue, digest)
			if err != nil || set.Digest() != digest {
				t.Errorf("the data set at the server: %v", err)
			}
			if s := w.submit(); len(s.Replaced) != 0 {
				t.Errorf("submitted again %+v, want nothing replaced", s)
			}
		})
	}
}

// damage stores a data set with a byte flipped under its digest.
func (w *wire) damage(digest string) {
	w.t.Helper()
	body, err := w.Data(w.t.Context(), digest)
	if err != nil {
		w.t.Fatal(err)
	}
	defer body.Close()
	whole := new(strings.Builder)
	buffer := make([]byte, 1<<20)
	for err == nil {
		var n int
		n, err = body.Read(buffer)
		whole.Write(buffer[:n])
	}
	bytes := []byte(whole.String())
	bytes[len(bytes)/2] ^= 1
	if err := w.PutData(w.t.Context(), digest, strings.NewReader(string(bytes))); err != nil {
		w.t.Fatal(err)
	}
}

// TestDamageIsMendedMeanwhile has a worker that says that it found the data set
// damaged: a coordinator that gathers replaces it.
func TestDamageIsMendedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	digest := w.plan.Data[0].Digest
	w.damage(digest)
	if _, err := fetchDataset(t.Context(), w.Queue, digest); !errors.As(err, new(*queue.DamagedError)) {
		t.Fatalf("the data set: %v, want it damaged", err)
	}
	if err := w.Announce(&queue.Presence{Name: "w", State: queue.Idle, At: time.Now(), Damaged: []string{digest}}); err != nil {
		t.Fatal(err)
	}
	c := &Coordinator{Grid: w.grid, Plan: w.plan, Kind: selfpaced.Kind{}, Out: t.TempDir(), Queue: w.Queue}
	g, err := c.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer g.store.Close()
	for range 100 { // the announcement is not confirmed
		if err := g.hearWorkers(t.Context(), w.Queue, w.plan.Run); err != nil {
			t.Fatal(err)
		}
		if _, err = fetchDataset(t.Context(), w.Queue, digest); err == nil {
			return
		}
	}
	t.Errorf("the data set: %v", err)
}

// TestWorkersOnTheWire has messages in the workers' place that are none of a worker.
func TestWorkersOnTheWire(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	if err := w.Purge(t.Context(), w.plan.Run); err != nil {
		t.Fatal(err)
	}
	for subject, body := range map[string]string{
		"a": `no JSON`, "b": `{"name":"b","state":"working","slots":-1}`, "c": `{"name":"c","state":"fine"}`,
		"d": `{"name":"other","state":"idle"}`, "e": `{"name":"e","state":"idle","slots":9000000000000000000}`,
		"f": `{"name":"f","state":"idle","running":[{"run":"\u001b[31m","cell":"x"}]}`,
		"g": `{"name":"g","state":"idle","version":"` + strings.Repeat("x", 300<<10) + `"}`,
		"i": `{"name":"i","state":"idle","done":-9}`,
	} {
		w.say("agepath.worker."+subject, nil, []byte(body))
	}
	w.say("agepath.worker.h", nil, []byte(`{"name":"h","state":"idle","at":"2026-01-01T00:00:00Z","trouble":"no\u001b[2Jroom"}`))
	list, refused, err := w.Workers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, p := range list {
		if p.Name != "h" {
			continue // of the worker that computed
		}
		names += p.Name
		if strings.ContainsRune(p.Trouble, '\x1b') {
			t.Errorf("its trouble is %q", p.Trouble)
		}
	}
	if names != "h" || refused != 8 {
		t.Errorf("workers %+v, %d refused; want h, and 8 refused", list, refused)
	}
}

// TestDescriptionOnTheWire has descriptions that no coordinator writes; submitting
// replaces each.
func TestDescriptionOnTheWire(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	w := newWire(t)
	for _, text := range []string{
		`no JSON`, `{}`, `{"run":"other"}`, `{"run":"` + w.plan.Run + `","cells":-5}`, `{"run":"` + w.plan.Run + `","parts":[{"cells":-5}]}`,
		`{"run":"` + w.plan.Run + `","data":{"x":"../y"}}`,
	} {
		if err := w.PutData(t.Context(), w.plan.Run, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := Describe(t.Context(), w.Queue, w.plan.Run); !errors.As(err, new(*queue.DamagedError)) {
			t.Errorf("%s: %v, want it damaged", text, err)
		}
		if s := w.submit(); len(s.Replaced) != 1 {
			t.Errorf("%s: submitted %+v, want the description replaced", text, s)
		}
		if _, err := Describe(t.Context(), w.Queue, w.plan.Run); err != nil {
			t.Errorf("%s: afterwards %v", text, err)
		}
	}
}
