package experiment

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/agepath/agepath/experiment/gridfile"
)

// Keep says which further tables cells fill, independent of their identity. Its JSON is an object
// in the order of the tables: {"knots":true,"coefficients":false}.
type Keep struct {
	tables []string
	kept   []string // in the order of tables
}

// NewKeep keeps the tables for which keeps returns true.
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
