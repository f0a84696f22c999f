package experiment

import (
	"fmt"
	"slices"
	"time"

	"github.com/agepath/agepath/internal/lists"
)

// Type is the type of a column of results.
type Type uint8

const (
	Int Type = iota
	Float
	Text // UTF-8
	Time // time.Time; stored as microseconds UTC
	FloatList
)

// Column describes one column of results.
type Column struct {
	Name string
	Type Type
	Doc  string // one sentence: meaning, unit, when null
	// Since is the schema version that brought the column, 0 for those of OldestSchema.
	Since int
}

// Names returns the names of columns.
func Names(columns []Column) []string {
	return lists.Map(columns, func(c Column) string { return c.Name })
}

// Field is a column with its value for a T, as [Batch.Append] takes it.
type Field[T any] struct {
	Name  string
	Type  Type
	Value func(T) any
	Doc   string
	Since int // see [Column]
}

// Fields are a table's columns with their values.
type Fields[T any] []Field[T]

func (f Fields[T]) Columns() []Column {
	return lists.Map(f, func(f Field[T]) Column { return Column{f.Name, f.Type, f.Doc, f.Since} })
}

// Further returns the columns of a further table: cell, then these.
func (f Fields[T]) Further() []Column {
	return append([]Column{{Name: "cell", Type: Text, Doc: "identity of the cell, 32 hex digits"}}, f.Columns()...)
}

func (f Fields[T]) Append(b *Batch, row T) error {
	if b.Columns == nil {
		b.Columns = make([]Vector, len(f))
	}
	for j := range f {
		if err := b.Columns[j].Append(Column{Name: f[j].Name, Type: f[j].Type}, f[j].Value(row), b.Rows); err != nil {
			return err
		}
	}
	b.Rows++
	return nil
}

func (f Fields[T]) Rows(list []T) (b Batch, err error) {
	for _, row := range list {
		if err := f.Append(&b, row); err != nil {
			return Batch{}, err
		}
	}
	return b, nil
}

// Known returns x if it applies, otherwise nil (null).
func Known[T any](x T, applies bool) any {
	if !applies {
		return nil
	}
	return x
}

// NotZero returns x, or nil (null) for the zero value.
func NotZero[T comparable](x T) any {
	var zero T
	return Known(x, x != zero)
}

// Table is the schema of one results file, named without extension.
type Table struct {
	Name    string
	Columns []Column
	// Kept is the default of the key keep. Replaying a cell compares the rows of kept tables.
	Kept bool
	// Number is the column that numbers a cell's rows from 0, Count the measure that counts them.
	Number, Count string
}

// Tables are the schemas of one kind: labels are known before a cell is computed, measures after.
type Tables struct {
	Labels   []Column
	Measures []Column
	Further  []Table // first column is cell

	// Varying names columns of measures and further tables that differ between computations of a
	// cell, such as times.
	Varying []string

	// Consistent returns an error if rows of a computed cell, which fit their tables, contradict
	// each other. Tables that were not kept are absent. May be nil.
	Consistent func(*Outcome) error
}

// Batch holds rows of one table by column, in the table's order.
type Batch struct {
	Rows    int      `cbor:"1,keyasint"`
	Columns []Vector `cbor:"2,keyasint"`
}

// Vector holds one column. Its type's slice has one entry per row, zero for null.
type Vector struct {
	Ints   []int64     `cbor:"1,keyasint,omitempty"` // Int; Time as microseconds since 1970 UTC
	Floats []float64   `cbor:"2,keyasint,omitempty"`
	Texts  []string    `cbor:"3,keyasint,omitempty"`
	Lists  [][]float64 `cbor:"4,keyasint,omitempty"`
	Null   []bool      `cbor:"5,keyasint,omitempty"` // nil if no row is null
}

// Clone returns a copy that later changes of the batch do not reach.
func (b *Batch) Clone() Batch {
	c := Batch{Rows: b.Rows, Columns: make([]Vector, len(b.Columns))}
	for j, v := range b.Columns {
		c.Columns[j] = Vector{slices.Clone(v.Ints), slices.Clone(v.Floats), slices.Clone(v.Texts), slices.Clone(v.Lists), slices.Clone(v.Null)}
	}
	return c
}

// Clear removes all rows; the memory of columns is used again.
func (b *Batch) Clear() {
	b.Rows = 0
	for j, v := range b.Columns {
		clear(v.Texts) // release the strings
		clear(v.Lists)
		b.Columns[j] = Vector{v.Ints[:0], v.Floats[:0], v.Texts[:0], v.Lists[:0], nil}
	}
}

// Append adds a row. Values are int, int64, float64, string, time.Time or []float64, by column
// type, or nil for null.
func (b *Batch) Append(columns []Column, values ...any) error {
	if len(values) != len(columns) {
		return fmt.Errorf("row has %d values for %d columns", len(values), len(columns))
	}
	if b.Columns == nil {
		b.Columns = make([]Vector, len(columns))
	}
	for j, value := range values {
		if err := b.Columns[j].Append(columns[j], value, b.Rows); err != nil {
			return err
		}
	}
	b.Rows++
	return nil
}

// Append appends a value, nil for null, to row values. See [Batch.Append].
func (v *Vector) Append(column Column, value any, row int) error {
	if v.Null != nil || value == nil {
		for len(v.Null) < row {
			v.Null = append(v.Null, false)
		}
		v.Null = append(v.Null, value == nil)
	}
	ok := value == nil
	switch column.Type {
	case Int:
		if x, is := value.(int); is {
			value = int64(x)
		}
		v.Ints, ok = appendAs(v.Ints, value)
	case Float:
		v.Floats, ok = appendAs(v.Floats, value)
	case Text:
		v.Texts, ok = appendAs(v.Texts, value)
	case Time:
		if at, is := value.(time.Time); is {
			value = at.UnixMicro()
		} else if value != nil {
			break
		}
		v.Ints, ok = appendAs(v.Ints, value)
	case FloatList:
		v.Lists, ok = appendAs(v.Lists, value)
	}
	if !ok {
		return fmt.Errorf("column %s: a %T does not fit its type", column.Name, value)
	}
	return nil
}

func appendAs[T any](list []T, value any) ([]T, bool) {
	x, is := value.(T)
	return append(list, x), is || value == nil
}

// NullVector returns a column of nulls.
func NullVector(t Type, rows int) (v Vector) {
	v.Null = slices.Repeat([]bool{true}, rows)
	switch t {
	case Float:
		v.Floats = make([]float64, rows)
	case Text:
		v.Texts = make([]string, rows)
	case FloatList:
		v.Lists = make([][]float64, rows)
	default:
		v.Ints = make([]int64, rows)
	}
	return v
}

func (v *Vector) length(t Type) int {
	switch t {
	case Float:
		return len(v.Floats)
	case Text:
		return len(v.Texts)
	case FloatList:
		return len(v.Lists)
	}
	return len(v.Ints)
}

func (v *Vector) IsNull(row int) bool { return v.Null != nil && v.Null[row] }

// Float returns a row's number of a column of type Float, none for null.
func (v *Vector) Float(row int, none float64) float64 {
	if v.IsNull(row) {
		return none
	}
	return v.Floats[row]
}

// At returns a value, nil for null, time.Time in UTC.
func (b *Batch) At(column Column, j, row int) any {
	v := &b.Columns[j]
	if v.IsNull(row) {
		return nil
	}
	switch column.Type {
	case Int:
		return v.Ints[row]
	case Float:
		return v.Floats[row]
	case Text:
		return v.Texts[row]
	case Time:
		return time.UnixMicro(v.Ints[row]).UTC()
	default:
		return v.Lists[row]
	}
}
