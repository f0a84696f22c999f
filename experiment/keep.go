package experiment

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/agepath/agepath/experiment/gridfile"
)

// Keep says which of a kind's further tables cells fill. It is no part of a cell's
// identity. Its JSON is an object of the tables in their order, as in
// {"knots":true,"coefficients":false}.
type Keep struct {
	tables []string // all of them
	kept   []string // by name, in their order
}

// NewKeep keeps those of the tables for which keeps is true.
func NewKeep(tables []Table, keeps func(t *Table) bool) Keep {
	var k Keep
	for i := range tables {
		k.tables = append(k.tables, tables[i].Name)
		if keeps(&tables[i]) {
			k.kept = append(k.kept, tables[i].Name)
		}
	}
	return k
}

// Tables lists the tables that are kept, not nil.
func (k Keep) Tables() []string { return append([]string{}, k.kept...) }

// Has reports whether a table is kept.
func (k Keep) Has(table string) bool { return slices.Contains(k.kept, table) }

// MarshalJSON implements [json.Marshaler].
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

// readKeep reads the key keep: for each further table of the kind whether cells fill it.
func readKeep(r *gridfile.Reader, n gridfile.Item, tables []Table) Keep {
	keeps := make([]bool, len(tables))
	keys := make([]gridfile.Key, len(tables))
	for i, table := range tables {
		keeps[i] = table.Kept
		keys[i] = gridfile.On(table.Name, gridfile.Into(&keeps[i], r.Boolean))
	}
	r.Keys(n, keys...)
	return NewKeep(tables, func(t *Table) bool {
		return keeps[slices.IndexFunc(tables, func(other Table) bool { return other.Name == t.Name })]
	})
}
