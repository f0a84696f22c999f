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

// Cells returns the schema of the cells table: run and cell, the labels,
// status, error and attempts, the measures, and what the runner measured.
func (t Tables) Cells() Table {
	columns := []Column{
		{"run", Text, "the run that computed the cell"},
		{"cell", Text, "identity of the cell, 32 hex digits"},
	}
	columns = append(columns, t.Labels...)
	columns = append(columns,
		Column{"status", Text, "ok, incomplete, failed, timeout, memory, diverged, cancelled or skipped"},
		Column{"error", Text, "why the status is not ok, else null"},
		Column{"attempts", Int, "how often the cell was tried"},
	)
	columns = append(columns, t.Measures...)
	columns = append(columns,
		Column{"wall_seconds", Float, "elapsed time of the last attempt"},
		Column{"cpu_seconds", Float, "processor time of the last attempt, null where it cannot be told apart"},
		Column{"peak_bytes", Int, "peak memory of the attempt, null where it was not measured"},
		Column{"worker", Text, "the worker that computed the cell"},
		Column{"version", Text, "version of agepath that computed the cell"},
		Column{"started_at", Time, "start of the last attempt"},
		Column{"finished_at", Time, "end of the last attempt"},
		Column{"short_of", Float, "seconds (status timeout) or bytes (memory) known not to be enough: a higher limit computes the cell again; null otherwise"},
		Column{"tables", Text, "tables that the cell was computed for, with commas: cells, and the further ones that its grid kept, also where it has no rows in them; null where the cell failed"},
	)
	return Table{Name: "cells", Columns: columns}
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
		if err := b.Columns[j].append(columns[j], value, b.Rows); err != nil {
			return err
		}
	}
	b.Rows++
	return nil
}

func (v *Vector) append(column Column, value any, row int) error {
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
