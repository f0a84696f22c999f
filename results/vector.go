package results

import (
	"errors"
	"math"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/agepath/agepath/experiment"
)

// vectorOf returns a column of a batch, which shares memory with the buffers of [layouts]. It panics
// if these are shorter than the nodes say.
func vectorOf(t experiment.Type, nodes []batchNode, buffers [][]byte) (v experiment.Vector) {
	rows := int(nodes[0].length)
	var ends []int32 // where the rows of buffers[1] begin and end
	if rows > 0 && (t == experiment.Text || t == experiment.FloatList) {
		ends = arrow.Int32Traits.CastFromBytes(buffers[1])[:rows+1]
	}
	switch t {
	case experiment.Int, experiment.Time:
		v.Ints = arrow.Int64Traits.CastFromBytes(buffers[1])[:rows:rows]
	case experiment.Float:
		v.Floats = arrow.Float64Traits.CastFromBytes(buffers[1])[:rows:rows]
	case experiment.Text:
		v.Texts = make([]string, rows)
		text := unsafe.String(unsafe.SliceData(buffers[2]), len(buffers[2])) // never changed
		for i := range v.Texts {
			v.Texts[i] = text[ends[i]:ends[i+1]]
		}
	case experiment.FloatList:
		v.Lists = make([][]float64, rows)
		numbers := arrow.Float64Traits.CastFromBytes(buffers[3])[:nodes[1].length]
		for i := range v.Lists {
			v.Lists[i] = numbers[ends[i]:ends[i+1]:ends[i+1]]
		}
	}
	if nodes[0].nulls > 0 {
		v.Null = make([]bool, rows)
		for i := range v.Null {
			v.Null[i] = bitutil.BitIsNotSet(buffers[0], i)
		}
		clearNulls(&v, 0)
	}
	return v
}

// clearNulls makes equal rows equal bytes.
func clearNulls(v *experiment.Vector, from int) {
	for i := from; i < len(v.Null); i++ {
		switch {
		case !v.Null[i]:
		case v.Ints != nil:
			v.Ints[i] = 0
		case v.Floats != nil:
			v.Floats[i] = 0
		case v.Texts != nil:
			v.Texts[i] = ""
		case v.Lists != nil:
			v.Lists[i] = nil
		}
	}
}

var errWide = errors.New("one batch holds more than Arrow's 2^31 - 1 bytes or values")

func batchRecord(schema *arrow.Schema, columns []experiment.Column, batch *experiment.Batch) (arrow.Record, error) {
	if batchBytes(columns, batch) > math.MaxInt32 { // the builders do not check
		return nil, errWide
	}
	record := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for j := range columns {
		v := &batch.Columns[j]
		var valid []bool // nil for all
		for _, null := range v.Null {
			valid = append(valid, !null)
		}
		switch b := record.Field(j).(type) {
		case *array.Int64Builder:
			b.AppendValues(v.Ints, valid)
		case *array.TimestampBuilder:
			b.AppendValues(arrow.TimestampTraits.CastFromBytes(arrow.Int64Traits.CastToBytes(v.Ints)), valid)
		case *array.Float64Builder:
			b.AppendValues(v.Floats, valid)
		case *array.StringBuilder:
			b.AppendValues(v.Texts, valid)
		case *array.ListBuilder:
			values := b.ValueBuilder().(*array.Float64Builder)
			for i, list := range v.Lists {
				b.Append(!v.IsNull(i))
				values.AppendValues(list, nil)
			}
		}
	}
	return record.NewRecord(), nil
}

// appendRows appends the rows [from, to) of src to the columns of dst from at on, without changing
// dst.Rows: several sources may fill the columns of one row.
func appendRows(dst *experiment.Batch, at int, columns []experiment.Column, src *experiment.Batch, from, to int) {
	for j, column := range columns {
		d, s := &dst.Columns[at+j], &src.Columns[j]
		appendNulls(d, dst.Rows, s, from, to)
		switch column.Type {
		case experiment.Int, experiment.Time:
			d.Ints = append(d.Ints, s.Ints[from:to]...)
		case experiment.Float:
			d.Floats = append(d.Floats, s.Floats[from:to]...)
		case experiment.Text:
			d.Texts = append(d.Texts, s.Texts[from:to]...)
		case experiment.FloatList:
			d.Lists = append(d.Lists, s.Lists[from:to]...)
		}
		clearNulls(d, dst.Rows)
	}
}

func appendNulls(dst *experiment.Vector, rows int, src *experiment.Vector, from, to int) {
	some := src.Null != nil && slices.Contains(src.Null[from:to], true)
	if dst.Null == nil && !some {
		return
	}
	dst.Null = append(dst.Null, make([]bool, rows+to-from-len(dst.Null))...)
	if some {
		copy(dst.Null[rows:], src.Null[from:to])
	}
}

func newBatch(columns []experiment.Column) experiment.Batch {
	return experiment.Batch{Columns: make([]experiment.Vector, len(columns))}
}

func batchBytes(columns []experiment.Column, batch *experiment.Batch) int {
	bytes := 0
	for j, column := range columns {
		v := &batch.Columns[j]
		switch column.Type {
		case experiment.Text:
			bytes += 16 * batch.Rows
			for _, s := range v.Texts {
				bytes += len(s)
			}
		case experiment.FloatList:
			bytes += 24 * batch.Rows
			for _, list := range v.Lists {
				bytes += 8 * len(list)
			}
		default:
			bytes += 8 * batch.Rows
		}
	}
	return bytes
}
