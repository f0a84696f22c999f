package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/needs"
)

// computeTogether publishes cells of the given specs, pulls them at a time and has
// them computed by one process.
func computeTogether(t *testing.T, q *queue.Queue, specs []string, limits experiment.Limits) {
	t.Helper()
	var tasks []experiment.Task
	for i, spec := range specs {
		tasks = append(tasks, task(fmt.Sprintf("c%02d", i), spec, limits))
	}
	publish(t, q, tasks...)
	w := &Worker{
		Queue: q, Process: slotProcess, Cache: t.TempDir(), Name: "w1", Slots: 1,
		Report: wantFailuresAlone(t),
	}
	if err := w.defaults(); err != nil {
		t.Fatal(err)
	}
	puller, err := q.Worker(queue.WorkerConfig{Drain: true})
	if err != nil {
		t.Fatal(err)
	}
	defer puller.Close()
	w.puller, w.settling = puller, t.Context()
	computers, err := w.computers()
	if err != nil {
		t.Fatal(err)
	}
	defer computers[0].close()
	list, err := puller.Batches().Pull(t.Context(), len(specs))
	if err != nil || len(list) != len(specs) {
		t.Fatalf("%d tasks, error %v", len(list), err)
	}
	s := &shift{worker: w, slotStatus: newSlotStatus(w), ctx: t.Context()}
	computers[0].compute(t.Context(), list, s)
	s.flush()
}

// computeRest computes what is queued.
func computeRest(t *testing.T, q *queue.Queue) {
	t.Helper()
	w := &Worker{Queue: q, Process: slotProcess, Cache: t.TempDir(), Slots: 1, Drain: true}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestTogether has cells that do their worst among others that were pulled together.
func TestTogether(t *testing.T) {
	t.Parallel()
	specs := []string{"fine", "fine", "exit", "fine", "nan", "fine", "panic elsewhere", "panic", "allocate", "fine", "exit"}
	want := map[string]string{
		"fine": "ok", "exit": "failed: computing this cell ended its process", "nan": "diverged: answer is NaN",
		"panic elsewhere": "failed: computing this cell ended its process", "panic": "failed: panic: out of luck", "allocate": "memory: it took",
	}
	q := startQueue(t)
	computeTogether(t, q, specs, experiment.Limits{Timeout: 20 * time.Second, Memory: 256 << 20, Attempts: 1})
	computeRest(t, q) // on a slow machine some are handed back
	list := outcomes(t, q)
	for i, spec := range specs {
		o := list[fmt.Sprintf("c%02d", i)]
		if o == nil {
			t.Errorf("%d, %s: no outcome", i, spec)
			continue
		}
		if got := string(o.Status) + ": " + o.Error; !strings.HasPrefix(got, want[spec]) || o.Attempts != 1 {
			t.Errorf("%d, %s: %s in attempt %d", i, spec, got, o.Attempts)
		}
	}
	if held, err := q.Held(t.Context()); err != nil || held != 0 {
		t.Errorf("%d tasks are held, error %v", held, err)
	}
}

// TestTogetherHandsBack has a cell that takes long before others: those are handed
// back while it is computed.
func TestTogetherHandsBack(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	var q *queue.Queue
	var got []string
	for range 5 {
		q, got = startQueue(t), nil
		computeTogether(t, q, []string{"fine", "loop", "fine", "fine"}, experiment.Limits{Timeout: patience + patience/2, Attempts: 1})
		for cell, o := range outcomes(t, q) {
			got = append(got, cell+" "+string(o.Status))
		}
		slices.Sort(got)
		if len(got) > 1 {
			break
		}
		t.Logf("outcomes %v: this machine stood still for %v, so that the first cell took long", got, patience)
	}
	if want := []string{"c00 ok", "c01 timeout"}; !slices.Equal(got, want) {
		t.Errorf("outcomes %v, want %v", got, want)
	}
	computeRest(t, q)
	if list := outcomes(t, q); len(list) != 4 || list["c02"].Status != experiment.OK || list["c03"].Attempts != 1 {
		t.Errorf("outcomes %v", list)
	}
}

func TestBatchSize(t *testing.T) {
	t.Parallel()
	many := 1
	for i, step := range []struct {
		took time.Duration // by each cell
		want int
	}{{time.Millisecond, 2}, {time.Millisecond, 4}, {0, 8}, {time.Millisecond, 16}, {time.Millisecond, queue.MaxBatch}, {10 * time.Millisecond, 5}, {time.Second, 1}, {40 * time.Millisecond, 1}} {
		if many = batchSize(many, many, time.Duration(many)*step.took); many != step.want {
			t.Errorf("step %d: %d at a time, want %d", i, many, step.want)
		}
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	for _, want := range []*request{
		{Task: []byte("task"), Data: map[string]string{}},
		{Task: []byte{}, Data: map[string]string{"a": "/b", strings.Repeat("x", 300): ""}},
	} {
		body, err := want.encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeRequest(body)
		if err != nil || string(got.Task) != string(want.Task) || fmt.Sprint(got.Data) != fmt.Sprint(want.Data) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	for _, bad := range []string{"", "\x01", "\x01\x02a", "\x01\x01a\x05", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if r, err := decodeRequest([]byte(bad)); err == nil {
			t.Errorf("%q is read as %+v", bad, r)
		}
	}
}
