package queue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
)

// maker makes tasks and outcomes of all shapes.
type maker struct{ *rand.Rand }

func (m maker) text() string {
	texts := []string{"", "a", "gaga", "0123456789abcdef0123456789abcdef", "ü ∂", string(make([]byte, 300))}
	return texts[m.IntN(len(texts))]
}

func (m maker) int() int64 {
	ints := []int64{0, 1, 23, 24, 255, 256, 65535, 65536, 1<<32 - 1, 1 << 32, math.MaxInt64}
	x := ints[m.IntN(len(ints))]
	if m.IntN(2) == 0 {
		return ^x
	}
	return x
}

func (m maker) float() float64 {
	floats := []float64{
		0, math.Copysign(0, -1), 1, 0.1, 1.5, 65504, 65505, 1e-8, 5.960464477539063e-08, 3e-8, math.MaxFloat32, math.MaxFloat64,
		math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN(),
	}
	if at := m.IntN(2 * len(floats)); at < len(floats) {
		return floats[at]
	}
	return math.Float64frombits(m.Uint64())
}

func (m maker) time() time.Time {
	if m.IntN(4) == 0 {
		return time.Time{}
	}
	return time.Unix(m.Int64N(1<<34), m.Int64N(1e9)).In(time.FixedZone("east", 3600*m.IntN(12)))
}

// several returns n values, nil or empty for 0.
func several[T any](m maker, n int, one func() T) []T {
	if n == 0 && m.IntN(2) == 0 {
		return nil
	}
	list := []T{}
	for range n {
		list = append(list, one())
	}
	return list
}

func (m maker) batch() experiment.Batch {
	rows := m.IntN(4)
	if m.IntN(20) == 0 {
		rows = 300
	}
	return experiment.Batch{Rows: rows, Columns: several(m, m.IntN(8), func() (v experiment.Vector) {
		switch m.IntN(5) {
		case 0:
			v.Ints = several(m, rows, m.int)
		case 1:
			v.Floats = several(m, rows, m.float)
		case 2:
			v.Texts = several(m, rows, m.text)
		case 3:
			v.Lists = several(m, rows, func() []float64 { return several(m, m.IntN(4), m.float) })
		}
		if m.IntN(2) == 0 {
			v.Null = several(m, rows, func() bool { return m.IntN(2) == 0 })
		}
		return v
	})}
}

func (m maker) task() *experiment.Task {
	t := &experiment.Task{
		Run: m.text(), Cell: m.text(), Kind: m.text(), Labels: m.batch(), Cost: m.float(), Data: several(m, m.IntN(3), m.text),
		Limits: experiment.Limits{Timeout: time.Duration(m.int()), Memory: m.int(), Attempts: int(m.int())},
	}
	if m.IntN(3) > 0 {
		t.Spec = json.RawMessage(m.text())
	}
	if m.IntN(2) == 0 {
		t.Needs = several(m, m.IntN(3), func() experiment.Need { return experiment.Need{Name: m.text(), Version: int(m.int())} })
	}
	if m.IntN(2) == 0 {
		t.Limits = experiment.Limits{}
	}
	return t
}

func (m maker) outcome() *experiment.Outcome {
	o := &experiment.Outcome{
		Run: m.text(), Cell: m.text(), Kind: m.text(), Labels: m.batch(), Status: experiment.Status(m.text()), Error: m.text(),
		Attempts: int(m.int()), Measures: m.batch(), Wall: m.float(), Worker: m.text(), Version: m.text(), Started: m.time(), Finished: m.time(),
	}
	if m.IntN(2) == 0 {
		cpu, peak := m.float(), m.int()
		o.CPU, o.Peak = &cpu, &peak
	}
	for range m.IntN(4) {
		if o.Further == nil {
			o.Further = map[string]experiment.Batch{}
		}
		o.Further[m.text()] = m.batch()
	}
	return o
}

// equal compares with NaN equal to itself.
func equal(a, b any) bool {
	return reflect.DeepEqual(a, b) || fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b)
}

// readTask reads a task by this package's own reader alone.
func readTask(body []byte) (*experiment.Task, bool) {
	task, r := new(experiment.Task), reading(body)
	r.task(task)
	return task, r.whole()
}

func readOutcome(body []byte, rows bool) (*experiment.Outcome, bool) {
	outcome, r := new(experiment.Outcome), reading(body)
	r.outcome(outcome, rows)
	return outcome, r.whole()
}

// TestCanonicalAsTheLibrary writes and reads tasks and outcomes of all shapes both
// ways.
func TestCanonicalAsTheLibrary(t *testing.T) {
	t.Parallel()
	m := maker{rand.New(rand.NewPCG(1, 2))}
	for i := range 3000 {
		task := m.task()
		want, err := encMode.Marshal(task)
		if err != nil {
			t.Fatal(err)
		}
		var w canonicalWriter
		if w.task(task); !bytes.Equal(w.out, want) {
			t.Fatalf("task %d: %+v\nis written as %x\nby the library %x", i, task, w.out, want)
		}
		var byLibrary experiment.Task
		if err := decMode.Unmarshal(want, &byLibrary); err != nil {
			t.Fatal(err)
		}
		if got, ok := readTask(want); !ok || !equalTask(got, &byLibrary) {
			t.Fatalf("task %d is read (%v) as %+v\nby the library %+v", i, ok, got, &byLibrary)
		}

		outcome := m.outcome()
		if want, err = encMode.Marshal(outcome); err != nil {
			t.Fatal(err)
		}
		w = canonicalWriter{}
		if w.outcome(outcome); !bytes.Equal(w.out, want) {
			t.Fatalf("outcome %d: %+v\nis written as %x\nby the library %x", i, outcome, w.out, want)
		}
		var outcomeByLibrary experiment.Outcome
		if err := decMode.Unmarshal(want, &outcomeByLibrary); err != nil {
			t.Fatal(err)
		}
		got, ok := readOutcome(want, true)
		_, unnamed := outcomeByLibrary.Further[""] // no table is called so
		if !ok && !unnamed || ok && !equalOutcome(got, &outcomeByLibrary) {
			t.Fatalf("outcome %d is read (%v) as %+v\nby the library %+v", i, ok, got, &outcomeByLibrary)
		}
		if ending, ok := readOutcome(want, false); ok && !equalOutcome(ending, withoutRows(&outcomeByLibrary)) {
			t.Fatalf("outcome %d is read without rows as %+v\nby the library %+v", i, ending, &outcomeByLibrary)
		}
	}
}

func equalTask(a, b *experiment.Task) bool {
	if a.Cost != b.Cost && !(math.IsNaN(a.Cost) && math.IsNaN(b.Cost)) {
		return false
	}
	x, y := *a, *b
	x.Cost, y.Cost, x.Labels, y.Labels = 0, 0, experiment.Batch{}, experiment.Batch{}
	return reflect.DeepEqual(x, y) && equal(a.Labels, b.Labels)
}

func equalOutcome(a, b *experiment.Outcome) bool {
	if (a.CPU == nil) != (b.CPU == nil) || a.CPU != nil && !equal(*a.CPU, *b.CPU) || !equal(a.Wall, b.Wall) ||
		!equal(a.Labels, b.Labels) || !equal(a.Measures, b.Measures) || len(a.Further) != len(b.Further) {
		return false
	}
	for name, batch := range a.Further {
		if other, ok := b.Further[name]; !ok || !equal(batch, other) {
			return false
		}
	}
	x, y := *a, *b
	x.CPU, y.CPU, x.Wall, y.Wall, x.Further, y.Further = nil, nil, 0, 0, nil, nil
	x.Labels, y.Labels, x.Measures, y.Measures = experiment.Batch{}, experiment.Batch{}, experiment.Batch{}, experiment.Batch{}
	return reflect.DeepEqual(x, y)
}

// FuzzCanonical holds whatever this package's own reader takes against what the
// library reads.
func FuzzCanonical(f *testing.F) {
	m := maker{rand.New(rand.NewPCG(3, 4))}
	for range 20 {
		task, err := encMode.Marshal(m.task())
		if err != nil {
			f.Fatal(err)
		}
		outcome, err := encMode.Marshal(m.outcome())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(task)
		f.Add(outcome)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if got, ok := readTask(body); ok {
			var want experiment.Task
			if err := decMode.Unmarshal(body, &want); err != nil || !equalTask(got, &want) {
				t.Errorf("task %+v; the library: %+v, %v", got, &want, err)
			}
		}
		got, ok := readOutcome(body, true)
		if !ok {
			return
		}
		var want experiment.Outcome
		if err := decMode.Unmarshal(body, &want); err != nil || !equalOutcome(got, &want) {
			t.Errorf("outcome %+v; the library: %+v, %v", got, &want, err)
		}
		if ending, ok := readOutcome(body, false); !ok || !equalOutcome(ending, withoutRows(got)) {
			t.Errorf("without rows %v %+v", ok, ending)
		}
	})
}

// TestDecodeOtherForms decodes what another encoder may write.
func TestDecodeOtherForms(t *testing.T) {
	t.Parallel()
	// Keys in another order, and one of a later version.
	body, err := encMode.Marshal(map[any]any{2: "cell", 1: "run", 99: "later", 5: "ok", 8: map[int]any{1: 1, 2: []any{map[int]any{2: []any{1}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := readOutcome(body, true); ok {
		t.Fatal("the reader of the canonical form takes a key that it does not know")
	}
	got, err := DecodeOutcome(body)
	if err != nil {
		t.Fatal(err)
	}
	if got.Run != "run" || got.Cell != "cell" || got.Status != experiment.OK || got.Measures.Columns[0].Floats[0] != 1 {
		t.Errorf("decoded %+v", got)
	}
	if ending, err := decodeOutcome(body, false); err != nil || ending.Run != "run" || ending.Measures.Rows != 0 || ending.Measures.Columns != nil {
		t.Errorf("without rows %+v, %v", ending, err)
	}
}

func BenchmarkCodec(b *testing.B) {
	m := maker{rand.New(rand.NewPCG(5, 6))}
	outcome := ok()
	for range 30 {
		outcome.Measures.Columns = append(outcome.Measures.Columns, experiment.Vector{Floats: []float64{m.NormFloat64()}, Null: []bool{false}})
	}
	outcome.Measures.Rows = 1
	body, err := EncodeOutcome(outcome)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			if _, err := EncodeOutcome(outcome); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := DecodeOutcome(body); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode by the library", func(b *testing.B) {
		for b.Loop() {
			var outcome experiment.Outcome
			if err := decMode.Unmarshal(body, &outcome); err != nil {
				b.Fatal(err)
			}
		}
	})
}
