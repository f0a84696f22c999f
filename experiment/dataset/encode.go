package dataset

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"unicode/utf8"
)

// The canonical form of a data set, all numbers little endian:
//
//	magic     8 bytes  "AGEDATA" and the version, 1 or 2
//	task      1 byte   0 classification, 1 regression
//	N, D      uint64   rows, features
//	name      uint32 length and bytes of UTF-8
//	features  D names in the same form
//	X         N*D float64, row-major
//	Y         N float64
//	uses      N bytes in version 2 (see use.byte), which says what rows may be used for
//	checksum  uint32   CRC-32C of all bytes before it
const (
	encodingMagic = "AGEDATA\x01"
	usesVersion   = 2
)

const maxName = 1 << 20

// chunk is the values per read or write, which bounds what a corrupt length allocates.
const chunk = 1 << 13

// tasks are in the order of their codes.
var tasks = []Task{Classification, Regression}

type encodedHead struct {
	Magic [len(encodingMagic)]byte
	Task  uint8
	N, D  uint64
}

func (d *Dataset) validate() error {
	if !slices.Contains(tasks, d.Task) {
		return fmt.Errorf("task %q: allowed are classification and regression", d.Task)
	}
	if d.N < 1 || d.D < 1 || d.N > math.MaxInt/d.D {
		return fmt.Errorf("%d rows of %d features: both must be at least 1", d.N, d.D)
	}
	if len(d.X) != d.N*d.D || len(d.Y) != d.N || len(d.Features) != d.D {
		return fmt.Errorf("%d rows of %d features with %d values, %d targets and %d names", d.N, d.D, len(d.X), len(d.Y), len(d.Features))
	}
	for _, name := range append([]string{d.Name}, d.Features...) {
		switch {
		case len(name) > maxName:
			return fmt.Errorf("a name of %d bytes: at most %d are allowed", len(name), maxName)
		case !utf8.ValidString(name):
			return fmt.Errorf("name %q is not UTF-8", name)
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
	head := encodedHead{Task: uint8(slices.Index(tasks, d.Task)), N: uint64(d.N), D: uint64(d.D)}
	copy(head.Magic[:], encodingMagic)
	if d.uses != nil {
		head.Magic[7] = usesVersion
	}
	_ = binary.Write(b, binary.LittleEndian, head)
	for _, name := range append([]string{d.Name}, d.Features...) {
		_, _ = b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(name))))
		_, _ = b.WriteString(name)
	}
	writeFloats(b, d.X)
	writeFloats(b, d.Y)
	_, _ = b.Write(d.useBytes())
}

// useBytes has a byte for each row: its part from 0, plus 4 if it is known to be clean.
func (d *Dataset) useBytes() []byte {
	list := make([]byte, len(d.uses))
	for i, u := range d.uses {
		if list[i] = byte(u.part); u.clean {
			list[i] += 4
		}
	}
	return list
}

func (d *Dataset) decodeUses(in io.Reader) error {
	list := make([]byte, d.N)
	if _, err := io.ReadFull(in, list); err != nil {
		return err
	}
	d.uses = make([]use, d.N)
	for i, b := range list {
		if b >= 8 {
			return fmt.Errorf("row %d: unknown use %d", i, b)
		}
		d.uses[i] = use{b >= 4, part(b % 4)}
	}
	return nil
}

func writeFloats(w io.Writer, values []float64) {
	var buf []byte
	for part := range slices.Chunk(values, chunk) {
		buf, _ = binary.Append(buf[:0], binary.LittleEndian, part)
		_, _ = w.Write(buf)
	}
}

// Digest is the hex SHA-256 of task, shape, X, Y and uses of rows: renaming changes no cell.
func (d *Dataset) Digest() string {
	h := sha256.New()
	head := append([]byte("agepath data set, version 1\x00"), d.Task...)
	head = append(head, 0)
	head = binary.LittleEndian.AppendUint64(head, uint64(d.N))
	head = binary.LittleEndian.AppendUint64(head, uint64(d.D))
	h.Write(head)
	writeFloats(h, d.X)
	writeFloats(h, d.Y)
	h.Write(d.useBytes())
	return hex.EncodeToString(h.Sum(nil))
}

// Decode reads exactly what [Encode] wrote. Memory grows only with the bytes read.
func Decode(r io.Reader) (*Dataset, error) {
	d, err := decode(bufio.NewReaderSize(r, 8*chunk))
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("truncated")
	}
	if err != nil {
		return nil, fmt.Errorf("decode data set: %w", err)
	}
	return d, nil
}

func decode(all *bufio.Reader) (*Dataset, error) {
	sum := crc32.New(castagnoli)
	in := io.TeeReader(all, sum)
	var head encodedHead
	if err := binary.Read(in, binary.LittleEndian, &head); err != nil {
		return nil, err
	}
	const most = math.MaxInt / 8
	switch magic := string(head.Magic[:]); {
	case magic[:7] != encodingMagic[:7]:
		return nil, errors.New("not an encoded data set")
	case magic[7] != encodingMagic[7] && magic[7] != usesVersion:
		return nil, fmt.Errorf("version %d, only versions %d and %d are known", magic[7], encodingMagic[7], usesVersion)
	case int(head.Task) >= len(tasks):
		return nil, fmt.Errorf("unknown task %d", head.Task)
	case head.N < 1 || head.D < 1 || head.N > most/head.D:
		return nil, fmt.Errorf("impossible shape: %d rows, %d features", head.N, head.D)
	}
	d := &Dataset{Task: tasks[head.Task], N: int(head.N), D: int(head.D)}
	for range d.D + 1 {
		name, err := decodeName(in)
		if err != nil {
			return nil, err
		}
		d.Features = append(d.Features, name)
	}
	d.Name, d.Features = d.Features[0], d.Features[1:]
	var err error
	if d.X, err = decodeFloats(in, d.N*d.D); err == nil {
		d.Y, err = decodeFloats(in, d.N)
	}
	if err == nil && head.Magic[7] == usesVersion {
		err = d.decodeUses(in)
	}
	if err != nil {
		return nil, err
	}
	var want uint32
	if err := binary.Read(all, binary.LittleEndian, &want); err != nil {
		return nil, err
	}
	if sum.Sum32() != want {
		return nil, errors.New("damaged: the checksum is wrong")
	}
	if _, err := all.ReadByte(); err != io.EOF {
		return nil, cmp.Or(err, errors.New("there are bytes after the end"))
	}
	return d, d.validate()
}

func decodeName(in io.Reader) (string, error) {
	var n uint32
	if err := binary.Read(in, binary.LittleEndian, &n); err != nil {
		return "", err
	}
	if n > maxName {
		return "", fmt.Errorf("a name of %d bytes: at most %d are allowed", n, maxName)
	}
	name := make([]byte, n)
	_, err := io.ReadFull(in, name)
	return string(name), err
}

func decodeFloats(in io.Reader, n int) (values []float64, err error) {
	part := make([]float64, chunk)
	for len(values) < n && err == nil {
		part = part[:min(n-len(values), chunk)]
		err = binary.Read(in, binary.LittleEndian, part)
		values = append(values, part...)
	}
	return values, err
}
