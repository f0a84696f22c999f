package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/testing/testqueue"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
)

// toy is a kind of experiment with labels; the tests compute its cells.
type toy struct{ experiment.Kind }

var toyLabels = []experiment.Column{
	{Name: "dataset", Type: experiment.Text}, {Name: "model", Type: experiment.Text}, {Name: "method", Type: experiment.Text},
	{Name: "alpha", Type: experiment.Float}, {Name: "repeat", Type: experiment.Int},
}

func (toy) Name() string              { return "toy" }
func (toy) Tables() experiment.Tables { return toyTables }

// toyKind has paths over doses.
var toyKind = &experiment.Registration{Kind: toy{}, Layout: &layout.Layout{
	Step:       layout.Step{Word: "dose"},
	Dimensions: []layout.DimensionInfo{{Column: "dataset"}, {Column: "model"}, {Column: "alpha"}},
	Aspects: []layout.Aspect{
		layout.Plain("data set", layout.Dataset, false, nil), layout.Plain("model", layout.Model, false, nil),
		layout.Plain("α", 2, true, layout.Around("α=", "")),
	},
}}

var toyTables = experiment.Tables{
	Labels: toyLabels,
	Measures: []experiment.Column{
		{Name: "metric", Type: experiment.Text}, {Name: "test_at_best_test", Type: experiment.Float}, {Name: "test_at_end", Type: experiment.Float},
	},
	Further: []experiment.Table{{Name: "doses", Columns: []experiment.Column{
		{Name: "cell", Type: experiment.Text}, {Name: "dose", Type: experiment.Float}, {Name: "event", Type: experiment.Text},
		{Name: "test_score", Type: experiment.Float}, {Name: "validation_score", Type: experiment.Float},
	}}},
}

// computed gives an outcome the measures of a cell with a score, and knots of two ages.
func computed(t testing.TB, o *experiment.Outcome, score float64) {
	t.Helper()
	knots := experiment.Batch{}
	err := errors.Join(
		o.Measures.Append(toyTables.Measures, "rmse", score, nil),
		knots.Append(toyTables.Further[0].Columns[1:], 1.0, "start", score+1, nil),
		knots.Append(toyTables.Further[0].Columns[1:], 2.0, "end", score, nil),
	)
	if err != nil {
		t.Fatal(err)
	}
	o.Further = map[string]experiment.Batch{"doses": knots}
}

// bed is an embedded server with a run, and who computes its cells.
type bed struct {
	*queue.Queue
	t      testing.TB
	ctx    context.Context
	puller *queue.Puller
}

func newBed(t testing.TB) *bed {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	server := testqueue.Server(t, "")
	q := testqueue.Connect(t, queue.Config{Server: server, AckWait: 30 * time.Second})
	if err := q.EnsureStreams(ctx); err != nil {
		t.Fatal(err)
	}
	return &bed{Queue: q, t: t, ctx: ctx}
}

var (
	datasets = []string{"diabetes", "music", "<b>tall & wide</b>"}
	methods  = []string{"original", "acs", "gaga"}
)

// submit queues repeats cells of each data set and method and describes the run.
func (b *bed) submit(name string, repeats int) {
	b.t.Helper()
	d := run.Description{Manifest: results.Manifest{Run: name}}
	var tasks []experiment.Task
	for _, dataset := range datasets {
		for _, method := range methods {
			d.Parts = append(d.Parts, experiment.Part{Dataset: dataset, Method: method, Cells: int64(repeats), Seconds: float64(repeats)})
			d.Cells += int64(repeats)
			for repeat := range repeats {
				var labels experiment.Batch
				if err := labels.Append(toyLabels, dataset, "toy", method, 0.1, repeat+1); err != nil {
					b.t.Fatal(err)
				}
				tasks = append(tasks, experiment.Task{Run: name, Cell: fmt.Sprintf("%032x", len(tasks)), Kind: "toy", Labels: labels, Limits: experiment.Limits{Attempts: 1}})
			}
		}
	}
	text, err := json.Marshal(d)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.PutData(b.ctx, name, bytes.NewReader(text)); err != nil {
		b.t.Fatal(err)
	}
	b.publish(tasks...)
}

func (b *bed) publish(tasks ...experiment.Task) {
	b.t.Helper()
	published, _, err := b.Publish(b.ctx, func(yield func(experiment.Task, error) bool) {
		for _, task := range tasks {
			if !yield(task, nil) {
				return
			}
		}
	})
	if err != nil || published != len(tasks) {
		b.t.Fatalf("%d of %d tasks published, error %v", published, len(tasks), err)
	}
}

// pull takes a task.
func (b *bed) pull() *queue.Delivery {
	b.t.Helper()
	if b.puller == nil {
		var err error
		if b.puller, err = b.Worker(queue.WorkerConfig{Name: "tester", Idle: 50 * time.Millisecond}); err != nil {
			b.t.Fatal(err)
		}
		b.t.Cleanup(b.puller.Close)
	}
	d, err := b.puller.Pull(b.ctx)
	if err != nil {
		b.t.Fatal(err)
	}
	return d
}

// compute ends so many cells with a status; wall grows with their number.
func (b *bed) compute(n int, status experiment.Status) {
	b.t.Helper()
	for range n {
		d := b.pull()
		b.end(d, status)
	}
}

func (b *bed) end(d *queue.Delivery, status experiment.Status) {
	b.t.Helper()
	now := time.Now().UTC()
	o := &experiment.Outcome{Kind: "toy", Labels: d.Task.Labels, Status: status, Attempts: 1, Computer: experiment.Computer{Worker: "tester", Version: "v", Platform: "linux/amd64"}, Started: now, Finished: now}
	var number int
	if _, err := fmt.Sscanf(d.Task.Cell, "%x", &number); err != nil {
		b.t.Error(err)
	}
	o.Wall = float64(number%7) + 0.25
	if status == experiment.OK {
		computed(b.t, o, o.Wall)
	} else {
		o.Error = fmt.Sprintf("cell %d had no luck: <img src=x onerror=alert(1)>\ngoroutine 1 [running]:\nmain.main()", number)
	}
	if err := done(b.ctx, d, o); err != nil && !errors.Is(err, queue.ErrUnacknowledged) { // the run was cancelled
		b.t.Error(err)
	}
}

// done makes an outcome that of a delivery.
func done(ctx context.Context, d *queue.Delivery, o *experiment.Outcome) error {
	o.Run, o.Cell = d.Task.Run, d.Task.Cell
	return d.Done(ctx, o)
}

// monitor returns a monitor of the bed.
func (b *bed) monitor() *Monitor {
	return New(Config{Queue: b.Queue, Kinds: []*experiment.Registration{toyKind}, Version: "v1", Report: func(err error) { b.t.Log(err) }})
}

// await looks until a condition holds. What is queued lags behind.
func (b *bed) await(m *Monitor, what string, holds func(*State) bool) *State {
	b.t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		for _, w := range m.runs {
			w.looked = time.Time{} // do not wait for a run at rest
		}
		m.look(b.ctx)
		if s := m.State(); holds(s) {
			return s
		}
		select {
		case <-ticker.C:
		case <-b.ctx.Done():
			text, _ := json.Marshal(m.State())
			b.t.Fatalf("waited in vain: %s\n%s", what, text)
		}
	}
}

func describedParts(parts ...experiment.Part) *run.Description { return &run.Description{Parts: parts} }
