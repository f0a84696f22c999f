package queue

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/x448/float16"

	"github.com/agepath/agepath/experiment"
)

// Major types of CBOR, RFC 8949, section 3.1, in the place they have in the
// first byte of an item.
const (
	majorUint   byte = 0 << 5
	majorNegint byte = 1 << 5
	majorBytes  byte = 2 << 5
	majorText   byte = 3 << 5
	majorArray  byte = 4 << 5
	majorMap    byte = 5 << 5
)

// Whole items of major type 7, and the first bytes of its floats.
const (
	itemFalse   byte = 0xf4
	itemTrue    byte = 0xf5
	itemNull    byte = 0xf6
	itemFloat16 byte = 0xf9
	itemFloat32 byte = 0xfa
	itemFloat64 byte = 0xfb
)

// canonicalWriter writes tasks and outcomes as encMode does, byte for byte, a
// tenth of whose time it takes: it knows the types.
type canonicalWriter struct{ out []byte }

// head writes the first bytes of an item, the argument as short as possible.
func (w *canonicalWriter) head(major byte, n uint64) {
	switch {
	case n < 24:
		w.out = append(w.out, major|byte(n))
	case n <= math.MaxUint8:
		w.out = append(w.out, major|24, byte(n))
	case n <= math.MaxUint16:
		w.out = binary.BigEndian.AppendUint16(append(w.out, major|25), uint16(n))
	case n <= math.MaxUint32:
		w.out = binary.BigEndian.AppendUint32(append(w.out, major|26), uint32(n))
	default:
		w.out = binary.BigEndian.AppendUint64(append(w.out, major|27), n)
	}
}

func (w *canonicalWriter) item(item byte) { w.out = append(w.out, item) }

func (w *canonicalWriter) int(x int64) {
	if x < 0 {
		w.head(majorNegint, uint64(^x))
		return
	}
	w.head(majorUint, uint64(x))
}

func (w *canonicalWriter) text(s string) {
	w.head(majorText, uint64(len(s)))
	w.out = append(w.out, s...)
}

// list writes the head of an array, null for a nil slice.
func (w *canonicalWriter) list(n int, isNil bool) {
	if isNil {
		w.item(itemNull)
		return
	}
	w.head(majorArray, uint64(n))
}

// float writes a number in the shortest form that holds it.
func (w *canonicalWriter) float(x float64) {
	short := float32(x)
	switch {
	case math.IsNaN(x):
		w.out = append(w.out, itemFloat16, 0x7e, 0)
	case float64(short) != x:
		w.out = binary.BigEndian.AppendUint64(append(w.out, itemFloat64), math.Float64bits(x))
	default:
		if half := float16.Fromfloat32(short); half.Float32() == short {
			w.out = binary.BigEndian.AppendUint16(append(w.out, itemFloat16), half.Bits())
			return
		}
		w.out = binary.BigEndian.AppendUint32(append(w.out, itemFloat32), math.Float32bits(short))
	}
}

func (w *canonicalWriter) time(at time.Time) {
	if at.IsZero() {
		w.item(itemNull)
		return
	}
	var text [len(time.RFC3339Nano)]byte
	written := at.UTC().AppendFormat(text[:0], time.RFC3339Nano)
	w.head(majorText, uint64(len(written)))
	w.out = append(w.out, written...)
}

// The keys of structs are below 24: each is one byte, in the order of which
// they are written.

func (w *canonicalWriter) batch(b *experiment.Batch) {
	w.head(majorMap, 2)
	w.item(1)
	w.int(int64(b.Rows))
	w.item(2)
	w.list(len(b.Columns), b.Columns == nil)
	for j := range b.Columns {
		w.vector(&b.Columns[j])
	}
}

func (w *canonicalWriter) vector(v *experiment.Vector) {
	w.head(majorMap, count(len(v.Ints) > 0, len(v.Floats) > 0, len(v.Texts) > 0, len(v.Lists) > 0, len(v.Null) > 0))
	if len(v.Ints) > 0 {
		w.item(1)
		w.list(len(v.Ints), false)
		for _, x := range v.Ints {
			w.int(x)
		}
	}
	if len(v.Floats) > 0 {
		w.item(2)
		w.floats(v.Floats)
	}
	if len(v.Texts) > 0 {
		w.item(3)
		w.list(len(v.Texts), false)
		for _, s := range v.Texts {
			w.text(s)
		}
	}
	if len(v.Lists) > 0 {
		w.item(4)
		w.list(len(v.Lists), false)
		for _, list := range v.Lists {
			w.floats(list)
		}
	}
	if len(v.Null) > 0 {
		w.item(5)
		w.list(len(v.Null), false)
		for _, is := range v.Null {
			if is {
				w.item(itemTrue)
			} else {
				w.item(itemFalse)
			}
		}
	}
}

func (w *canonicalWriter) floats(list []float64) {
	w.list(len(list), list == nil)
	for _, x := range list {
		w.float(x)
	}
}

// count returns how many of the fields are there.
func count(fields ...bool) (n uint64) {
	for _, is := range fields {
		if is {
			n++
		}
	}
	return n
}

// task writes a task. Its keys are text, in the order of their encoding: the
// shorter ones first.
func (w *canonicalWriter) task(t *experiment.Task) {
	w.head(majorMap, 7+count(len(t.Data) > 0, len(t.Needs) > 0))
	w.text("run")
	w.text(t.Run)
	w.text("cell")
	w.text(t.Cell)
	w.text("cost")
	w.float(t.Cost)
	if len(t.Data) > 0 {
		w.text("data")
		w.list(len(t.Data), false)
		for _, digest := range t.Data {
			w.text(digest)
		}
	}
	w.text("kind")
	w.text(t.Kind)
	w.text("spec")
	if t.Spec == nil {
		w.item(itemNull)
	} else {
		w.head(majorBytes, uint64(len(t.Spec)))
		w.out = append(w.out, t.Spec...)
	}
	if len(t.Needs) > 0 {
		w.text("needs")
		w.list(len(t.Needs), false)
		for _, need := range t.Needs {
			w.need(need)
		}
	}
	w.text("labels")
	w.batch(&t.Labels)
	w.text("limits")
	w.limits(t.Limits)
}

func (w *canonicalWriter) need(n experiment.Need) {
	w.head(majorMap, 1+count(n.Version != 0))
	w.text("name")
	w.text(n.Name)
	if n.Version != 0 {
		w.text("version")
		w.int(int64(n.Version))
	}
}

func (w *canonicalWriter) limits(l experiment.Limits) {
	w.head(majorMap, count(l.Memory != 0, l.Timeout != 0, l.Attempts != 0))
	if l.Memory != 0 {
		w.text("memory")
		w.int(l.Memory)
	}
	if l.Timeout != 0 {
		w.text("timeout")
		w.int(int64(l.Timeout))
	}
	if l.Attempts != 0 {
		w.text("attempts")
		w.int(int64(l.Attempts))
	}
}

// outcome writes an outcome whose times canFormat.
func (w *canonicalWriter) outcome(o *experiment.Outcome) {
	w.head(majorMap, 12+count(o.Error != "", len(o.Further) > 0, o.CPU != nil, o.Peak != nil))
	w.item(1)
	w.text(o.Run)
	w.item(2)
	w.text(o.Cell)
	w.item(3)
	w.text(o.Kind)
	w.item(4)
	w.batch(&o.Labels)
	w.item(5)
	w.text(string(o.Status))
	if o.Error != "" {
		w.item(6)
		w.text(o.Error)
	}
	w.item(7)
	w.int(int64(o.Attempts))
	w.item(8)
	w.batch(&o.Measures)
	if len(o.Further) > 0 {
		w.item(9)
		w.further(o.Further)
	}
	w.item(10)
	w.float(o.Wall)
	if o.CPU != nil {
		w.item(11)
		w.float(*o.CPU)
	}
	if o.Peak != nil {
		w.item(12)
		w.int(*o.Peak)
	}
	w.item(13)
	w.text(o.Worker)
	w.item(14)
	w.text(o.Version)
	w.item(15)
	w.time(o.Started)
	w.item(16)
	w.time(o.Finished)
}

func (w *canonicalWriter) further(tables map[string]experiment.Batch) {
	names := make([]string, 0, len(tables))
	for name := range tables {
		names = append(names, name)
	}
	slices.SortFunc(names, compareKeys)
	w.head(majorMap, uint64(len(names)))
	for _, name := range names {
		batch := tables[name]
		w.text(name)
		w.batch(&batch)
	}
}

// compareKeys orders text keys by their encoding: the length comes first.
func compareKeys(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// canFormat reports whether RFC 3339 has the year of a time.
func canFormat(at time.Time) bool {
	year := at.UTC().Year()
	return 0 <= year && year <= 9999
}
