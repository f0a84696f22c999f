package results

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// An Arrow stream is a sequence of messages: FF FF FF FF, the length of the metadata (int32), the
// metadata (a flatbuffer, Message.fbs of the Arrow format), and the body. A file is ARROW1, two
// zero bytes, a stream, and a footer with the positions. Files written here have the stream's end
// marker, so both are read front to back.

const fileMagic = "ARROW1"

var streamEnd = []byte{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0}

// errTorn means an interrupted stream, or damage.
var errTorn = errors.New("not a whole Arrow message")

type messageKind byte

const (
	schemaMessage messageKind = 1
	batchMessage  messageKind = 3
)

type message struct {
	kind   messageKind
	meta   []byte
	body   int64 // offset in the file
	length int64 // of the body
}

// messageScanner checks lengths against the size of the file before use.
type messageScanner struct {
	r      io.ReaderAt
	size   int64
	offset int64
}

// next returns io.EOF at the end of the stream and errTorn if no whole message follows.
func (s *messageScanner) next() (*message, error) {
	if s.offset == s.size {
		return nil, io.EOF
	}
	var prefix [8]byte
	if s.size-s.offset < int64(len(prefix)) {
		return nil, errTorn
	}
	if _, err := s.r.ReadAt(prefix[:], s.offset); err != nil {
		return nil, err
	}
	if prefix == [8]byte(streamEnd) {
		s.offset = s.size
		return nil, io.EOF
	}
	start := s.offset + int64(len(prefix))
	length := int64(int32(binary.LittleEndian.Uint32(prefix[4:])))
	if string(prefix[:4]) != string(streamEnd[:4]) || length <= 0 || length > s.size-start {
		return nil, errTorn
	}
	m := &message{meta: make([]byte, length), body: start + length}
	if _, err := s.r.ReadAt(m.meta, start); err != nil {
		return nil, err
	}
	if err := m.parse(); err != nil {
		return nil, err
	}
	if m.length < 0 || m.length > s.size-m.body {
		return nil, errTorn
	}
	s.offset = m.body + m.length
	return m, nil
}

// Slots in Message.fbs and Schema.fbs, as offsets into the vtables: 4 plus 2 for each earlier
// field.
const (
	slotHeaderType     = 6
	slotHeader         = 8
	slotBodyLength     = 10
	slotBatchLength    = 4
	slotBatchNodes     = 6
	slotBatchBuffers   = 8
	slotBatchCodec     = 10
	slotCodec          = 4
	slotSchemaFields   = 6
	slotSchemaMetadata = 8
	slotFieldChildren  = 14
	slotFieldMetadata  = 16
)

// guard turns a panic into errTorn: the flatbuffers package checks only the bounds of slices.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", errTorn, p)
	}
}

func (m *message) parse() (err error) {
	defer guard(&err)
	table := rootTable(m.meta)
	m.kind = messageKind(table.GetByteSlot(slotHeaderType, 0))
	m.length = table.GetInt64Slot(slotBodyLength, 0)
	if m.kind == schemaMessage {
		schema, ok := subTable(table, slotHeader)
		if !ok {
			return errTorn
		}
		return checkSchemaLengths(schema)
	}
	return nil
}

func rootTable(meta []byte) *flatbuffers.Table {
	return &flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}
}

func subTable(table *flatbuffers.Table, slot flatbuffers.VOffsetT) (*flatbuffers.Table, bool) {
	o := table.Offset(slot)
	if o == 0 {
		return nil, false
	}
	return &flatbuffers.Table{Bytes: table.Bytes, Pos: table.Indirect(table.Pos + flatbuffers.UOffsetT(o))}, true
}

// vector checks that the vector lies within the buffer.
func vector(table *flatbuffers.Table, slot flatbuffers.VOffsetT, size int) (start flatbuffers.UOffsetT, n int, err error) {
	o := flatbuffers.UOffsetT(table.Offset(slot))
	if o == 0 {
		return 0, 0, nil
	}
	start, n = table.Vector(o), table.VectorLen(o)
	if n > (len(table.Bytes)-int(start))/size {
		return 0, 0, errTorn
	}
	return start, n, nil
}

// checkSchemaLengths refuses more fields or metadata than the message has room for: the library
// allocates by these lengths, and recover cannot catch running out of memory.
func checkSchemaLengths(schema *flatbuffers.Table) error {
	fields, n, err := vector(schema, slotSchemaFields, 4)
	if err != nil {
		return err
	}
	if _, _, err := vector(schema, slotSchemaMetadata, 4); err != nil {
		return err
	}
	return checkFieldLengths(schema, fields, n, 0)
}

func checkFieldLengths(table *flatbuffers.Table, fields flatbuffers.UOffsetT, n, depth int) error {
	if n > 0 && depth > 1 { // no column is deeper than a list
		return errTorn
	}
	for i := range n {
		field := &flatbuffers.Table{Bytes: table.Bytes, Pos: table.Indirect(fields + flatbuffers.UOffsetT(4*i))}
		if _, _, err := vector(field, slotFieldMetadata, 4); err != nil {
			return err
		}
		children, k, err := vector(field, slotFieldChildren, 4)
		if err != nil {
			return err
		}
		if k > 1 {
			return errTorn
		}
		if err := checkFieldLengths(field, children, k, depth+1); err != nil {
			return err
		}
	}
	return nil
}
