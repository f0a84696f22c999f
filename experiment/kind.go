package experiment

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/results/layout"
)

// Kind computes the cells of one kind of experiment. The runner knows cells only
// through it.
type Kind interface {
	Name() string
	Tables() Tables
	// Abilities lists what tasks of this kind can need, in the versions that are
	// computed here.
	Abilities() []Need
	// Check returns an error unless the identity, the data and the needs of a task
	// are those of its spec. It is a [*NeedError] when another version of agepath
	// computes the task.
	Check(task *Task) error
	// Compute computes one task. It returns the row of measures and the rows
	// of the further tables; both depend on nothing but the task and its data.
	// An error that is a [*StatusError] sets the outcome's status, a context
	// deadline becomes timeout, any other error failed. A [*MemoryError] or a
	// [*DataError] comes each time: the cell is not tried again. Measures and rows
	// are returned beside an error of the status incomplete alone.
	Compute(ctx context.Context, task *Task, data Data) (measures Batch, further map[string]Batch, err error)
}

// Registration is a kind of experiment as programs know it: what computes its cells,
// and what reads its section of a grid.
type Registration struct {
	Kind

	// Keys are its keys of a grid file beside those of every kind. A kind with further
	// tables has the key keep among them, which is read for it.
	Keys []string
	// Read reads the keys that are given: root is the whole file, fields are its
	// entries. It reports what is wrong to the reader.
	Read func(r *gridfile.Reader, root gridfile.Item, fields map[string]gridfile.Item) Section
	// Default makes it the kind of grids that name none.
	Default bool
	// Dimensions are what a plan counts its cells by.
	Dimensions []DimensionName

	// Layout says how reports read the results.
	Layout *layout.Layout

	// Material returns what a cell was computed from and led to, for looking at it.
	// Outcome is that of the task with all further tables kept. Nil: nothing.
	Material func(ctx context.Context, task *Task, data Data, outcome *Outcome) (*Material, error)
}

// DimensionName is a dimension of the plans of a kind.
type DimensionName struct {
	Name    string
	Varying bool // shown only where a grid has several values
}

var registrations []*Registration

// Register adds a kind to those that grids name. A package of a kind calls it when it is
// initialized: a program knows the kinds that it imports. The labels of a kind are text
// or numbers; "dataset", "method", "repeat" and "seed" are among them. A kind that is not as
// declared, or has a name that is taken, panics.
func Register(r Registration) {
	if r.Read == nil || r.Kind == nil {
		panic("experiment: a kind needs Kind and Read")
	}
	if _, err := Named(r.Name()); err == nil {
		panic(fmt.Sprintf("experiment: the kind %s is there already", r.Name()))
	}
	for _, needed := range []Column{{Name: "dataset", Type: Text}, {Name: "method", Type: Text}, {Name: "repeat", Type: Int}, {Name: "seed", Type: Int}} {
		if !slices.ContainsFunc(r.Tables().Labels, func(c Column) bool { return c.Name == needed.Name && c.Type == needed.Type }) {
			panic(fmt.Sprintf("experiment: the kind %s has no label %s", r.Name(), needed.Name))
		}
	}
	registrations = append(registrations, &r)
}

// Registrations lists the kinds that this program knows.
func Registrations() []*Registration { return slices.Clone(registrations) }

// Named returns the kind of experiment of a grid or of a folder of results.
func Named(name string) (*Registration, error) {
	for _, r := range registrations {
		if r.Name() == name {
			return r, nil
		}
	}
	return nil, fmt.Errorf("this program does not know the kind of experiment %q; it knows %s", name, strings.Join(kindNames(), ", "))
}

// Default returns the kind of grids that name none.
func Default() (*Registration, error) {
	for _, r := range registrations {
		if r.Default {
			return r, nil
		}
	}
	return nil, errors.New("this program knows no kind of experiment")
}

// Kinds lists the kinds of experiments that this program computes.
func Kinds() []Kind {
	kinds := make([]Kind, len(registrations))
	for i, r := range registrations {
		kinds[i] = r.Kind
	}
	return kinds
}

func kindNames() []string {
	names := make([]string, len(registrations))
	for i, r := range registrations {
		names[i] = r.Name()
	}
	return slices.Sorted(slices.Values(names))
}

// Material is what a cell was computed from and led to.
type Material struct {
	Parts  []MaterialPart
	Tables []MaterialTable
}

// MaterialPart is a part of a cell's data as text.
type MaterialPart struct {
	Name    string // of its file without ending
	Columns []string
	Rows    iter.Seq[[]string] // each is valid until the next
}

// MaterialTable is a table with its rows.
type MaterialTable struct {
	Table Table
	Rows  Batch
}

// MaterialTables returns further tables of an outcome, without their column cell.
func MaterialTables(o *Outcome, tables []Table) []MaterialTable {
	var list []MaterialTable
	for _, table := range tables {
		rows, columns := o.Further[table.Name], table.Columns[1:]
		if rows.Rows == 0 {
			rows.Columns = make([]Vector, len(columns))
		}
		list = append(list, MaterialTable{Table: Table{Name: table.Name, Columns: columns}, Rows: rows})
	}
	return list
}
