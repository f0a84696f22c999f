package queue

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/x448/float16"

	"github.com/agepath/agepath/experiment"
)

// vectorBytes is the memory of a column without its values.
const vectorBytes = int(unsafe.Sizeof(experiment.Vector{}))

// canonicalReader reads tasks and outcomes as canonicalWriter writes them. All
// else fails it, also what decMode would take: keys in another order, keys it
// does not know, tags, lengths that come last.
type canonicalReader struct {
	in     []byte
	failed bool
	room   int // bytes that decoding may still take

	// Slices of single values, of which a row has one a column, are cut from these.
	ints   []int64
	floats []float64
	nulls  []bool
}

// reading returns a reader of a message.
func reading(in []byte) canonicalReader { return canonicalReader{in: in, room: roomFor(len(in))} }

// roomFor returns how many bytes decoding so many may take: eight for each, as
// much as a list of small numbers does, and what the columns of a row take.
func roomFor(size int) int { return 64<<10 + 8*size }

// takes notes that n values of so many bytes each are allocated, and fails the
// reader where they are more than it has room for.
func (r *canonicalReader) takes(n, bytes int) int {
	if r.room -= n * bytes; r.room < 0 {
		r.fail()
		return 0
	}
	return n
}

// slab is how many values are allocated at a time for slices of one.
const slab = 32

// cut returns a slice of n values, which is cut from the slab when it is one.
func cut[T any](from *[]T, n int) []T {
	if n != 1 {
		return make([]T, n)
	}
	if len(*from) == 0 {
		*from = make([]T, slab)
	}
	one := (*from)[:1:1]
	*from = (*from)[1:]
	return one
}

func (r *canonicalReader) fail() { r.failed, r.in = true, nil }

// whole reports whether all was read.
func (r *canonicalReader) whole() bool { return !r.failed && len(r.in) == 0 }

// peek reports whether the next item is the given one of one byte, which it then
// skips.
func (r *canonicalReader) peek(item byte) bool {
	if len(r.in) == 0 || r.in[0] != item {
		return false
	}
	r.in = r.in[1:]
	return true
}

// head reads the first bytes of an item.
func (r *canonicalReader) head() (major byte, n uint64) {
	if len(r.in) == 0 {
		r.fail()
		return 0, 0
	}
	first := r.in[0]
	major, n = first&0xe0, uint64(first&0x1f)
	if n < 24 {
		r.in = r.in[1:]
		return major, n
	}
	size := 1 << (n - 24) // of the argument
	if n > 27 || len(r.in) < 1+size {
		r.fail()
		return 0, 0
	}
	argument := r.in[1 : 1+size]
	r.in = r.in[1+size:]
	switch size {
	case 1:
		n = uint64(argument[0])
	case 2:
		n = uint64(binary.BigEndian.Uint16(argument))
	case 4:
		n = uint64(binary.BigEndian.Uint32(argument))
	default:
		n = binary.BigEndian.Uint64(argument)
	}
	return major, n
}

// length reads the head of an item that takes at least a byte for each of n.
func (r *canonicalReader) length(want byte) int {
	major, n := r.head()
	if major != want || n > uint64(len(r.in)) {
		r.fail()
		return 0
	}
	return int(n)
}

// list reads the head of an array; isNil says that there is null instead.
func (r *canonicalReader) list() (n int, isNil bool) {
	if r.peek(itemNull) {
		return 0, true
	}
	return r.length(majorArray), false
}

func (r *canonicalReader) take(n int) []byte {
	part := r.in[:n]
	r.in = r.in[n:]
	return part
}

// bytes reads text without a copy.
func (r *canonicalReader) bytes() []byte {
	text := r.take(r.length(majorText))
	if !utf8.Valid(text) {
		r.fail()
	}
	return text
}

func (r *canonicalReader) text() string { return string(r.bytes()) }

func (r *canonicalReader) int() int64 {
	major, n := r.head()
	if major > majorNegint || n > math.MaxInt64 {
		r.fail()
		return 0
	}
	if major == majorNegint {
		return ^int64(n)
	}
	return int64(n)
}

func (r *canonicalReader) float() float64 {
	if len(r.in) == 0 {
		r.fail()
		return 0
	}
	first := r.in[0]
	if first < itemFloat16 || first > itemFloat64 {
		r.fail()
		return 0
	}
	_, bits := r.head()
	switch first {
	case itemFloat16:
		return float64(float16.Frombits(uint16(bits)).Float32())
	case itemFloat32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

func (r *canonicalReader) time() time.Time {
	if r.peek(itemNull) {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, r.text())
	if err != nil {
		r.fail()
	}
	return at
}

// fields reads a struct: its keys, which rise, and by read their values.
func (r *canonicalReader) fields(read func(key int)) {
	last := 0
	for n := r.length(majorMap); n > 0 && !r.failed; n-- {
		major, key := r.head()
		if major != majorUint || key > 23 || int(key) <= last {
			r.fail()
			return
		}
		last = int(key)
		read(last)
	}
}

// named is fields for keys that are text.
func (r *canonicalReader) named(read func(key string)) {
	last := ""
	for n := r.length(majorMap); n > 0 && !r.failed; n-- {
		key := r.text()
		if compareKeys(key, last) <= 0 {
			r.fail()
			return
		}
		last = key
		read(key)
	}
}

func (r *canonicalReader) batch(b *experiment.Batch) {
	r.fields(func(key int) {
		switch key {
		case 1:
			b.Rows = int(r.int())
		case 2:
			if n, isNil := r.list(); !isNil {
				b.Columns = make([]experiment.Vector, r.takes(n, vectorBytes))
			}
			for j := range b.Columns {
				r.vector(&b.Columns[j])
			}
		default:
			r.fail()
		}
	})
}

func (r *canonicalReader) vector(v *experiment.Vector) {
	r.fields(func(key int) {
		n, isNil := r.list()
		if isNil { // it is left out instead
			r.fail()
			return
		}
		switch key {
		case 1:
			v.Ints = cut(&r.ints, r.takes(n, 8))
			for i := range v.Ints {
				v.Ints[i] = r.int()
			}
		case 2:
			v.Floats = cut(&r.floats, r.takes(n, 8))
			for i := range v.Floats {
				v.Floats[i] = r.float()
			}
		case 3:
			v.Texts = make([]string, r.takes(n, 16))
			for i := range v.Texts {
				v.Texts[i] = r.text()
			}
		case 4:
			v.Lists = make([][]float64, r.takes(n, 24))
			for i := range v.Lists {
				v.Lists[i] = r.numbers()
			}
		case 5:
			v.Null = cut(&r.nulls, r.takes(n, 1))
			for i := range v.Null {
				v.Null[i] = r.peek(itemTrue)
				if !v.Null[i] && !r.peek(itemFalse) {
					r.fail()
				}
			}
		default:
			r.fail()
		}
	})
}

func (r *canonicalReader) numbers() []float64 {
	n, isNil := r.list()
	if isNil {
		return nil
	}
	list := make([]float64, r.takes(n, 8))
	for i := range list {
		list[i] = r.float()
	}
	return list
}

// skipBatch skips what batch reads.
func (r *canonicalReader) skipBatch() {
	r.fields(func(key int) {
		switch key {
		case 1:
			r.int()
		case 2:
			n, _ := r.list()
			for range n {
				r.skipVector()
			}
		default:
			r.fail()
		}
	})
}

func (r *canonicalReader) skipVector() {
	r.fields(func(key int) {
		n, isNil := r.list()
		if isNil || key > 5 {
			r.fail()
		}
		for range n {
			if key == 4 {
				for m, _ := r.list(); m > 0; m-- {
					r.float()
				}
				continue
			}
			if major, length := r.head(); major == majorText && length <= uint64(len(r.in)) {
				r.take(int(length))
			} else if major == majorText {
				r.fail()
			}
		}
	})
}

func (r *canonicalReader) task(t *experiment.Task) {
	r.named(func(key string) {
		switch key {
		case "run":
			t.Run = r.text()
		case "cell":
			t.Cell = r.text()
		case "cost":
			t.Cost = r.float()
		case "data":
			n, isNil := r.list()
			if isNil { // it is left out instead
				r.fail()
				return
			}
			t.Data = make([]string, r.takes(n, 16))
			for i := range t.Data {
				t.Data[i] = r.text()
			}
		case "kind":
			t.Kind = r.text()
		case "spec":
			if !r.peek(itemNull) {
				t.Spec = append(json.RawMessage{}, r.take(r.length(majorBytes))...)
			}
		case "needs":
			n, isNil := r.list()
			if isNil { // it is left out instead
				r.fail()
				return
			}
			t.Needs = make([]experiment.Need, r.takes(n, 24))
			for i := range t.Needs {
				r.need(&t.Needs[i])
			}
		case "labels":
			r.batch(&t.Labels)
		case "limits":
			r.limits(&t.Limits)
		default:
			r.fail()
		}
	})
}

func (r *canonicalReader) need(n *experiment.Need) {
	r.named(func(key string) {
		switch key {
		case "name":
			n.Name = r.text()
		case "version":
			n.Version = int(r.int())
		default:
			r.fail()
		}
	})
}

func (r *canonicalReader) limits(l *experiment.Limits) {
	r.named(func(key string) {
		switch key {
		case "memory":
			l.Memory = r.int()
		case "timeout":
			l.Timeout = time.Duration(r.int())
		case "attempts":
			l.Attempts = int(r.int())
		default:
			r.fail()
		}
	})
}

// outcome reads an outcome, without rows without what was computed.
func (r *canonicalReader) outcome(o *experiment.Outcome, rows bool) {
	r.fields(func(key int) {
		switch key {
		case 1:
			o.Run = r.text()
		case 2:
			o.Cell = r.text()
		case 3:
			o.Kind = r.text()
		case 4:
			r.batch(&o.Labels)
		case 5:
			o.Status = experiment.Status(r.text())
		case 6:
			o.Error = r.text()
		case 7:
			o.Attempts = int(r.int())
		case 8:
			if rows {
				r.batch(&o.Measures)
			} else {
				r.skipBatch()
			}
		case 9:
			r.further(o, rows)
		case 10:
			o.Wall = r.float()
		case 11:
			x := r.float()
			o.CPU = &x
		case 12:
			n := r.int()
			o.Peak = &n
		case 13:
			o.Worker = r.text()
		case 14:
			o.Version = r.text()
		case 15:
			o.Started = r.time()
		case 16:
			o.Finished = r.time()
		default:
			r.fail()
		}
	})
}

func (r *canonicalReader) further(o *experiment.Outcome, rows bool) {
	if rows {
		o.Further = map[string]experiment.Batch{}
	}
	r.named(func(name string) {
		if !rows {
			r.skipBatch()
			return
		}
		r.takes(1, vectorBytes)
		var batch experiment.Batch
		r.batch(&batch)
		o.Further[name] = batch
	})
}
