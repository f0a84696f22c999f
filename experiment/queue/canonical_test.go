package queue

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
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
		Attempts: int(m.int()), Measures: m.batch(), Wall: m.float(), Computer: experiment.Computer{Worker: m.text(), Version: m.text(), Platform: m.text()}, Started: m.time(), Finished: m.time(),
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

// TestCanonical writes and reads tasks and outcomes of all shapes. Their bytes are a
// contract: streams of older versions have them.
func TestCanonical(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	m := maker{rand.New(rand.NewPCG(1, 2))}
	digest := sha256.New()
	for i := range 3000 {
		task := m.task()
		body, err := encodeTask(task)
		if err != nil {
			t.Fatal(err)
		}
		digest.Write(body)
		got, err := DecodeTask(body)
		if err != nil {
			t.Fatal(err)
		}
		if !equalTask(got, taskAsRead(task)) {
			t.Fatalf("task %d: %+v\nis read as %+v", i, task, got)
		}

		outcome := m.outcome()
		if body, err = EncodeOutcome(outcome); err != nil {
			t.Fatal(err)
		}
		digest.Write(body)
		whole, err := DecodeOutcome(body)
		if err != nil {
			t.Fatal(err)
		}
		if !equalOutcome(whole, outcomeAsRead(outcome)) {
			t.Fatalf("outcome %d: %+v\nis read as %+v", i, outcome, whole)
		}
		if ending, err := decodeEnding(body); err != nil || !equalOutcome(ending, withoutRows(whole)) {
			t.Fatalf("outcome %d is read without rows as %+v, %v", i, ending, err)
		}
	}
	const want = "5f8f76987ce0a97a02d8675f799b023c0f00ed0f677a23076eef6b31c68aa087"
	if got := hex.EncodeToString(digest.Sum(nil)); got != want {
		t.Errorf("tasks and outcomes are written as other bytes: %s, want %s", got, want)
	}
}

// full returns a list, nil for an empty one, which is left out.
func full[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// batchAsRead returns a batch without its empty lists.
func batchAsRead(b experiment.Batch) experiment.Batch {
	b.Columns = slices.Clone(b.Columns)
	for j, v := range b.Columns {
		b.Columns[j] = experiment.Vector{Ints: full(v.Ints), Floats: full(v.Floats), Texts: full(v.Texts), Lists: full(v.Lists), Null: full(v.Null)}
	}
	return b
}

func taskAsRead(task *experiment.Task) *experiment.Task {
	t := *task
	t.Labels, t.Data, t.Needs = batchAsRead(t.Labels), full(t.Data), full(t.Needs)
	return &t
}

func outcomeAsRead(outcome *experiment.Outcome) *experiment.Outcome {
	o := *outcome
	o.Labels, o.Measures, o.Further = batchAsRead(o.Labels), batchAsRead(o.Measures), maps.Clone(o.Further)
	for name, batch := range o.Further {
		o.Further[name] = batchAsRead(batch)
	}
	o.Started, o.Finished = o.Started.UTC(), o.Finished.UTC()
	return &o
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

// FuzzCanonical holds that what is read is the same when it is written and read again,
// and that it is read without rows too.
func FuzzCanonical(f *testing.F) {
	m := maker{rand.New(rand.NewPCG(3, 4))}
	for range 20 {
		task, err := encodeTask(m.task())
		if err != nil {
			f.Fatal(err)
		}
		outcome, err := EncodeOutcome(m.outcome())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(task)
		f.Add(outcome)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if got, err := DecodeTask(body); err == nil {
			again, err := encodeTask(got)
			if err != nil {
				t.Fatal(err)
			}
			if want, err := DecodeTask(again); err != nil || !equalTask(taskAsRead(got), want) {
				t.Errorf("task %+v; written and read again %+v, %v", got, want, err)
			}
		}
		got, err := DecodeOutcome(body)
		if err != nil {
			return
		}
		again, err := EncodeOutcome(got)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := DecodeOutcome(again); err != nil || !equalOutcome(outcomeAsRead(got), want) {
			t.Errorf("outcome %+v; written and read again %+v, %v", got, want, err)
		}
		if ending, err := decodeEnding(body); err != nil || !equalOutcome(ending, withoutRows(got)) {
			t.Errorf("without rows %+v, %v", ending, err)
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
	got, err := DecodeOutcome(body)
	if err != nil {
		t.Fatal(err)
	}
	if got.Run != "run" || got.Cell != "cell" || got.Status != experiment.OK || got.Measures.Columns[0].Floats[0] != 1 {
		t.Errorf("decoded %+v", got)
	}
	if ending, err := decodeEnding(body); err != nil || ending.Run != "run" || !equalOutcome(ending, got) {
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
	b.Run("decode without rows", func(b *testing.B) {
		for b.Loop() {
			if _, err := decodeEnding(body); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// withoutRows returns an outcome without its further rows.
func withoutRows(outcome *experiment.Outcome) *experiment.Outcome {
	ending := *outcome
	ending.Further = nil
	return &ending
}
