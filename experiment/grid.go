package experiment

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/agepath/agepath/experiment/gridfile"
)

// Grid is a checked grid file, before any data are read. docs/grid.md describes the file.
type Grid struct {
	Name    string
	Kind    string // the file's key experiment
	Seed    int64
	Repeats int
	Limits  Limits // per cell
	Keep    Keep   // further tables that cells fill
	Section Section

	File   string
	Source []byte
	Set    []string // overrides

	place gridfile.Place
	kind  *Registration
}

// Section holds a kind's own keys of a grid file.
type Section interface {
	// Plan expands the section to groups of cells, in the order of the grid. Invalid combinations
	// and unreadable data are reported to the planner, anything else is an error.
	Plan(ctx context.Context, p *Planner) ([]Group, error)
	// Selection says which cells the tables of results show.
	Selection() Select
}

// Select says which cells of a method tables show if the grid has several values of parameters. All
// cells are computed anyway.
type Select string

const (
	SelectAll        Select = ""
	SelectValidation Select = "validation" // per repeat, the best on the validation part
	SelectTest       Select = "test"       // per repeat, the best on the test part, as in the paper
)

// Keep says which further tables cells fill, independent of their identity. Its JSON is an object
// in the order of the tables: {"knots":true,"coefficients":false}.
type Keep struct {
	tables []string
	kept   []string // in the order of tables
}

// NewKeep keeps some of the tables.
func NewKeep(tables []Table, kept map[string]bool) Keep {
	var k Keep
	for _, table := range tables {
		k.tables = append(k.tables, table.Name)
		if kept[table.Name] {
			k.kept = append(k.kept, table.Name)
		}
	}
	return k
}

// Tables lists the kept tables; never nil.
func (k Keep) Tables() []string { return append([]string{}, k.kept...) }

func (k Keep) Has(table string) bool { return slices.Contains(k.kept, table) }

func (k Keep) MarshalJSON() ([]byte, error) {
	text := []byte("{")
	for i, name := range k.tables {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "%s:%s", gridfile.JSON(name), strconv.FormatBool(k.Has(name)))
	}
	return append(text, '}'), nil
}

func readKeep(r *gridfile.Reader, n gridfile.Item, tables []Table) Keep {
	kept := make(map[string]bool, len(tables))
	keys := make([]gridfile.Key, len(tables))
	for i, table := range tables {
		kept[table.Name] = table.Kept
		keys[i] = gridfile.On(table.Name, func(n gridfile.Item) { kept[table.Name] = r.Boolean(n) })
	}
	r.Keys(n, keys...)
	return NewKeep(tables, kept)
}
