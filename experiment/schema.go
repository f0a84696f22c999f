package experiment

import "fmt"

// SchemaVersion is the version of all tables. It grows with each new column, whose Since it is.
// Columns never go and never change their meaning, name or type, so that tables and outcomes from
// OldestSchema on can be read: the columns that they lack are null.
const (
	SchemaVersion = 11
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
