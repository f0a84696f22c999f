package experiment

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/agepath/agepath/experiment/dataset"
)

var typeNames = [...]string{Int: "integers", Float: "floats", Text: "texts", Time: "times", FloatList: "lists of floats"}

// String describes the values of a column of the type, as in "integers".
func (t Type) String() string { return typeNames[t] }

// Fits checks the rows of an outcome: one of labels, one of measures if computed, and declared
// further tables only.
func (t Tables) Fits(o *Outcome) error {
	if err := t.FitsLabels(&o.Labels); err != nil {
		return err
	}
	return t.FitsRows(o)
}

// FitsLabels checks that labels is one row of the label columns.
func (t Tables) FitsLabels(labels *Batch) error {
	if err := labels.Fits(t.Labels); err != nil {
		return fmt.Errorf("labels: %w", err)
	}
	if labels.Rows != 1 {
		return fmt.Errorf("labels: %d rows, not 1", labels.Rows)
	}
	return nil
}

func (t Tables) FitsRows(o *Outcome) error {
	if o.Measures.Rows != 0 {
		if err := o.Measures.Fits(t.Measures); err != nil {
			return fmt.Errorf("measures: %w", err)
		}
		if o.Measures.Rows != 1 {
			return fmt.Errorf("measures: %d rows, not 1", o.Measures.Rows)
		}
	} else if o.Status.Computed() {
		return fmt.Errorf("measures: none, though the status is %s", o.Status)
	}
	known := 0
	for _, table := range t.Further {
		rows, ok := o.Further[table.Name]
		if !ok {
			continue
		}
		known++
		if rows.Rows == 0 {
			continue
		}
		if err := rows.Fits(table.Columns[1:]); err != nil {
			return fmt.Errorf("table %s: %w", table.Name, err)
		}
	}
	if known != len(o.Further) {
		return errors.New("it has tables that its kind of experiment does not declare")
	}
	if !slices.Contains(Statuses, o.Status) {
		return fmt.Errorf("there is no status %q", o.Status)
	}
	return nil
}

// MostText is the largest length of a text in a table.
const MostText = 64 << 10

// Fits checks that the batch holds rows of the columns.
func (b *Batch) Fits(columns []Column) error {
	if len(b.Columns) != len(columns) {
		return fmt.Errorf("has %d columns, not %d", len(b.Columns), len(columns))
	}
	for j, column := range columns {
		v := &b.Columns[j]
		for i, text := range v.Texts {
			if len(text) > MostText {
				return fmt.Errorf("column %s: row %d has %d bytes; allowed are %d", column.Name, i, len(text), MostText)
			}
			if !utf8.ValidString(text) {
				return fmt.Errorf("column %s: row %d is not valid UTF-8: %q", column.Name, i, text)
			}
		}
		n := v.length(column.Type)
		if n != b.Rows || v.Null != nil && len(v.Null) != n {
			return fmt.Errorf("column %s: %d values and %d null marks for %d rows of %s",
				column.Name, n, len(v.Null), b.Rows, column.Type)
		}
	}
	return nil
}

// Finite returns a [StatusError] (diverged) if a number is neither finite nor null.
func (t Tables) Finite(measures *Batch, further map[string]Batch) error {
	if err := measures.finite(t.Measures); err != nil {
		return &StatusError{Status: Diverged, Err: err}
	}
	for _, table := range t.Further {
		rows := further[table.Name]
		if err := rows.finite(table.Columns[1:]); err != nil {
			return &StatusError{Status: Diverged, Err: fmt.Errorf("table %s: %w", table.Name, err)}
		}
	}
	return nil
}

func (b *Batch) finite(columns []Column) error {
	for j, v := range b.Columns {
		for row, x := range v.Floats {
			if dataset.NotFinite(x) && !v.IsNull(row) {
				return fmt.Errorf("%s is %v", columns[j].Name, x)
			}
		}
		for row, list := range v.Lists {
			if i := slices.IndexFunc(list, dataset.NotFinite); i >= 0 && !v.IsNull(row) {
				return fmt.Errorf("%s has %v", columns[j].Name, list[i])
			}
		}
	}
	return nil
}

// SchemaVersion is the version of all tables. It grows with each new column, whose Since it is.
// Columns never go and never change their meaning, name or type, so that tables and outcomes from
// OldestSchema on can be read: the columns that they lack are null.
const (
	SchemaVersion = 13
	OldestSchema  = 10
)

// Reshape turns an outcome's measures and rows into those of another schema version: columns that
// came later are added as nulls, or dropped.
func (t Tables) Reshape(o *Outcome, to int) error {
	from := max(o.Schema, OldestSchema)
	if o.Schema = to; from == to {
		return nil
	}
	if from > SchemaVersion {
		return fmt.Errorf("it has tables of schema version %d; this agepath reads versions %d to %d", from, OldestSchema, SchemaVersion)
	}
	if err := o.Measures.reshape(t.Measures, from, to); err != nil {
		return fmt.Errorf("measures: %w", err)
	}
	for _, table := range t.Further {
		if rows, ok := o.Further[table.Name]; ok {
			if err := rows.reshape(table.Columns[1:], from, to); err != nil {
				return fmt.Errorf("table %s: %w", table.Name, err)
			}
			o.Further[table.Name] = rows
		}
	}
	return nil
}

func (b *Batch) reshape(columns []Column, from, to int) error {
	if b.Rows == 0 {
		return nil
	}
	left, vectors := b.Columns, []Vector(nil)
	for _, column := range columns {
		there := column.Since <= from
		if there && len(left) == 0 {
			return fmt.Errorf("has %d columns, too few for schema version %d", len(b.Columns), from)
		}
		if column.Since <= to {
			if there {
				vectors = append(vectors, left[0])
			} else {
				vectors = append(vectors, NullVector(column.Type, b.Rows))
			}
		}
		if there {
			left = left[1:]
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("has %d columns, too many for schema version %d", len(b.Columns), from)
	}
	b.Columns = vectors
	return nil
}
