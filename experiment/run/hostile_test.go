package run

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
	"github.com/agepath/agepath/results"
)

// wire is a server with a run that was computed, and a connection that says what
// it likes.
type wire struct {
	*queue.Queue
	t    *testing.T
	conn *nats.Conn
	grid *experiment.Grid
	plan *experiment.Plan
	ids  []string
	good map[string]*experiment.Outcome // as the worker stored them
}

// newWire has all cells computed and gathers none.
func newWire(t *testing.T) *wire {
	t.Helper()
	server := testqueue.Server(t, "127.0.0.1:0")
	q := testqueue.Connect(t, queue.Config{Server: server, Report: func(err error) { t.Log(err) }})
	conn, err := nats.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	w := &wire{Queue: q, t: t, conn: conn}
	w.grid, w.plan = plan(t)
	for id := range w.plan.IDs() {
		w.ids = append(w.ids, id)
	}
	w.submit()
	w.work()
	w.good = outcomesOf(t, q, w.plan.Run)
	if len(w.good) != len(w.ids) {
		t.Fatalf("%d of %d cells were computed", len(w.good), len(w.ids))
	}
	return w
}

func (w *wire) submit() *Submitted {
	w.t.Helper()
	s, err := Submit(w.t.Context(), w.Queue, w.grid, w.plan, Reuse{})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// work computes what is queued.
func (w *wire) work() {
	w.t.Helper()
	worker := &Worker{Queue: w.Queue, Kinds: []experiment.Kind{selfpaced.Kind{}}, Slots: 1, Drain: true, Idle: 10 * time.Millisecond}
	if err := worker.Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// say stores a message as a worker would.
func (w *wire) say(subject string, header map[string]string, body []byte) {
	w.t.Helper()
	msg := nats.NewMsg(subject)
	msg.Data = body
	for key, value := range header {
		msg.Header[key] = []string{value}
	}
	if answer, err := w.conn.RequestMsg(msg, 5*time.Second); err != nil || strings.Contains(string(answer.Data), `"error"`) {
		w.t.Fatalf("storing %s: %v", subject, err)
	}
}

// sayOutcome stores an outcome as the result of a cell.
func (w *wire) sayOutcome(cell string, o *experiment.Outcome) {
	w.t.Helper()
	body, err := queue.EncodeOutcome(o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.say("agepath.result."+w.plan.Run+"."+cell, map[string]string{"Agepath-Status": string(o.Status), "Agepath-Task": "0"}, body)
}

// wantRight wants a folder to have one row for each cell with the numbers that the
// worker stored first.
func (w *wire) wantRight(dir string) {
	w.t.Helper()
	cells, err := results.ReadTable(dir+"/cells.arrow", "cell", "dataset", "test_at_end", "status")
	if err != nil {
		w.t.Fatal(err)
	}
	if cells.Rows() != len(w.ids) {
		w.t.Errorf("%d rows for %d cells", cells.Rows(), len(w.ids))
	}
	measures := selfpaced.Tables().Measures
	at := 0
	for measures[at].Name != "test_at_end" {
		at++
	}
	for row := range cells.Rows() {
		id := cells.At(0, row).(string)
		good := w.good[id]
		if good == nil {
			w.t.Errorf("cell %s is none of the plan", id)
			continue
		}
		if cells.At(1, row) != "diabetes" || cells.At(2, row) != good.Measures.Columns[at].Floats[0] || cells.At(3, row) != "ok" {
			w.t.Errorf("cell %s: %v %v %v", id, cells.At(1, row), cells.At(2, row), cells.At(3, row))
		}
	}
}

// changed returns a copy of an outcome, which change changes.
func changed(t *testing.T, o *experiment.Outcome, change func(*experiment.Outcome)) *experiment.Outcome {
	t.Helper()
	body, err := queue.EncodeOutcome(o)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := queue.DecodeOutcome(body)
	if err != nil {
		t.Fatal(err)
	}
	change(copied)
	return copied
}

// unfollowed is a stray whose cell counts as not computed, before it is read.
const unfollowed = "a number that nobody can follow"

// strays are outcomes that a run must not take, said in place of a cell's own.
var strays = map[string]func(w *wire, cell string){
	"a body that is none": func(w *wire, cell string) {
		w.say("agepath.result."+w.plan.Run+"."+cell, map[string]string{"Agepath-Status": "ok", "Agepath-Task": "0"}, []byte("no outcome"))
	},
	"another cell's body": func(w *wire, cell string) {
		for id, o := range w.good {
			if id != cell {
				w.sayOutcome(cell, o)
				return
			}
		}
	},
	"a data set by another name": func(w *wire, cell string) {
		w.sayOutcome(cell, changed(w.t, w.good[cell], func(o *experiment.Outcome) { o.Labels.Columns[0].Texts[0] = "<script>" }))
	},
	"a measure that is not a number": func(w *wire, cell string) {
		w.sayOutcome(cell, changed(w.t, w.good[cell], func(o *experiment.Outcome) {
			for j := range o.Measures.Columns {
				if len(o.Measures.Columns[j].Floats) == 1 {
					o.Measures.Columns[j].Floats[0] = math.NaN()
				}
			}
		}))
	},
	"a knot at infinity": func(w *wire, cell string) {
		w.sayOutcome(cell, changed(w.t, w.good[cell], func(o *experiment.Outcome) {
			knots := selfpaced.Tables().Further[0].Columns[1:]
			objective := &o.Further["knots"].Columns[slices.Index(experiment.Names(knots), "objective")]
			objective.Floats[0], objective.Null = math.Inf(1), nil
		}))
	},
	"no knots": func(w *wire, cell string) {
		w.sayOutcome(cell, changed(w.t, w.good[cell], func(o *experiment.Outcome) { o.Further = nil }))
	},
	"an unknown status": func(w *wire, cell string) {
		w.sayOutcome(cell, changed(w.t, w.good[cell], func(o *experiment.Outcome) { o.Status = "fine" }))
	},
	"a status that is not the header's": func(w *wire, cell string) {
		body, err := queue.EncodeOutcome(w.good[cell])
		if err != nil {
			w.t.Fatal(err)
		}
		w.say("agepath.result."+w.plan.Run+"."+cell, map[string]string{"Agepath-Status": "failed", "Agepath-Task": "0"}, body)
	},
	unfollowed: func(w *wire, cell string) {
		body, err := queue.EncodeOutcome(w.good[cell])
		if err != nil {
			w.t.Fatal(err)
		}
		w.say("agepath.result."+w.plan.Run+"."+cell, map[string]string{"Agepath-Status": "ok", "Agepath-Task": fmt.Sprint(uint64(math.MaxUint64))}, body)
	},
	"a negative time": func(w *wire, cell string) {
		w.sayOutcome(cell, changed(w.t, w.good[cell], func(o *experiment.Outcome) { o.Wall = -1 }))
	},
	"a large outcome that is not there": func(w *wire, cell string) {
		w.say("agepath.result."+w.plan.Run+"."+cell, map[string]string{"Agepath-Status": "ok", "Agepath-Task": "0", "Agepath-Object": w.plan.Run + "." + cell + ".x"}, nil)
	},
}

// TestStraysAreComputedAgain has each kind of stray outcome in place of a cell's
// own, and one beside: the run ends with every cell of the plan and no other, with
// the numbers that a worker computes, and the strays are quarantined.
func TestStraysAreComputedAgain(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "3 s")
	for name, stray := range strays {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWire(t)
			stray(w, w.ids[0])
			foreign := strings.Repeat("0", 32)
			w.sayOutcome(foreign, changed(t, w.good[w.ids[1]], func(o *experiment.Outcome) { o.Cell = foreign }))
			w.sayOutcome(strings.ToUpper(w.ids[2]), changed(t, w.good[w.ids[2]], func(o *experiment.Outcome) { o.Cell = strings.ToUpper(o.Cell) }))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			c := &Coordinator{Grid: w.grid, Plan: w.plan, Kind: selfpaced.Kind{}, Out: t.TempDir(), Queue: w.Queue, Workers: 1, Report: func(err error) { t.Log(err) }}
			summary, err := c.Run(ctx)
			if err != nil {
				t.Fatal(err)
			}
			w.wantRight(c.Out)
			want := 3
			if name == unfollowed && summary.Quarantined == 2 {
				want = 2 // the cell's new result took the stray's place before that was read
			}
			if int(summary.Quarantined) != want || summary.Failed() != 0 {
				t.Errorf("summary %+v, want %d messages quarantined", summary, want)
			}
			counts, err := w.Counts(t.Context(), w.plan.Run)
			if err != nil || counts.Quarantined != want || counts.Done != len(w.ids) {
				t.Errorf("counts %+v, %v", counts, err)
			}
		})
	}
}

// TestCollectPassesStrays collects where results cannot be taken: the others are
// gathered, and the cells of these are queued again, once.
func TestCollectPassesStrays(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	strays["a body that is none"](w, w.ids[0])
	strays["another cell's body"](w, w.ids[1])
	foreign := strings.Repeat("0", 32)
	w.sayOutcome(foreign, changed(t, w.good[w.ids[1]], func(o *experiment.Outcome) { o.Cell = foreign }))
	dir := t.TempDir()
	collected, err := Collect(t.Context(), w.Queue, w.plan.Run, dir, "v", results.ZSTD)
	if err != nil {
		t.Fatal(err)
	}
	if n := collected.Counts[experiment.OK]; n != len(w.ids)-2 || collected.Quarantined != 3 || collected.Again != 2 {
		t.Errorf("collected %+v of %d cells, want all but 2, which are queued again, and 3 messages quarantined", collected, len(w.ids))
	}
	w.work()
	if collected, err = Collect(t.Context(), w.Queue, w.plan.Run, dir, "v", results.ZSTD); err != nil || collected.Quarantined != 0 {
		t.Errorf("collected %+v, %v; want nothing quarantined", collected, err)
	}
	w.wantRight(dir)
}

// TestStraysAreNoResults submits and retries a run with results that cannot be
// taken: their cells are queued.
func TestStraysAreNoResults(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	strays["a body that is none"](w, w.ids[0])
	if s := w.submit(); s.Published != 1 || s.Quarantined != 1 {
		t.Errorf("submitted %+v, want one cell queued and one message quarantined", s)
	}
	w.work()
	strays["a status that is not the header's"](w, w.ids[1])
	strays["a body that is none"](w, w.ids[2])
	s, err := Retry(t.Context(), w.Queue, w.plan.Run, []experiment.Status{experiment.Failed}, nil)
	if err != nil || s.Published != 2 || s.Quarantined != 2 {
		t.Errorf("retried %+v, %v; want two cells queued and two messages quarantined", s, err)
	}
	w.work()
	if s := w.submit(); s.Published != 0 || s.Quarantined != 0 {
		t.Errorf("submitted again %+v, want nothing to do", s)
	}
}

// TestStrayDeadLetter has dead letters that nobody wrote: they change nothing.
func TestStrayDeadLetter(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	w.say("agepath.dead."+w.plan.Run+"."+w.ids[0], nil, []byte("no task"))
	now := time.Now().UTC().Format(time.RFC3339Nano)
	foreign := strings.Repeat("0", 32)
	w.say("agepath.dead."+w.plan.Run+"."+foreign, map[string]string{"Agepath-Time": now, "Agepath-Task": "0", "Agepath-Deliveries": "1"}, nil)
	dir := t.TempDir()
	collected, err := Collect(t.Context(), w.Queue, w.plan.Run, dir, "v", results.ZSTD)
	if err != nil || collected.Quarantined != 0 {
		t.Errorf("collected %+v, %v; want no message quarantined", collected, err)
	}
	w.wantRight(dir)
}

// TestCellOfStraysFails has the result of a cell spoilt each time that it comes: the
// run ends, and the cell's row says why.
func TestCellOfStraysFails(t *testing.T) {
	needs.Patience(t, "6 s")
	t.Parallel()
	w := newWire(t)
	spoil := &spoiler{cell: w.ids[0]}
	w.say("agepath.result."+w.plan.Run+"."+w.ids[0], map[string]string{"Agepath-Status": "ok", "Agepath-Task": "0"}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	worker := &Worker{Queue: w.Queue, Kinds: []experiment.Kind{spoil}, Slots: 1, Idle: 10 * time.Millisecond}
	ended := make(chan error, 1)
	go func() { ended <- worker.Run(ctx) }()
	c := &Coordinator{Grid: w.grid, Plan: w.plan, Kind: selfpaced.Kind{}, Out: t.TempDir(), Queue: w.Queue}
	summary, err := c.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if summary.Counts[experiment.Failed] != 1 || summary.Quarantined != mostAgain+1 {
		t.Errorf("summary %+v, want one cell failed and %d messages quarantined", summary, mostAgain+1)
	}
	kind, err := experiment.Named(selfpaced.Name)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := storedOutcome(t.Context(), c.Out, kind, w.ids[0])
	if err != nil || !strings.Contains(stored.Error, "quarantined") {
		t.Fatalf("the row says %+v, %v", stored, err)
	}
	for task := range w.plan.Tasks() {
		if got, want := kind.Describe(&stored.Labels), kind.Describe(&task.Labels); task.Cell == w.ids[0] && got != want {
			t.Errorf("the row is of %s, the cell is %s", got, want)
		}
	}
}

// spoiler computes a cell without its knots.
type spoiler struct {
	selfpaced.Kind
	cell string
}

func (s *spoiler) Compute(ctx context.Context, task *experiment.Task, data experiment.Data) (experiment.Batch, map[string]experiment.Batch, error) {
	measures, further, err := s.Kind.Compute(ctx, task, data)
	if task.Cell == s.cell {
		further = nil
	}
	return measures, further, err
}
