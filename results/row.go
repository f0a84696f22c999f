package results

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/agepath/agepath/experiment"
)

type outcomeRows struct {
	run      string
	declared experiment.Tables
	tables   []experiment.Table // the further ones, then cells
}

func newOutcomeRows(tables experiment.Tables, run string) (*outcomeRows, error) {
	for _, table := range tables.Further {
		if len(table.Columns) == 0 || table.Columns[0].Name != "cell" {
			return nil, fmt.Errorf("table %s: its first column is not cell", table.Name)
		}
	}
	return &outcomeRows{run, tables, append(slices.Clone(tables.Further), tables.Cells())}, nil
}

func (r *outcomeRows) further() []experiment.Table { return r.tables[:len(r.tables)-1] }

func (r *outcomeRows) cells() experiment.Table { return r.tables[len(r.tables)-1] }

// bytes estimates the memory of an outcome, in which each value is a column.
func (r *outcomeRows) bytes(o *experiment.Outcome) int {
	n := (int(unsafe.Sizeof(experiment.Vector{})) + 16) * len(r.cells().Columns)
	for _, table := range r.further() {
		if rows := o.Further[table.Name]; rows.Rows > 0 {
			n += batchBytes(table.Columns[1:], &rows) + len(o.Cell)*rows.Rows
		}
	}
	return n
}

func (r *outcomeRows) appendTo(batch *experiment.Batch, k int, outcomes []*experiment.Outcome) error {
	table := r.tables[k]
	for _, o := range outcomes {
		if k == len(r.tables)-1 {
			if err := r.appendCell(batch, o); err != nil {
				return err
			}
			continue
		}
		rows := o.Further[table.Name]
		if rows.Rows == 0 {
			continue
		}
		cells := &batch.Columns[0]
		for range rows.Rows {
			cells.Texts = append(cells.Texts, o.Cell)
		}
		appendRows(batch, 1, table.Columns[1:], &rows, 0, rows.Rows)
		batch.Rows += rows.Rows
	}
	return nil
}

func (r *outcomeRows) appendCell(batch *experiment.Batch, o *experiment.Outcome) error {
	at := 0
	var err error
	add := func(column experiment.Column, value any) {
		err = errors.Join(err, batch.Columns[at].Append(column, value, batch.Rows))
		at++
	}
	own := func(columns []experiment.OwnColumn) {
		for j := range columns {
			add(columns[j].Column, columns[j].Value(o, &r.declared))
		}
	}
	other := func(columns []experiment.Column, row *experiment.Batch) {
		for j, column := range columns {
			var value any
			if row.Rows > 0 {
				value = row.At(column, j, 0)
			}
			add(column, value)
		}
	}
	own(experiment.CellsHead)
	other(r.declared.Labels, &o.Labels)
	own(experiment.CellsMiddle)
	other(r.declared.Measures, &o.Measures)
	own(experiment.CellsTail)
	batch.Rows++
	return err
}

// outcome is the inverse of appendCell, without the kind and further tables.
func (r *outcomeRows) outcome(cells *experiment.Batch, row int) *experiment.Outcome {
	o := &experiment.Outcome{Schema: experiment.SchemaVersion}
	at := 0
	own := func(columns []experiment.OwnColumn) {
		for j := range columns {
			columns[j].Set(o, cells.At(columns[j].Column, at, row))
			at++
		}
	}
	other := func(columns []experiment.Column) (batch experiment.Batch) {
		from := experiment.Batch{Rows: cells.Rows, Columns: cells.Columns[at : at+len(columns)]}
		at += len(columns)
		batch = newBatch(columns)
		appendRows(&batch, 0, columns, &from, row, row+1)
		batch.Rows = 1
		return batch
	}
	own(experiment.CellsHead)
	o.Labels = other(r.declared.Labels)
	own(experiment.CellsMiddle)
	o.Measures = other(r.declared.Measures)
	own(experiment.CellsTail)
	return o
}

// CellsOf returns the rows of outcomes in the table of cells.
func CellsOf(tables experiment.Tables, outcomes []*experiment.Outcome) (*Frame, error) {
	rows, err := newOutcomeRows(tables, "")
	if err != nil {
		return nil, err
	}
	cells := rows.cells()
	f := &Frame{Columns: cells.Columns, Batch: newBatch(cells.Columns)}
	return f, rows.appendTo(&f.Batch, len(rows.tables)-1, outcomes)
}
