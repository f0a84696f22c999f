package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
	"github.com/agepath/agepath/results"
)

// toy is a kind of experiment whose cells do what their spec says.
type toy struct {
	started chan string   // of each computation
	free    chan struct{} // what "wait" waits for
	tries   atomic.Int32
}

func (*toy) Name() string { return "toy" }

func (*toy) Abilities() []experiment.Need { return nil }

func (*toy) Check(*experiment.Task) error { return nil }

func (*toy) Tables() experiment.Tables {
	return experiment.Tables{Measures: []experiment.Column{{Name: "answer", Type: experiment.Float}}}
}

func (k *toy) Compute(ctx context.Context, task *experiment.Task, _ experiment.Data) (measures experiment.Batch, further map[string]experiment.Batch, err error) {
	if k.started != nil {
		k.started <- task.Cell
	}
	switch text := string(task.Spec); text {
	case `"panic"`:
		panic("out of luck")
	case `"error"`:
		k.tries.Add(1)
		return measures, nil, errors.New("no luck")
	case `"diverge"`:
		return measures, nil, &experiment.StatusError{Status: experiment.Diverged, Err: errors.New("off to infinity")}
	case `"partial"`:
		k.tries.Add(1)
		return measuresOf(42), map[string]experiment.Batch{}, &experiment.StatusError{Status: experiment.Incomplete, Err: errors.New("half way")}
	case `"partial nan"`:
		return measuresOf(math.NaN()), nil, &experiment.StatusError{Status: experiment.Incomplete, Err: errors.New("half way")}
	case `"hang"`:
		<-ctx.Done()
		return measures, nil, fmt.Errorf("stopped: %w", ctx.Err())
	case `"wait"`:
		select {
		case <-k.free:
		case <-ctx.Done():
			return measures, nil, ctx.Err()
		}
	}
	return measuresOf(42), nil, nil
}

// measuresOf is the row of measures of an answer.
func measuresOf(answer float64) experiment.Batch {
	return experiment.Batch{Rows: 1, Columns: []experiment.Vector{{Floats: []float64{answer}}}}
}

func task(cell, spec string, limits experiment.Limits) experiment.Task {
	return experiment.Task{Run: "test", Cell: cell, Kind: "toy", Spec: []byte(`"` + spec + `"`), Limits: limits}
}

func TestComputeStatus(t *testing.T) {
	t.Parallel()
	tests := []struct {
		spec, kind string
		want       experiment.Status
		message    string
	}{
		{"fine", "toy", experiment.OK, ""},
		{"panic", "toy", experiment.Failed, "panic: out of luck"},
		{"error", "toy", experiment.Failed, "no luck"},
		{"diverge", "toy", experiment.Diverged, "off to infinity"},
		{"partial", "toy", experiment.Incomplete, "half way"},
		{"partial nan", "toy", experiment.Diverged, "answer is NaN"},
		{"hang", "toy", experiment.Timeout, "not done within 1ms"},
		{"fine", "unheard", experiment.Failed, `does not know the kind of experiment "unheard"`},
	}
	for _, test := range tests {
		task := task("a", test.spec, experiment.Limits{Timeout: time.Millisecond})
		if test.spec != "hang" {
			task.Limits.Timeout = time.Minute
		}
		task.Kind = test.kind
		o := Compute(t.Context(), []experiment.Kind{&toy{}}, &task, nil)
		if o.Status != test.want || !strings.Contains(o.Error, test.message) || (o.Error == "") != (test.message == "") {
			t.Errorf("%s %s: %s %q, want %s %q", test.kind, test.spec, o.Status, o.Error, test.want, test.message)
		}
		if rows := o.Measures.Rows; (rows == 1) != (o.Status == experiment.OK || o.Status == experiment.Incomplete) {
			t.Errorf("%s %s: %d rows of measures with the status %s", test.kind, test.spec, rows, o.Status)
		}
		if o.Wall < 0 || o.Finished.Before(o.Started) {
			t.Errorf("%s %s: from %v to %v in %v s", test.kind, test.spec, o.Started, o.Finished, o.Wall)
		}
	}
}

// startQueue returns a connection to an embedded server of its own.
func startQueue(t testing.TB) *queue.Queue {
	t.Helper()
	server := testqueue.Server(t, "")
	q := testqueue.Connect(t, queue.Config{Server: server})
	if err := q.EnsureStreams(t.Context()); err != nil {
		t.Fatal(err)
	}
	return q
}

func publish(t *testing.T, q *queue.Queue, tasks ...experiment.Task) {
	t.Helper()
	n, refused, err := q.Publish(t.Context(), func(yield func(experiment.Task, error) bool) {
		for _, task := range tasks {
			if !yield(task, nil) {
				return
			}
		}
	})
	if err != nil || refused > 0 || n != len(tasks) {
		t.Fatalf("published %d of %d tasks, %d refused: %v", n, len(tasks), refused, err)
	}
}

// outcomes returns what is stored of the run of [task], by cell.
func outcomes(t *testing.T, q *queue.Queue) map[string]*experiment.Outcome {
	t.Helper()
	return outcomesOf(t, q, "test")
}

func outcomesOf(t *testing.T, q *queue.Queue, run string) map[string]*experiment.Outcome {
	t.Helper()
	list := map[string]*experiment.Outcome{}
	for o, err := range q.Sift(t.Context(), run, false, nil) {
		if err != nil {
			t.Fatal(err)
		}
		list[o.Cell] = o
	}
	return list
}

// TestWorkerDrains has every way for a cell to end pass through a worker.
func TestWorkerDrains(t *testing.T) {
	t.Parallel()
	q := startQueue(t)
	limits := experiment.Limits{Timeout: time.Minute, Attempts: 1}
	brief := experiment.Limits{Timeout: time.Millisecond, Attempts: 1}
	publish(t, q,
		task("fine", "fine", limits), task("panic", "panic", limits), task("diverge", "diverge", limits),
		task("hang", "hang", brief))
	kind := &toy{}
	w := &Worker{Queue: q, Kinds: []experiment.Kind{kind}, Name: "w1", Version: "v1", Slots: 2, Drain: true, Idle: 10 * time.Millisecond}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	list := outcomes(t, q)
	want := map[string]experiment.Status{
		"fine": experiment.OK, "panic": experiment.Failed, "diverge": experiment.Diverged, "hang": experiment.Timeout,
	}
	for cell, status := range want {
		o := list[cell]
		if o == nil {
			t.Errorf("cell %s has no result", cell)
			continue
		}
		if o.Status != status || o.Attempts != 1 || o.Worker != "w1" || o.Version != "v1" {
			t.Errorf("cell %s: %s after %d attempts by %s %s, want %s", cell, o.Status, o.Attempts, o.Worker, o.Version, status)
		}
	}
	if len(list) != len(want) {
		t.Errorf("%d results for %d cells", len(list), len(want))
	}
}

// TestIncompleteIsFinal wants an incomplete cell to be tried once, however many
// attempts it has, and its result to hold what was computed.
func TestIncompleteIsFinal(t *testing.T) {
	t.Parallel()
	q := startQueue(t)
	publish(t, q, task("partial", "partial", experiment.Limits{Attempts: 3}))
	kind := &toy{}
	w := &Worker{Queue: q, Kinds: []experiment.Kind{kind}, Slots: 1, Drain: true, Idle: 10 * time.Millisecond, RetryDelay: time.Millisecond}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := outcomes(t, q)["partial"]
	if o == nil || o.Status != experiment.Incomplete || o.Error != "half way" || o.Attempts != 1 || kind.tries.Load() != 1 {
		t.Fatalf("%+v after %d computations; want incomplete after 1", o, kind.tries.Load())
	}
	if o.Measures.Rows != 1 || o.Measures.Columns[0].Floats[0] != 42 {
		t.Errorf("measures %+v", o.Measures)
	}
}

// TestWorkerTriesAgain wants a failing cell to be tried as often as its limit
// says.
func TestWorkerTriesAgain(t *testing.T) {
	t.Parallel()
	q := startQueue(t)
	publish(t, q, task("error", "error", experiment.Limits{Attempts: 3}))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	kind := &toy{}
	ended := make(chan error, 1)
	w := &Worker{Queue: q, Kinds: []experiment.Kind{kind}, Slots: 1, Idle: 10 * time.Millisecond, RetryDelay: time.Millisecond}
	go func() { ended <- w.Run(ctx) }()
	for o, err := range q.Sift(ctx, "test", true, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if o.Status != experiment.Failed || o.Attempts != 3 || kind.tries.Load() != 3 {
			t.Errorf("%s after %d attempts, %d computations; want failed after 3", o.Status, o.Attempts, kind.tries.Load())
		}
		break
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestWorkerHandsBack stops a worker while it computes: the cell goes to the
// next worker without an attempt used up.
func TestWorkerHandsBack(t *testing.T) {
	t.Parallel()
	q := startQueue(t)
	publish(t, q, task("wait", "wait", experiment.Limits{Attempts: 1}))
	kind := &toy{started: make(chan string, 1), free: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	w := &Worker{Queue: q, Kinds: []experiment.Kind{kind}, Slots: 1, Idle: 10 * time.Millisecond}
	go func() { ended <- w.Run(ctx) }()
	<-kind.started
	cancel()
	if err := <-ended; err != nil {
		t.Fatalf("a stopped worker returned %v", err)
	}
	if list := outcomes(t, q); len(list) != 0 {
		t.Fatalf("an interrupted cell has a result: %v", list)
	}
	close(kind.free)
	w.Drain = true
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if o := outcomes(t, q)["wait"]; o == nil || o.Status != experiment.OK || o.Attempts != 1 {
		t.Errorf("after the interruption: %+v, want ok in the first attempt", o)
	}
}

// TestDatasetDigest wants a data set whose bytes are another's to be refused,
// and asked for again afterwards.
func TestDatasetDigest(t *testing.T) {
	t.Parallel()
	q := startQueue(t)
	set := &dataset.Dataset{Name: "s", Task: dataset.Regression, Features: []string{"x"}, N: 2, D: 1, X: []float64{1, 2}, Y: []float64{3, 4}}
	other := *set
	other.Y = []float64{3, math.Nextafter(4, 5)}
	cache := &fetched{queue: q}
	put := func(digest string, d *dataset.Dataset) {
		var b strings.Builder
		if err := dataset.Encode(&b, d); err != nil {
			t.Fatal(err)
		}
		if err := q.PutData(t.Context(), digest, strings.NewReader(b.String())); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := cache.Dataset(t.Context(), set.Digest()); !errors.Is(err, queue.ErrNoData) {
		t.Errorf("a data set that is not there: %v", err)
	}
	put(set.Digest(), set)
	got, err := cache.Dataset(t.Context(), set.Digest())
	if err != nil || got.Digest() != set.Digest() {
		t.Errorf("the data set came as %+v: %v", got, err)
	}
	wrong := strings.Repeat("0", 64)
	put(wrong, &other)
	if _, err := cache.Dataset(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), other.Digest()) {
		t.Errorf("wrong bytes: %v, want an error with their digest", err)
	}
}

// plan returns a grid of few cells and its plan.
func plan(t testing.TB, set ...string) (*experiment.Grid, *experiment.Plan) {
	t.Helper()
	const text = `
name: small
repeats: 2
data: [diabetes]
models: [{lasso: {alpha: [0.01, 0.1], intercept: true}}]
regularizers: [linear]
methods: [original, acs]
age: {min: 1, max: 3, acs_step: 1}
`
	grid, err := experiment.Parse([]byte(text), "small.yaml", set)
	if err != nil {
		t.Fatal(err)
	}
	p, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	return grid, p
}

// forbidden is a kind that must not compute.
type forbidden struct{ experiment.Kind }

func (forbidden) Compute(context.Context, *experiment.Task, experiment.Data) (m experiment.Batch, f map[string]experiment.Batch, err error) {
	return m, f, errors.New("computed again")
}

// TestCoordinatorResumes computes a grid's cells elsewhere first: the coordinator
// takes their results from the queue and computes nothing.
func TestCoordinatorResumes(t *testing.T) {
	t.Parallel()
	grid, p := plan(t)
	q := startQueue(t)
	kind := selfpaced.Kind{}
	if s, err := Submit(t.Context(), q, grid, p, Reuse{}); err != nil || int64(s.Published) != p.Count() {
		t.Fatalf("submitted %+v of %d cells: %v", s, p.Count(), err)
	}
	w := &Worker{Queue: q, Kinds: []experiment.Kind{kind}, Name: "elsewhere", Slots: 1, Drain: true, Idle: 10 * time.Millisecond}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var reports []Progress
	// Workers of this kind fail: none of the cells may be computed again.
	c := &Coordinator{Grid: grid, Plan: p, Kind: forbidden{kind}, Out: t.TempDir(), Queue: q, Workers: 1, Progress: func(p Progress) { reports = append(reports, p) }}
	summary, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if summary.Failed() != 0 || int64(summary.Counts[experiment.OK]) != p.Count() {
		t.Errorf("summary %+v, want %d cells that are ok", summary, p.Count())
	}
	cells, err := results.ReadTable(c.Out+"/cells.arrow", "cell", "worker")
	if err != nil {
		t.Fatal(err)
	}
	ids, workers := &cells.Batch.Columns[0], &cells.Batch.Columns[1]
	row := 0
	for id := range p.IDs() {
		if ids.Texts[row] != id || workers.Texts[row] != "elsewhere" {
			t.Errorf("row %d is cell %s by %s, want %s by the worker that computed it first", row, ids.Texts[row], workers.Texts[row], id)
		}
		row++
	}
	if last := reports[len(reports)-1]; last.Done != p.Count() || last.Total != p.Count() || last.Counts.Failed() != 0 {
		t.Errorf("the last progress is %+v", last)
	}
	if again, err := c.Run(t.Context()); err != nil || again.Computed != 0 {
		t.Errorf("the second run: %+v, %v; want nothing computed", again, err)
	}
}

// TestInterruptedRunKeepsItsQueue wants the embedded server's streams to be
// there after an interruption, and gone after the run is complete.
func TestInterruptedRunKeepsItsQueue(t *testing.T) {
	needs.Patience(t, "5 s")
	t.Parallel()
	grid, p := plan(t)
	kind := &waiting{Kind: selfpaced.Kind{}, started: make(chan struct{}, 100)}
	c := &Coordinator{Grid: grid, Plan: p, Kind: kind, Out: t.TempDir(), Workers: 1, Report: func(err error) { t.Log(err) }}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.Run(ctx)
		ended <- err
	}()
	<-kind.started
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatalf("an interrupted run returned %v", err)
	}
	if _, err := os.Stat(filepath.Join(c.Out, serverDir)); err != nil {
		t.Errorf("the queue of an interrupted run: %v", err)
	}
	c.Kind = kind.Kind
	if summary, err := c.Run(t.Context()); err != nil || summary.Failed() != 0 {
		t.Fatalf("after the interruption: %+v, %v", summary, err)
	}
	if _, err := os.Stat(filepath.Join(c.Out, serverDir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the queue of a complete run is still there: %v", err)
	}
}

// waiting is a kind whose computations wait for the end of their context.
type waiting struct {
	experiment.Kind
	started chan struct{}
}

func (w *waiting) Compute(ctx context.Context, _ *experiment.Task, _ experiment.Data) (m experiment.Batch, f map[string]experiment.Batch, err error) {
	w.started <- struct{}{}
	<-ctx.Done()
	return m, f, ctx.Err()
}

// TestUnlabelledOutcome gathers the outcome of a task that nobody could read.
func TestUnlabelledOutcome(t *testing.T) {
	t.Parallel()
	grid, p := plan(t, "repeats=1")
	kind := selfpaced.Kind{}
	c := &Coordinator{Grid: grid, Plan: p, Kind: kind, Out: t.TempDir(), Workers: 1}
	g, err := c.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer g.store.Close()
	var id string
	for id = range p.IDs() {
		break
	}
	o := &experiment.Outcome{Run: p.Run, Cell: id, Status: experiment.Failed, Error: "unreadable", Attempts: 1, Started: time.Now(), Finished: time.Now()}
	if err := g.storeMissing(o); err != nil {
		t.Fatal(err)
	}
	if err := g.store.Flush(); err != nil {
		t.Fatal(err)
	}
	if status, _, ok := g.store.Newest(id); !ok || status != experiment.Failed || g.misses(id) {
		t.Errorf("the cell is %s (%v) in the store", status, ok)
	}
}

// TestRemaining gathers cells of known costs and wants the remaining ones estimated.
func TestRemaining(t *testing.T) {
	t.Parallel()
	grid, p := plan(t, "repeats=3")
	c := &Coordinator{Grid: grid, Plan: p, Kind: selfpaced.Kind{}, Out: t.TempDir(), Workers: 1, Retry: []experiment.Status{experiment.Failed}}
	g, err := c.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer g.store.Close()
	first := true
	before, total, sooner := cellSet{}, 0.0, 0.0
	var tasks []experiment.Task
	for task, err := range p.Queue() {
		if err != nil {
			t.Fatal(err)
		}
		if first { // it has a result in the queue
			before.add(task.Cell)
			sooner = task.Cost
		}
		total += task.Cost
		first = false
		tasks = append(tasks, task)
	}
	published := 0
	for range g.tasks(before) {
		published++
	}
	if published != len(tasks)-1 || math.Abs(g.ahead-total) > 1e-6*total {
		t.Fatalf("%d tasks that take %v s, want %d and %v s", published, g.ahead, len(tasks)-1, total)
	}
	g.before = &known{done: before}
	whole := total
	said := Progress{}
	g.began = g.began.Add(-time.Hour)
	g.progress = func(p Progress) { said = p }
	g.stall.longest = []queue.Running{{Run: p.Run, Cell: tasks[1].Cell}, {Run: p.Run, Cell: tasks[2].Cell}}
	for i := range tasks {
		o := begin(&tasks[i], time.Now())
		end(o, experiment.Failed, "no luck") // a status to compute again, which counts once
		for range 2 {
			if err := g.storeMissing(o); err != nil {
				t.Fatal(err)
			}
		}
		total -= tasks[i].Cost
		g.tell(false)
		if estimated := said.Remaining >= 0; estimated != (g.behind >= 0.01*(whole-sooner)) && i < len(tasks)-1 {
			t.Errorf("after %v of %v s of work %v is left", g.behind, whole, said.Remaining)
		}
		if i == len(tasks)/2 { // the next cell takes much longer than estimated
			g.began = g.began.Add(-1000 * time.Hour)
			if g.tell(false); said.Remaining >= 0 {
				t.Errorf("%v is left, although a cell is overdue", said.Remaining)
			}
			g.began = g.began.Add(1000 * time.Hour)
		}
		if len(said.Longest) != max(0, min(2, 2-i)) {
			t.Errorf("after %d cells %v have run longest", i+1, said.Longest)
		}
		if math.Abs(g.ahead-total) > 1e-6*whole || math.Abs(g.behind-(whole-total-sooner)) > 1e-6*whole || g.came != i+1 || g.missing != int64(len(tasks)-i-1) {
			t.Fatalf("after %d cells %v s are ahead, want %v s, %v s behind; %d came, %d are missing", i+1, g.ahead, total, g.behind, g.came, g.missing)
		}
	}
}

// TestReplay wants the numbers of a run again, and a changed row to be noticed.
func TestReplay(t *testing.T) {
	t.Parallel()
	grid, p := plan(t, "repeats=1")
	kind := selfpaced.Kind{}
	c := &Coordinator{Grid: grid, Plan: p, Kind: kind, Out: t.TempDir(), Workers: 2}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for id := range p.IDs() {
		r, err := Replay(t.Context(), c.Out, id, t.TempDir(), results.ZSTD, &dataset.Library{}, false)
		if err != nil || !r.Same || len(r.Rows) != 1 || r.Rows[0].Rows < 1 {
			t.Fatalf("cell %s: %+v, %v", id, r, err)
		}
		r.compare(kind.Tables(), &experiment.Outcome{}, &experiment.Outcome{Status: experiment.OK})
		if r.Same {
			t.Error("a comparison with nothing says same")
		}
	}
	if _, err := Replay(t.Context(), c.Out, strings.Repeat("0", 32), "", results.ZSTD, &dataset.Library{}, false); err == nil {
		t.Error("a cell that the grid does not have was replayed")
	}
}
