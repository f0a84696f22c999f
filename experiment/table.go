package experiment

import (
	"fmt"
	"time"
)

// Type is the type of a column of results.
type Type uint8

const (
	Int       Type = iota // int64
	Float                 // float64
	Text                  // UTF-8 string
	Time                  // time.Time, stored as microseconds UTC
	FloatList             // []float64
)

// Column describes one column of a table of results.
type Column struct {
	Name string
	Type Type
	Doc  string // one sentence: meaning, unit, when it is null
}

// Field is a column with the function that gives its value for a row, which is made of a
// T. Values are those that [Batch.Append] takes.
type Field[T any] struct {
	Name  string
	Type  Type
	Value func(T) any
	Doc   string // see [Column]
}

// Fields are the columns of a table, or a part of them, with their values.
type Fields[T any] []Field[T]

// Columns returns the columns.
func (f Fields[T]) Columns() []Column {
	columns := make([]Column, len(f))
	for j := range f {
		columns[j] = Column{f[j].Name, f[j].Type, f[j].Doc}
	}
	return columns
}

// Further returns the columns of a further table, the first of which is the cell.
func (f Fields[T]) Further() []Column {
	return append([]Column{{"cell", Text, "identity of the cell, 32 hex digits"}}, f.Columns()...)
}

// Append adds a row to a batch of the columns.
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

// Rows returns a batch of a row for each of the list.
func (f Fields[T]) Rows(list []T) (b Batch, err error) {
	for _, row := range list {
		if err := f.Append(&b, row); err != nil {
			return Batch{}, err
		}
	}
	return b, nil
}

// Known returns x, or nil, which stands for null, where it does not apply.
func Known[T any](x T, applies bool) any {
	if !applies {
		return nil
	}
	return x
}

// NotZero returns x, nil for a zero value, which stands for what does not apply.
func NotZero[T comparable](x T) any {
	var zero T
	return Known(x, x != zero)
}

// Table is the schema of one results file; Name is the file's name without
// its ending.
type Table struct {
	Name    string
	Columns []Column
	// Kept says that cells fill the table unless the grid's key keep says otherwise.
	// Looking at a cell again compares its rows.
	Kept bool
	// Number is the column that numbers the rows of a cell from 0, and Count the measure
	// that says how many there are; "" for none.
	Number, Count string
}

// Tables are the schemas of one kind of experiment. The cells table is put
// together by [Tables.Cells] from the runner's own columns, the labels known
// before a cell is computed and the measures known after.
type Tables struct {
	Labels   []Column
	Measures []Column
	Further  []Table // each has "cell" as its first column

	// Varying are columns of measures and further tables that are other numbers each time a
	// cell is computed, such as times.
	Varying []string

	// Consistent returns an error where the rows of a computed cell cannot belong together,
	// such as a score and the rows that it was chosen from. They fit their tables. Further
	// tables that were not kept are not there. Nil: nothing is known.
	Consistent func(*Outcome) error
}

// Batch holds rows of one table column by column, in the table's order.
type Batch struct {
	Rows    int      `cbor:"1,keyasint"`
	Columns []Vector `cbor:"2,keyasint"`
}

// Vector holds the values of one column. The slice that matches the column's
// type has one entry a row; an entry of a null row is the zero value.
type Vector struct {
	Ints   []int64     `cbor:"1,keyasint,omitempty"` // Int, and Time as microseconds since 1970 UTC
	Floats []float64   `cbor:"2,keyasint,omitempty"`
	Texts  []string    `cbor:"3,keyasint,omitempty"`
	Lists  [][]float64 `cbor:"4,keyasint,omitempty"`
	Null   []bool      `cbor:"5,keyasint,omitempty"` // nil when no row is null
}

// Append adds one row to the batch. Values are int, int64, float64, string,
// time.Time or []float64 as the column's type asks, or nil for null.
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

// Append adds a value of a column, nil for null, behind those of so many rows. See
// [Batch.Append].
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

// appendAs appends a value of the type, the zero value for nil.
func appendAs[T any](list []T, value any) ([]T, bool) {
	x, is := value.(T)
	return append(list, x), is || value == nil
}

// length returns the number of values of a column of the type.
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

// IsNull reports whether the value in the given row is null.
func (v *Vector) IsNull(row int) bool { return v.Null != nil && v.Null[row] }

// At returns the value of column in the given row, nil where it is null; a
// Time comes back as time.Time in UTC.
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
