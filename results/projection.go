package results

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/agepath/agepath/experiment"
)

// arrow-go reads all columns of a record batch or none. Here a batch's message is rewritten to hold
// only the wanted columns, which are read, decompressed and passed to the library: several times
// faster for few columns. Damage is detected: see [messageScanner] and [projection.values].

// layouts counts nodes and buffers of each type, for a list with those of its values.
var layouts = [...]struct{ nodes, buffers int }{
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
	const pair = 16
	at, n, err := vector(table, slotBatchNodes, pair)
	if err != nil {
		return nil, err
	}
	for i := range n {
		o := at + flatbuffers.UOffsetT(pair*i)
		h.nodes = append(h.nodes, batchNode{table.GetInt64(o), table.GetInt64(o + 8)})
	}
	at, n, err = vector(table, slotBatchBuffers, pair)
	if err != nil {
		return nil, err
	}
	for i := range n {
		o := at + flatbuffers.UOffsetT(pair*i)
		h.buffers = append(h.buffers, batchBuffer{table.GetInt64(o), table.GetInt64(o + 8)})
	}
	return h, h.check(m.length)
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

type projection struct {
	columns []experiment.Column // decoded
	nodes   []int               // positions in a batch of the file
	buffers []int
	total   struct{ nodes, buffers int }
	reader  *ipc.Reader
	queue   messageQueue
	codec   int8
	zstd    *zstd.Decoder
	lz4     *lz4.Reader
	stored  []byte
	plain   []byte
	body    int // longest so far, decompressed
}

func newProjection(schema *arrow.Schema, all []experiment.Column, wanted []int) (*projection, error) {
	starts := make([]struct{ nodes, buffers int }, len(all))
	p := &projection{}
	for j, column := range all {
		starts[j] = p.total
		p.total.nodes += layouts[column.Type].nodes
		p.total.buffers += layouts[column.Type].buffers
	}
	fields := make([]arrow.Field, len(wanted))
	for i, j := range wanted {
		fields[i] = schema.Field(j)
		layout := layouts[all[j].Type]
		for k := range layout.nodes {
			p.nodes = append(p.nodes, starts[j].nodes+k)
		}
		for k := range layout.buffers {
			p.buffers = append(p.buffers, starts[j].buffers+k)
		}
		p.columns = append(p.columns, all[j])
	}
	meta, err := schemaMeta(arrow.NewSchemaWithEndian(fields, nil, schema.Endianness()))
	if err != nil {
		return nil, err
	}
	p.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, err
	}
	p.lz4 = lz4.NewReader(nil)
	p.queue.push(meta, nil)
	p.reader, err = ipc.NewReaderFromMessageReader(&p.queue)
	return p, err
}

func schemaMeta(schema *arrow.Schema) ([]byte, error) {
	var stream bytes.Buffer
	if err := ipc.NewWriter(&stream, ipc.WithSchema(schema)).Close(); err != nil {
		return nil, err
	}
	scanner := messageScanner{r: bytes.NewReader(stream.Bytes()), size: int64(stream.Len())}
	m, err := scanner.next()
	if err != nil {
		return nil, err
	}
	return m.meta, nil
}

// decode returns slices that may share memory with each other, never with another batch. Panics of
// arrow-go over damage become errors.
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
	narrow := batchHeader{rows: header.rows, codec: codecNone}
	for _, i := range p.nodes {
		narrow.nodes = append(narrow.nodes, header.nodes[i])
	}
	body := make([]byte, 0, p.body)
	for _, i := range p.buffers {
		values, err := p.values(r, m.body, header.buffers[i], header.codec)
		if err != nil {
			return batch, err
		}
		narrow.buffers = append(narrow.buffers, batchBuffer{int64(len(body)), int64(len(values))})
		body = append(body, values...)
		body = append(body, make([]byte, -len(body)&7)...)
	}
	p.body = max(p.body, len(body))
	p.queue.push(narrow.meta(int64(len(body))), body)
	record, err := p.reader.Read()
	if err != nil {
		return batch, fmt.Errorf("%w: %w", errTorn, err)
	}
	return recordBatch(p.columns, record)
}

// values decompresses a buffer itself: the library ignores ZSTD's checksums. The result is valid
// until the next call.
func (p *projection) values(r io.ReaderAt, body int64, at batchBuffer, codec int8) ([]byte, error) {
	p.stored = slices.Grow(p.stored[:0], int(at.length))[:at.length]
	if _, err := r.ReadAt(p.stored, body+at.offset); err != nil {
		return nil, err
	}
	if codec == codecNone || len(p.stored) == 0 {
		return p.stored, nil
	}
	if len(p.stored) < 8 {
		return nil, errTorn
	}
	size, frame := int64(binary.LittleEndian.Uint64(p.stored)), p.stored[8:]
	if size == -1 { // Arrow's mark of an uncompressed buffer
		return frame, nil
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
	p.plain = slices.Grow(p.plain[:0], int(size))[:0:size]
	var err error
	if codec == codecLZ4 {
		err = p.fillLZ4(frame)
	} else {
		p.plain, err = p.zstd.DecodeAll(frame, p.plain)
	}
	if err != nil || int64(len(p.plain)) != size {
		return nil, fmt.Errorf("%w: a buffer of %d bytes: %w", errTorn, size, err)
	}
	return p.plain, nil
}

// fillLZ4 requires a frame that fills plain exactly.
func (p *projection) fillLZ4(frame []byte) error {
	p.lz4.Reset(bytes.NewReader(frame))
	p.plain = p.plain[:cap(p.plain)]
	if _, err := io.ReadFull(p.lz4, p.plain); err != nil {
		return err
	}
	var more [1]byte
	if n, err := p.lz4.Read(more[:]); n > 0 || !errors.Is(err, io.EOF) {
		return errors.Join(errors.New("it is longer than it says"), err)
	}
	return nil
}

func (h *batchHeader) meta(body int64) []byte {
	b := flatbuffers.NewBuilder(1024)
	b.StartVector(16, len(h.nodes), 8)
	for _, node := range slices.Backward(h.nodes) {
		b.PrependInt64(node.nulls)
		b.PrependInt64(node.length)
	}
	nodes := b.EndVector(len(h.nodes))
	b.StartVector(16, len(h.buffers), 8)
	for _, buffer := range slices.Backward(h.buffers) {
		b.PrependInt64(buffer.length)
		b.PrependInt64(buffer.offset)
	}
	buffers := b.EndVector(len(h.buffers))
	b.StartObject(5)
	b.PrependInt64Slot(0, h.rows, 0)
	b.PrependUOffsetTSlot(1, nodes, 0)
	b.PrependUOffsetTSlot(2, buffers, 0)
	header := b.EndObject()
	b.StartObject(5)
	b.PrependInt16Slot(0, int16(ipc.MetadataV5), 0)
	b.PrependByteSlot(1, byte(batchMessage), 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependInt64Slot(3, body, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

type messageQueue struct {
	waiting *ipc.Message
}

func (q *messageQueue) push(meta, body []byte) {
	q.waiting = ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(body))
}

func (q *messageQueue) Message() (*ipc.Message, error) {
	m := q.waiting
	if m == nil {
		return nil, io.EOF
	}
	q.waiting = nil
	return m, nil
}

func (q *messageQueue) Retain() {}

func (q *messageQueue) Release() {}
