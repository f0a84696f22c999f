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

// Fits checks that the batch holds rows of the columns.
func (b *Batch) Fits(columns []Column) error {
	if len(b.Columns) != len(columns) {
		return fmt.Errorf("has %d columns, not %d", len(b.Columns), len(columns))
	}
	for j, column := range columns {
		v := &b.Columns[j]
		for i, text := range v.Texts {
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
