package results

import (
	"fmt"
	"slices"

	"github.com/agepath/agepath/experiment"
)

// Frame is a table in memory, or the columns of it that were asked for.
// Values of column j are in Batch.Columns[j]; see [experiment.Vector].
type Frame struct {
	Columns  []experiment.Column // name and type; Doc is not in the files
	Batch    experiment.Batch
	Metadata map[string]string // of the Arrow schema: see [MetadataVersion], [MetadataRun]
}

// Rows returns the number of rows.
func (f *Frame) Rows() int { return f.Batch.Rows }

// Index returns the position of a column, -1 where there is none.
func (f *Frame) Index(name string) int {
	return slices.IndexFunc(f.Columns, func(c experiment.Column) bool { return c.Name == name })
}

// Column returns the values of a column, which must have the given type.
func (f *Frame) Column(name string, want experiment.Type) (*experiment.Vector, error) {
	j := f.Index(name)
	if j < 0 {
		return nil, fmt.Errorf("there is no column %s", name)
	}
	if have := f.Columns[j].Type; have != want {
		return nil, fmt.Errorf("column %s holds %s, not %s", name, have, want)
	}
	return &f.Batch.Columns[j], nil
}

// At returns the value of column j in a row, nil where it is null. It is for
// showing values; loops go over the vectors of [Frame.Column].
func (f *Frame) At(j, row int) any { return f.Batch.At(f.Columns[j], j, row) }
