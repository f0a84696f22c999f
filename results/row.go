package results

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/agepath/agepath/experiment"
)

// outcomeRows makes rows of outcomes: those of the cells table and those of
// the further tables, in the order of tables.
type outcomeRows struct {
	run      string
	declared experiment.Tables
	labels   []experiment.Column
	measures []experiment.Column
	tables   []experiment.Table // the further ones, then cells
	// what cells has before, between and after labels and measures
	head, middle, tail []experiment.Column
}

// newOutcomeRows holds the columns that are filled here against those that
// [experiment.Tables.Cells] declares.
func newOutcomeRows(tables experiment.Tables, run string) (*outcomeRows, error) {
	cells := tables.Cells()
	r := &outcomeRows{run: run, declared: tables, labels: tables.Labels, measures: tables.Measures}
	rest := cells.Columns
	take := func(n int) (part []experiment.Column) {
		n = min(n, len(rest))
		part, rest = rest[:n], rest[n:]
		return part
	}
	r.head = take(2)
	take(len(r.labels))
	r.middle = take(3)
	take(len(r.measures))
	r.tail = take(9)
	var names strings.Builder
	for _, part := range [][]experiment.Column{r.head, r.middle, r.tail, rest} {
		for _, column := range part {
			names.WriteString(column.Name + " ")
		}
	}
	const filled = "run cell status error attempts wall_seconds cpu_seconds peak_bytes worker version started_at finished_at short_of tables "
	if names.String() != filled {
		return nil, fmt.Errorf("the cells table has the columns %sbesides labels and measures; those that are filled are %s", names.String(), filled)
	}
	for _, table := range tables.Further {
		if len(table.Columns) == 0 || table.Columns[0].Name != "cell" {
			return nil, fmt.Errorf("table %s: its first column is not cell", table.Name)
		}
	}
	r.tables = append(append(r.tables, tables.Further...), cells)
	return r, nil
}

// further returns the tables besides cells.
func (r *outcomeRows) further() []experiment.Table { return r.tables[:len(r.tables)-1] }

// cells returns the cells table.
func (r *outcomeRows) cells() experiment.Table { return r.tables[len(r.tables)-1] }

// bytes estimates the memory of an outcome, in which each value is a column.
func (r *outcomeRows) bytes(o *experiment.Outcome) int {
	n := (int(unsafe.Sizeof(experiment.Vector{})) + 16) * len(r.cells().Columns)
	for _, table := range r.further() {
		if rows := o.Further[table.Name]; rows.Rows > 0 {
			n += batchBytes(table.Columns[1:], &rows, 0, rows.Rows) + len(o.Cell)*rows.Rows
		}
	}
	return n
}

// appendTo appends the rows of outcomes in table k to a batch of it.
func (r *outcomeRows) appendTo(batch *experiment.Batch, k int, outcomes []*experiment.Outcome) {
	table := r.tables[k]
	for _, o := range outcomes {
		if k == len(r.tables)-1 {
			r.appendCell(batch, o)
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
}

func (r *outcomeRows) appendCell(batch *experiment.Batch, o *experiment.Outcome) {
	at := 0
	own := func(columns []experiment.Column, values ...any) {
		for j, column := range columns {
			if values[j] == nil {
				appendNull(batch, at, columns[j:j+1])
			} else {
				appendValue(&batch.Columns[at], column.Type, values[j])
			}
			at++
		}
	}
	other := func(columns []experiment.Column, row *experiment.Batch) {
		if row.Rows == 0 {
			appendNull(batch, at, columns)
		} else {
			appendRows(batch, at, columns, row, 0, 1)
		}
		at += len(columns)
	}
	own(r.head, cmp.Or(o.Origin, o.Run), o.Cell)
	other(r.labels, &o.Labels)
	// Messages may quote any bytes; a row must not fail over them.
	own(r.middle, string(o.Status), textOrNull(strings.ToValidUTF8(o.Error, "\uFFFD")), int64(o.Attempts))
	other(r.measures, &o.Measures)
	own(r.tail, o.Wall, pointerOrNull(o.CPU), pointerOrNull(o.Peak),
		textOrNull(strings.ToValidUTF8(o.Worker, "\uFFFD")), textOrNull(strings.ToValidUTF8(o.Version, "\uFFFD")),
		timeOrNull(o.Started), timeOrNull(o.Finished), positiveOrNull(o.Short), textOrNull(r.computedFor(o)))
	batch.Rows++
}

// computedFor returns the column tables of an outcome, "" for null.
func (r *outcomeRows) computedFor(o *experiment.Outcome) string {
	if !o.Status.Computed() {
		return ""
	}
	names := []string{r.cells().Name}
	for _, table := range r.further() {
		if _, ok := o.Further[table.Name]; ok {
			names = append(names, table.Name)
		}
	}
	return strings.Join(names, ",")
}

// outcome makes an outcome of a row of cells, but for its kind and its further tables. It
// is the inverse of appendCell.
func (r *outcomeRows) outcome(cells *experiment.Batch, row int) *experiment.Outcome {
	o := &experiment.Outcome{}
	at := 0
	part := func(columns []experiment.Column) (batch experiment.Batch) {
		from := experiment.Batch{Rows: cells.Rows, Columns: cells.Columns[at : at+len(columns)]}
		at += len(columns)
		batch = newBatch(columns)
		appendRows(&batch, 0, columns, &from, row, row+1)
		batch.Rows = 1
		return batch
	}
	values := func(columns []experiment.Column) (list []any) {
		batch := part(columns)
		for j, column := range columns {
			list = append(list, batch.At(column, j, 0))
		}
		return list
	}
	head := values(r.head)
	o.Run, o.Cell = valueOf[string](head[0]), valueOf[string](head[1])
	o.Labels = part(r.labels)
	middle := values(r.middle)
	o.Status, o.Error = experiment.Status(valueOf[string](middle[0])), valueOf[string](middle[1])
	o.Attempts = int(valueOf[int64](middle[2]))
	o.Measures = part(r.measures)
	tail := values(r.tail)
	o.Wall, o.CPU, o.Peak = valueOf[float64](tail[0]), pointerTo[float64](tail[1]), pointerTo[int64](tail[2])
	o.Worker, o.Version = valueOf[string](tail[3]), valueOf[string](tail[4])
	o.Started, o.Finished = valueOf[time.Time](tail[5]), valueOf[time.Time](tail[6])
	o.Short = valueOf[float64](tail[7])
	return o
}

// valueOf returns the value of a column, the zero value for null.
func valueOf[T any](value any) T {
	x, _ := value.(T)
	return x
}

// pointerTo is valueOf for what may be unknown.
func pointerTo[T any](value any) *T {
	if x, ok := value.(T); ok {
		return &x
	}
	return nil
}

// appendValue appends a value that is not null and of the column's type.
func appendValue(v *experiment.Vector, t experiment.Type, value any) {
	if v.Null != nil {
		v.Null = append(v.Null, false)
	}
	switch t {
	case experiment.Int, experiment.Time:
		v.Ints = append(v.Ints, value.(int64))
	case experiment.Float:
		v.Floats = append(v.Floats, value.(float64))
	case experiment.Text:
		v.Texts = append(v.Texts, value.(string))
	}
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func pointerOrNull[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func positiveOrNull(x float64) any {
	if x > 0 {
		return x
	}
	return nil
}

func timeOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}
