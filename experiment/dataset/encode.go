package dataset

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"unicode/utf8"
)

// The canonical form of a data set, all numbers little endian:
//
//	magic     8 bytes  "AGEDATA" and the version, 1
//	task      1 byte   0 classification, 1 regression
//	N, D      uint64   rows, features
//	name      uint32 length and bytes of UTF-8
//	features  D names in the same form
//	X         N*D float64, row-major
//	Y         N float64
//	checksum  uint32   CRC-32C of all bytes before it
const encodingMagic = "AGEDATA\x01"

const maxName = 1 << 20

// chunk is the values per read or write, which bounds what a corrupt length allocates.
const chunk = 1 << 13

func taskCode(t Task) (byte, bool) {
	switch t {
	case Classification:
		return 0, true
	case Regression:
		return 1, true
	}
	return 0, false
}

func (d *Dataset) validate() error {
	if _, ok := taskCode(d.Task); !ok {
		return fmt.Errorf("task %q: allowed are classification and regression", d.Task)
	}
	if d.N < 1 || d.D < 1 || d.N > math.MaxInt/d.D {
		return fmt.Errorf("%d rows of %d features: both must be at least 1", d.N, d.D)
	}
	if len(d.X) != d.N*d.D || len(d.Y) != d.N || len(d.Features) != d.D {
		return fmt.Errorf("%d rows of %d features with %d values, %d targets and %d names", d.N, d.D, len(d.X), len(d.Y), len(d.Features))
	}
	for _, name := range append([]string{d.Name}, d.Features...) {
		if err := validName(name); err != nil {
			return err
		}
	}
	unfit := func(v float64) bool { return NotFinite(v) && math.Float64bits(v) != math.Float64bits(math.NaN()) }
	if i := slices.IndexFunc(d.X, unfit); i >= 0 {
		return fmt.Errorf("row %d, feature %d: %v is not finite", i/d.D, i%d.D, d.X[i])
	}
	for i, v := range d.Y {
		if NotFinite(v) {
			return fmt.Errorf("row %d, target: %v is not finite", i, v)
		}
		if d.Task == Classification && v != 1 && v != -1 {
			return fmt.Errorf("row %d, target: %v is not a class, allowed are -1 and +1", i, v)
		}
	}
	return nil
}

// NotFinite reports whether a number is NaN or infinite.
func NotFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

func validName(name string) error {
	if len(name) > maxName {
		return fmt.Errorf("a name of %d bytes: at most %d are allowed", len(name), maxName)
	}
	if !utf8.ValidString(name) {
		return fmt.Errorf("name %q is not UTF-8", name)
	}
	return nil
}

// Encode writes the canonical form, the same bytes on every machine, of a valid data set.
func Encode(w io.Writer, d *Dataset) error {
	err := d.validate()
	if err == nil {
		sum := crc32.New(castagnoli)
		b := bufio.NewWriterSize(io.MultiWriter(w, sum), 8*chunk)
		d.encode(b)
		if err = b.Flush(); err == nil {
			_, err = w.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
		}
	}
	if err != nil {
		return fmt.Errorf("encode data set %q: %w", d.Name, err)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode writes all but the checksum; b keeps its first error.
func (d *Dataset) encode(b *bufio.Writer) {
	task, _ := taskCode(d.Task)
	head := append([]byte(encodingMagic), task)
	head = binary.LittleEndian.AppendUint64(head, uint64(d.N))
	_, _ = b.Write(binary.LittleEndian.AppendUint64(head, uint64(d.D)))
	for _, name := range append([]string{d.Name}, d.Features...) {
		_, _ = b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(name))))
		_, _ = b.WriteString(name)
	}
	writeFloats(b, d.X)
	writeFloats(b, d.Y)
}

func writeFloats(w io.Writer, values []float64) {
	var buf []byte
	for part := range slices.Chunk(values, chunk) {
		buf, _ = binary.Append(buf[:0], binary.LittleEndian, part)
		_, _ = w.Write(buf)
	}
}

// Digest is the hex SHA-256 of task, shape, X and Y: renaming changes no cell.
func (d *Dataset) Digest() string {
	h := sha256.New()
	head := append([]byte("agepath data set, version 1\x00"), d.Task...)
	head = append(head, 0)
	head = binary.LittleEndian.AppendUint64(head, uint64(d.N))
	head = binary.LittleEndian.AppendUint64(head, uint64(d.D))
	h.Write(head)
	writeFloats(h, d.X)
	writeFloats(h, d.Y)
	return hex.EncodeToString(h.Sum(nil))
}

// Decode reads exactly what [Encode] wrote. Memory grows only with the bytes read.
func Decode(r io.Reader) (*Dataset, error) {
	sum := crc32.New(castagnoli)
	in := &decoder{r: bufio.NewReaderSize(r, 8*chunk), sum: sum, buf: make([]byte, 8*chunk)}
	d, err := in.dataset()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("truncated")
	}
	if err != nil {
		return nil, fmt.Errorf("decode data set: %w", err)
	}
	return d, nil
}

// decoder returns zeros after its first error.
type decoder struct {
	r   *bufio.Reader
	sum hash.Hash32
	buf []byte
	err error
}

func (in *decoder) dataset() (*Dataset, error) {
	magic := in.bytes(len(encodingMagic))
	if in.err == nil && string(magic) != encodingMagic {
		if string(magic[:7]) == encodingMagic[:7] {
			return nil, fmt.Errorf("version %d, only version %d is known", magic[7], encodingMagic[7])
		}
		return nil, errors.New("not an encoded data set")
	}
	d := new(Dataset)
	switch task := in.bytes(1)[0]; task {
	case 0:
		d.Task = Classification
	case 1:
		d.Task = Regression
	default:
		return nil, fmt.Errorf("unknown task %d", task)
	}
	n, features := in.uint64(), in.uint64()
	const most = math.MaxInt / 8
	if in.err != nil {
		return nil, in.err
	}
	if n < 1 || features < 1 || n > most/features {
		return nil, fmt.Errorf("impossible shape: %d rows, %d features", n, features)
	}
	d.N, d.D = int(n), int(features)
	d.Name = in.name()
	for i := 0; i < d.D && in.err == nil; i++ {
		d.Features = append(d.Features, in.name())
	}
	d.X = in.floats(d.N * d.D)
	d.Y = in.floats(d.N)
	want := in.sum.Sum32()
	got := in.bytes(4)
	if in.err != nil {
		return nil, in.err
	}
	if binary.LittleEndian.Uint32(got) != want {
		return nil, errors.New("damaged: the checksum is wrong")
	}
	if _, err := in.r.ReadByte(); err != io.EOF {
		if err != nil {
			return nil, err
		}
		return nil, errors.New("there are bytes after the end")
	}
	return d, d.validate()
}

// bytes reads at most len(in.buf) bytes, valid until the next read.
func (in *decoder) bytes(n int) []byte {
	b := in.buf[:n]
	if in.err == nil {
		_, in.err = io.ReadFull(in.r, b)
	}
	if in.err != nil {
		clear(b)
		return b
	}
	in.sum.Write(b)
	return b
}

func (in *decoder) uint64() uint64 { return binary.LittleEndian.Uint64(in.bytes(8)) }

func (in *decoder) name() string {
	n := int(binary.LittleEndian.Uint32(in.bytes(4)))
	if n > maxName {
		in.err = fmt.Errorf("a name of %d bytes: at most %d are allowed", n, maxName)
		return ""
	}
	var name []byte
	for n > 0 && in.err == nil {
		b := in.bytes(min(n, len(in.buf)))
		name = append(name, b...)
		n -= len(b)
	}
	return string(name)
}

func (in *decoder) floats(n int) []float64 {
	values := make([]float64, 0, min(n, chunk))
	for len(values) < n && in.err == nil {
		for b := in.bytes(8 * min(n-len(values), chunk)); len(b) > 0; b = b[8:] {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	}
	return values
}
