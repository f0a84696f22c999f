package experiment

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results/layout"
)

// Kind computes the cells of one kind of experiment. The runner knows nothing else of them.
type Kind interface {
	Name() string
	Tables() Tables
	// Abilities lists the needs of tasks that this program meets.
	Abilities() []Need
	// Check returns an error unless the task's identity, data and needs match its spec: a
	// [*NeedError] if another version of agepath computes the task.
	Check(task *Task) error
	// Compute returns the row of measures and the rows of further tables, which depend only on the
	// task and its data. A [*StatusError] sets the outcome's status, an exceeded deadline sets
	// timeout, any other error failed. A [*MemoryError] or [*DataError] is permanent: the cell is
	// not retried. Only an error of status incomplete comes with measures and rows.
	Compute(ctx context.Context, task *Task, data Data) (measures Batch, further map[string]Batch, err error)
}

// Registration describes a kind of experiment.
type Registration struct {
	Kind

	// Keys are the keys of a grid file other than [CommonKeys], including keep, which is read for the
	// kind, if there are further tables.
	Keys []string
	// Read reads the given keys and reports problems: root is the whole file, fields are its
	// entries.
	Read func(r *gridfile.Reader, root gridfile.Item, fields map[string]gridfile.Item) Section
	// Default marks the kind of grids that name none.
	Default    bool
	Dimensions []DimensionName

	Layout *layout.Layout

	// Material returns what a cell was computed from and its results, for inspection. Outcome is
	// the task's, with all further tables. May be nil.
	Material func(ctx context.Context, task *Task, data Data, outcome *Outcome) (*Material, error)

	// Fit computes a task and returns its model. May be nil.
	Fit func(ctx context.Context, task *Task, data Data) (*FittedModel, error)
}

// DimensionName is a dimension of plans.
type DimensionName struct {
	Name    string
	Varying bool // only if a grid has several values
}

var registrations []*Registration

// Register adds a kind; its package calls this when initialized. Labels are texts or numbers and
// include dataset, method, repeat and seed. An invalid or known kind panics.
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

// Named returns a kind of experiment.
func Named(name string) (*Registration, error) {
	if i := slices.IndexFunc(registrations, func(r *Registration) bool { return r.Name() == name }); i >= 0 {
		return registrations[i], nil
	}
	return nil, fmt.Errorf("this program does not know the kind of experiment %q; it knows %s", name, strings.Join(kindNames(), ", "))
}

// Default returns the kind of grids that name none.
func Default() (*Registration, error) {
	if i := slices.IndexFunc(registrations, func(r *Registration) bool { return r.Default }); i >= 0 {
		return registrations[i], nil
	}
	return nil, errors.New("this program knows no kind of experiment")
}

// Kinds lists what computes cells of the known kinds.
func Kinds() []Kind {
	return lists.Map(registrations, func(r *Registration) Kind { return r.Kind })
}

func kindNames() []string {
	return slices.Sorted(slices.Values(lists.Map(registrations, func(r *Registration) string { return r.Name() })))
}

// Setting reads the labels of a cell as the dimensions of the kind's layout.
func (r *Registration) Setting(labels *Batch) (setting layout.Setting) {
	tables := r.Tables()
	for d, name := range r.Layout.Columns() {
		switch value := tables.label(labels, name).(type) {
		case string:
			setting[d].Text = value
		case int64:
			setting[d] = layout.Value{Number: float64(value), IsNumber: true}
		case float64:
			setting[d] = layout.Value{Number: value, IsNumber: true}
		}
	}
	if r.Layout.Complete != nil {
		r.Layout.Complete(&setting)
	}
	return setting
}

// Describe names a cell for readers by its labels, such as "GAGA, repeat 3: diabetes, Lasso".
func (r *Registration) Describe(labels *Batch) string {
	tables := r.Tables()
	method := tables.Text(labels, "method")
	if i := slices.IndexFunc(r.Layout.Methods, func(m layout.Method) bool { return m.Name == method }); i >= 0 {
		method = r.Layout.Methods[i].Label
	}
	return fmt.Sprintf("%s, repeat %d: %s", method, tables.Repeat(labels), r.Layout.Describe(r.Setting(labels), r.Layout.Conditions...))
}

// Material is a cell's data and results.
type Material struct {
	Parts  []MaterialPart
	Tables []MaterialTable
}

// MaterialPart is a part of the data as text.
type MaterialPart struct {
	Name    string // of the file, without extension
	Columns []string
	Rows    iter.Seq[[]string]
}

// MaterialTable is a table with its rows.
type MaterialTable struct {
	Table Table
	Rows  Batch
}

// MaterialTables returns further tables of an outcome, without the column cell.
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
