package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/needs"
)

// asSlot makes the test binary compute cells as the process of a slot.
const asSlot = "AGEPATH_TEST_AS_SLOT"

func TestMain(m *testing.M) {
	if kind := os.Getenv(asSlot); kind != "" {
		var computes experiment.Kind = poison{}
		if known, err := experiment.Named(kind); err == nil {
			computes = known
		}
		if err := ServeSlot(os.Stdin, os.Stdout, []experiment.Kind{computes}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	needs.Waiting(8)
	defaultIdle, computers = 50*time.Millisecond, withLocals
	os.Exit(m.Run())
}

func slotProcess() *exec.Cmd { return slotOf("1")() }

// slotOf makes processes of slots that compute a kind.
func slotOf(kind string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asSlot+"="+kind)
		return cmd
	}
}

// poison is a kind of experiment whose cells do to their process what their
// spec says.
type poison struct{}

func (poison) Name() string { return "toy" }

func (poison) Abilities() []experiment.Need { return nil }

func (poison) Check(*experiment.Task) error { return nil }

func (poison) Tables() experiment.Tables {
	return experiment.Tables{Measures: []experiment.Column{{Name: "answer", Type: experiment.Float}}}
}

var (
	hoard [][]byte
	never = make(chan struct{})
)

func (k poison) Compute(ctx context.Context, task *experiment.Task, data experiment.Data) (measures experiment.Batch, further map[string]experiment.Batch, err error) {
	answer := 42.0
	switch string(task.Spec) {
	case `"panic"`:
		panic("out of luck")
	case `"panic elsewhere"`:
		go func() { panic("out of luck") }()
		<-never
	case `"allocate"`:
		for {
			block := make([]byte, 1<<20)
			for i := 0; i < len(block); i += 4096 {
				block[i] = 1
			}
			hoard = append(hoard, block)
		}
	case `"allocate some"`:
		block := make([]byte, 100<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		answer = float64(block[len(block)/4096*4096-4096])
	case `"loop"`:
		for answer > 0 {
			answer++ // never ends: 2^53 + 1 is 2^53
		}
	case `"sleep"`:
		time.Sleep(600 * time.Millisecond)
	case `"exit"`:
		os.Exit(0)
	case `"print"`:
		fmt.Println("an answer that is none")
		os.Stdout.Close()
	case `"nan"`:
		answer = math.NaN()
	case `"data"`:
		set, err := data.Dataset(ctx, task.Data[0])
		if err != nil {
			return measures, nil, err
		}
		answer = set.Y[0]
	}
	return measures, nil, measures.Append(k.Tables().Measures, answer)
}

// TestPoison has cells that do their worst to the process that computes them,
// among others that are fine.
func TestPoison(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the messages of ended processes are those of Unix")
	}
	q := startQueue(t)
	limits := experiment.Limits{Timeout: 20 * time.Second, Memory: 256 << 20, Attempts: 1}
	brief := limits
	brief.Timeout = 100 * time.Millisecond
	cases := []struct {
		spec    string
		limits  experiment.Limits
		status  experiment.Status
		message string
	}{
		{"panic", limits, experiment.Failed, "panic: out of luck"},
		{"panic elsewhere", limits, experiment.Failed, "poison_test.go"},
		{"allocate", limits, experiment.Memory, "its limit is 256 MiB"},
		{"allocate some", limits, experiment.OK, ""},
		{"loop", brief, experiment.Timeout, "not done within 100ms"},
		{"exit", limits, experiment.Failed, "computing this cell ended its process: exit status 0"},
		{"print", limits, experiment.Failed, "answer"},
		{"nan", limits, experiment.Diverged, "answer is NaN"},
	}
	var tasks []experiment.Task
	for i, c := range cases {
		tasks = append(tasks, task(fmt.Sprintf("poison%d", i), c.spec, c.limits))
		for j := range 20 {
			tasks = append(tasks, task(fmt.Sprintf("fine%d-%d", i, j), "fine", limits))
		}
	}
	publish(t, q, tasks...)
	w := &Worker{
		Queue: q, Process: slotProcess, Cache: t.TempDir(), Name: "w1", Slots: 3, Drain: true, Idle: 10 * time.Millisecond,
		Report: func(cell string, err error) {
			if !strings.Contains(err.Error(), "attempts that failed") { // the failures by reason
				t.Errorf("cell %s: %v", cell, err)
			}
		},
	}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	list := outcomes(t, q)
	if len(list) != len(tasks) {
		t.Errorf("%d outcomes for %d cells", len(list), len(tasks))
	}
	for i, c := range cases {
		o := list[fmt.Sprintf("poison%d", i)]
		if o == nil {
			t.Errorf("%s: no outcome", c.spec)
			continue
		}
		if o.Status != c.status || !strings.Contains(o.Error, c.message) || o.Attempts != 1 || o.Worker != "w1" {
			t.Errorf("%s: %s in attempt %d: %s", c.spec, o.Status, o.Attempts, o.Error)
		}
		if (o.Measures.Rows == 1) != (c.status == experiment.OK) {
			t.Errorf("%s: %d rows", c.spec, o.Measures.Rows)
		}
		if c.spec == "allocate some" && !raceDetector && (o.Peak == nil || *o.Peak < 100<<20 || *o.Peak > 200<<20) {
			t.Errorf("%s: its peak is %v, want 100 MiB and a little", c.spec, o.Peak)
		}
		delete(list, o.Cell)
	}
	for _, o := range list {
		if o.Status != experiment.OK || o.Attempts != 1 || o.Measures.Columns[0].Floats[0] != 42 {
			t.Errorf("cell %s: %s in attempt %d: %s", o.Cell, o.Status, o.Attempts, o.Error)
		}
		if o.Peak != nil && *o.Peak > 90<<20 && !raceDetector {
			t.Errorf("cell %s, which takes nothing, has a peak of %d MiB", o.Cell, *o.Peak>>20)
		}
	}
}

// TestDiskCache computes with a data set from a file, finds the file corrupt the
// next time, and removes what exceeds the limit.
func TestDiskCache(t *testing.T) {
	t.Parallel()
	q := startQueue(t)
	dir := t.TempDir()
	put := func(y float64) string {
		set := &dataset.Dataset{Name: "s", Task: dataset.Regression, Features: []string{"x"}, N: 2, D: 1, X: []float64{1, 2}, Y: []float64{y, 4}}
		var b strings.Builder
		if err := dataset.Encode(&b, set); err != nil {
			t.Fatal(err)
		}
		if err := q.PutData(t.Context(), set.Digest(), strings.NewReader(b.String())); err != nil {
			t.Fatal(err)
		}
		return set.Digest()
	}
	work := func(cell, digest string) *experiment.Outcome {
		t.Helper()
		one := task(cell, "data", experiment.Limits{Attempts: 1})
		one.Data = []string{digest}
		publish(t, q, one)
		w := &Worker{
			Queue: q, Process: slotProcess, Cache: dir, CacheBytes: 1, Slots: 1, Drain: true, Idle: 10 * time.Millisecond,
			Report: wantFailuresAlone(t),
		}
		if err := w.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		return outcomes(t, q)[cell]
	}
	first, second := put(7), put(8)
	if o := work("fresh", first); o.Status != experiment.OK || o.Measures.Columns[0].Floats[0] != 7 {
		t.Errorf("from the queue: %+v", o)
	}
	path := filepath.Join(dir, first+cachedEnding)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, bytes := range map[string][]byte{"torn": whole[:len(whole)/2], "empty": nil, "other": []byte(strings.Repeat("x", len(whole)))} {
		if err := os.WriteFile(path, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		if o := work(name, first); o.Status != experiment.OK || o.Measures.Columns[0].Floats[0] != 7 {
			t.Errorf("with a file that is %s: %+v", name, o)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != string(whole) {
			t.Errorf("a file that is %s was not replaced: %v", name, err)
		}
	}
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-2*inUseFor)); err != nil {
		t.Fatal(err)
	}
	if o := work("second", second); o.Status != experiment.OK || o.Measures.Columns[0].Floats[0] != 8 {
		t.Errorf("another data set: %+v", o)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the cache keeps more than its limit: %v", err)
	}
	if o := work("absent", strings.Repeat("0", 64)); o.Status != experiment.Failed || !strings.Contains(o.Error, queue.ErrNoData.Error()) {
		t.Errorf("a data set that is not there: %+v", o)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left in the cache: %v, %v", entries, err)
	}
}

// TestCacheTrouble gives a worker a folder that it cannot use: the cell waits
// for another one and has used up no attempt.
func TestCacheTrouble(t *testing.T) {
	t.Parallel()
	q := startQueue(t)
	set := &dataset.Dataset{Name: "s", Task: dataset.Regression, Features: []string{"x"}, N: 2, D: 1, X: []float64{1, 2}, Y: []float64{3, 4}}
	var b strings.Builder
	if err := dataset.Encode(&b, set); err != nil {
		t.Fatal(err)
	}
	if err := q.PutData(t.Context(), set.Digest(), strings.NewReader(b.String())); err != nil {
		t.Fatal(err)
	}
	one := task("one", "data", experiment.Limits{Attempts: 1})
	one.Data = []string{set.Digest()}
	publish(t, q, one)
	dir := filepath.Join(t.TempDir(), "cache")
	ctx, cancel := context.WithCancel(t.Context())
	var troubles []error
	w := &Worker{
		Queue: q, Process: slotProcess, Cache: dir, Slots: 1, Idle: 10 * time.Millisecond,
		Report: func(_ string, err error) {
			troubles = append(troubles, err)
			cancel()
		},
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.Run(ctx); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Fatalf("a file for a folder: %v", err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	broken := *w
	broken.Process = func() *exec.Cmd { return exec.Command(filepath.Join(dir, "no-program")) }
	if err := broken.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if len(troubles) == 0 || !strings.Contains(troubles[0].Error(), "starting a slot's process") {
		t.Errorf("a program that is not there: %v", troubles)
	}
	if list := outcomes(t, q); len(list) != 0 {
		t.Errorf("the worker's trouble became the cell's: %+v", list["one"])
	}
	w.Drain, w.Report = true, nil
	for len(outcomes(t, q)) == 0 {
		if err := w.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if o := outcomes(t, q)["one"]; o.Status != experiment.OK || o.Attempts != 1 {
		t.Errorf("afterwards: %+v", o)
	}
}
