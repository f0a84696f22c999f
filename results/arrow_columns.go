package results

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/agepath/agepath/experiment"
)

// The library reads all columns of a record batch or none. Here only the buffers of the wanted columns
// are read and decompressed: several times faster for few columns. Damage is detected: see
// [messageScanner], [projection.values] and [vectorOf].

// layouts counts nodes and buffers of each type, for a list with those of its values.
var layouts = [...]batchParts{
	experiment.Int:       {1, 2},
	experiment.Float:     {1, 2},
	experiment.Text:      {1, 3},
	experiment.Time:      {1, 2},
	experiment.FloatList: {2, 4},
}

// batchNode is FieldNode of Message.fbs.
type batchNode struct{ length, nulls int64 }

// batchBuffer is Buffer of Message.fbs; the offset is relative to the body.
type batchBuffer struct{ offset, length int64 }

// Codecs, as in BodyCompression of Message.fbs.
const (
	codecNone int8 = -1
	codecLZ4  int8 = 0
	codecZSTD int8 = 1
)

// batchHeader is RecordBatch of Message.fbs.
type batchHeader struct {
	rows    int64
	nodes   []batchNode
	buffers []batchBuffer
	codec   int8
}

func parseBatchHeader(m *message) (h *batchHeader, err error) {
	defer guard(&err)
	table, ok := subTable(rootTable(m.meta), slotHeader)
	if !ok {
		return nil, errTorn
	}
	h = &batchHeader{rows: table.GetInt64Slot(slotBatchLength, 0), codec: codecNone}
	if codec, ok := subTable(table, slotBatchCodec); ok {
		h.codec = codec.GetInt8Slot(slotCodec, 0)
	}
	if h.nodes, err = pairs(table, slotBatchNodes, func(a, b int64) batchNode { return batchNode{a, b} }); err != nil {
		return nil, err
	}
	if h.buffers, err = pairs(table, slotBatchBuffers, func(a, b int64) batchBuffer { return batchBuffer{a, b} }); err != nil {
		return nil, err
	}
	return h, h.check(m.length)
}

func pairs[T any](table *flatbuffers.Table, slot flatbuffers.VOffsetT, of func(a, b int64) T) (list []T, err error) {
	at, n, err := vector(table, slot, 16)
	for range n {
		list = append(list, of(table.GetInt64(at), table.GetInt64(at+8)))
		at += 16
	}
	return list, err
}

func (h *batchHeader) check(body int64) error {
	if h.rows < 0 || h.rows > math.MaxInt32 {
		return errTorn
	}
	for _, node := range h.nodes {
		if node.length < 0 || node.nulls < 0 || node.nulls > node.length {
			return errTorn
		}
	}
	for _, b := range h.buffers {
		if b.offset < 0 || b.length < 0 || b.length > body || b.offset > body-b.length {
			return errTorn
		}
	}
	return nil
}

// batchParts counts, or locates, nodes and buffers.
type batchParts struct{ nodes, buffers int }

// absent is the start of a column that the file does not have.
var absent = batchParts{-1, -1}

type projection struct {
	columns []experiment.Column // decoded
	starts  []batchParts        // of each, in a batch of the file
	total   batchParts          // of all columns of the file
	codec   int8
	zstd    *zstd.Decoder
	lz4     *lz4.Reader
	stored  []byte
}

// newProjection expects the positions of the wanted columns in all, -1 for absent ones.
func newProjection(all, wanted []experiment.Column, at []int) (*projection, error) {
	p := &projection{columns: wanted, lz4: lz4.NewReader(nil)}
	starts := make([]batchParts, len(all))
	for j, column := range all {
		starts[j] = p.total
		p.total.nodes += layouts[column.Type].nodes
		p.total.buffers += layouts[column.Type].buffers
	}
	for _, j := range at {
		if j < 0 {
			p.starts = append(p.starts, absent)
			continue
		}
		p.starts = append(p.starts, starts[j])
	}
	var err error
	p.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	return p, err
}

// decode returns slices that share no memory with another batch. Panics over damage become errors.
func (p *projection) decode(r io.ReaderAt, m *message) (batch experiment.Batch, err error) {
	defer guard(&err)
	header, err := parseBatchHeader(m)
	if err != nil {
		return batch, err
	}
	if len(header.nodes) != p.total.nodes || len(header.buffers) != p.total.buffers {
		return batch, errTorn
	}
	if p.codec = header.codec; codecs[p.codec] == "" {
		return batch, fmt.Errorf("%w: codec %d", errTorn, p.codec)
	}
	batch = experiment.Batch{Rows: int(header.rows), Columns: make([]experiment.Vector, len(p.columns))}
	for j, column := range p.columns {
		start, parts := p.starts[j], layouts[column.Type]
		if start == absent {
			batch.Columns[j] = experiment.NullVector(column.Type, batch.Rows)
			continue
		}
		buffers := make([][]byte, parts.buffers)
		for k := range buffers {
			if buffers[k], err = p.values(r, m.body, header.buffers[start.buffers+k], header.codec); err != nil {
				return batch, err
			}
		}
		nodes := header.nodes[start.nodes : start.nodes+parts.nodes]
		if nodes[0].length != header.rows {
			return batch, errTorn
		}
		batch.Columns[j] = vectorOf(column.Type, nodes, buffers)
	}
	return batch, nil
}

// values decompresses a buffer itself: the library ignores ZSTD's checksums.
func (p *projection) values(r io.ReaderAt, body int64, at batchBuffer, codec int8) ([]byte, error) {
	if codec == codecNone || at.length == 0 {
		plain := make([]byte, at.length)
		_, err := r.ReadAt(plain, body+at.offset)
		return plain, err
	}
	p.stored = slices.Grow(p.stored[:0], int(at.length))[:at.length]
	if _, err := r.ReadAt(p.stored, body+at.offset); err != nil {
		return nil, err
	}
	if len(p.stored) < 8 {
		return nil, errTorn
	}
	size, frame := int64(binary.LittleEndian.Uint64(p.stored)), p.stored[8:]
	if size == -1 { // Arrow's mark of an uncompressed buffer
		return slices.Clone(frame), nil
	}
	// ZSTD's maximum ratio is a block of 128 KiB in 4 bytes, LZ4's 255 bytes in one: a longer claim
	// is damage, and must not be allocated.
	most := int64(len(frame)) * (128 << 10) / 4
	if codec == codecLZ4 {
		most = int64(len(frame)) * 255
	}
	if size < 0 || size > most {
		return nil, errTorn
	}
	plain := make([]byte, size)
	var err error
	if codec == codecLZ4 {
		err = p.fillLZ4(plain, frame)
	} else {
		plain, err = p.zstd.DecodeAll(frame, plain[:0])
	}
	if err != nil || int64(len(plain)) != size {
		return nil, fmt.Errorf("%w: a buffer of %d bytes: %w", errTorn, size, err)
	}
	return plain, nil
}

// fillLZ4 requires a frame that fills plain exactly.
func (p *projection) fillLZ4(plain, frame []byte) error {
	p.lz4.Reset(bytes.NewReader(frame))
	if _, err := io.ReadFull(p.lz4, plain); err != nil {
		return err
	}
	var more [1]byte
	if n, err := p.lz4.Read(more[:]); n > 0 || !errors.Is(err, io.EOF) {
		return errors.Join(errors.New("it is longer than it says"), err)
	}
	return nil
}
