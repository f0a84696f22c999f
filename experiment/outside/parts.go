package outside

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/agepath/agepath/experiment/dataset"
)

const (
	dataName   = "agepath-data"
	answerName = "agepath-answer"
)

// Data describes an Arrow file with a record batch per part. For programs without an Arrow library
// there are offsets of plain float64 numbers, little endian.
type Data struct {
	Path     string `json:"path"`
	Features int    `json:"features"`
	Parts    []Part `json:"parts"` // train, validation if any, test
}

// Part is one part of the data. X, Weight and Y are byte offsets in the file.
type Part struct {
	Name   string `json:"name"`
	Rows   int    `json:"rows"`
	X      int64  `json:"x"`                // Rows × Features, row-major
	Weight int64  `json:"weight,omitempty"` // multiplicities; 0 (absent) except in train
	Y      int64  `json:"y,omitempty"`      // 0 (withheld) in test
}

// WriteParts writes the parts, without labels of the test part.
func WriteParts(path string, prepared *dataset.Prepared) (*Data, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	data, err := writeParts(file, path, prepared)
	return data, errors.Join(err, file.Close())
}

func writeParts(file io.Writer, path string, prepared *dataset.Prepared) (*Data, error) {
	d := prepared.Train.D
	list := arrow.FixedSizeListOfNonNullable(int32(d), arrow.PrimitiveTypes.Float64)
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "part", Type: arrow.BinaryTypes.String},
		{Name: "x", Type: list},
		{Name: "y", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "weight", Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	out := &places{out: file, at: map[*byte]int64{}}
	writer, err := ipc.NewFileWriter(out, ipc.WithSchema(schema))
	if err != nil {
		return nil, err
	}
	data := &Data{Path: path, Features: d}
	for _, named := range []struct {
		name string
		part *dataset.Part
	}{{"train", &prepared.Train}, {"validation", &prepared.Validation}, {"test", &prepared.Test}} {
		if named.part.N == 0 {
			continue
		}
		part, err := writePart(writer, out, schema, named.name, named.part)
		if err != nil {
			return nil, fmt.Errorf("the part %s: %w", named.name, err)
		}
		data.Parts = append(data.Parts, *part)
	}
	return data, writer.Close()
}

func writePart(writer *ipc.FileWriter, out *places, schema *arrow.Schema, name string, p *dataset.Part) (*Part, error) {
	part := &Part{Name: name, Rows: p.N}
	names := array.NewStringBuilder(memory.DefaultAllocator)
	weights := make([]float64, p.N)
	for i := range weights {
		names.Append(name)
		weights[i] = p.Count(i)
	}
	x, y, weight := bytesOf(p.X[:p.N*p.D]), bytesOf(p.Y[:p.N]), bytesOf(weights)
	withheld := name == "test"
	var valid []byte
	nulls := 0
	if withheld {
		y, valid, nulls = make([]byte, 8*p.N), make([]byte, (p.N+7)/8), p.N
	}
	numbers := func(content, valid []byte, n, nulls int) *array.Data {
		buffers := []*memory.Buffer{nil, memory.NewBufferBytes(content)}
		if valid != nil {
			buffers[0] = memory.NewBufferBytes(valid)
		}
		return array.NewData(arrow.PrimitiveTypes.Float64, n, buffers, nil, nulls, 0)
	}
	rows := array.NewData(schema.Field(1).Type, p.N, []*memory.Buffer{nil},
		[]arrow.ArrayData{numbers(x, nil, p.N*p.D, 0)}, 0, 0)
	record := array.NewRecord(schema, []arrow.Array{
		names.NewArray(), array.MakeFromData(rows),
		array.MakeFromData(numbers(y, valid, p.N, nulls)), array.MakeFromData(numbers(weight, nil, p.N, 0)),
	}, int64(p.N))
	defer record.Release()
	if err := writer.Write(record); err != nil {
		return nil, err
	}
	var ok [3]bool
	part.X, ok[0] = out.at[unsafe.SliceData(x)]
	part.Y, ok[1] = out.at[unsafe.SliceData(y)]
	part.Weight, ok[2] = out.at[unsafe.SliceData(weight)]
	if p.D > 0 && !ok[0] || !ok[1] || !ok[2] {
		return nil, errors.New("the Arrow writer copied the numbers, so that their place in the file is not known")
	}
	if withheld {
		part.Y = 0
	}
	if name != "train" {
		part.Weight = 0
	}
	return part, nil
}

// bytesOf requires a little-endian processor, as this module does.
func bytesOf(x []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 8*len(x))
}

// places records the position in the file of each written slice.
type places struct {
	out io.Writer
	n   int64
	at  map[*byte]int64
}

// Seek reports the position, as the writer needs it.
func (p *places) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, fmt.Errorf("seeking to %d from %d in a file that is only appended to", offset, whence)
	}
	return p.n, nil
}

func (p *places) Write(b []byte) (int, error) {
	if len(b) > 0 {
		p.at[unsafe.SliceData(b)] = p.n
	}
	n, err := p.out.Write(b)
	p.n += int64(n)
	return n, err
}
