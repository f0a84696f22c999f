// Package embedding is the kind of experiment that compares penalties of word embeddings:
// a cell draws or reads texts, trains a classifier of them with one penalty, and scores it
// on the texts that were left out. See [github.com/agepath/agepath/wmmd].
package embedding

import (
	"context"

	"github.com/agepath/agepath/experiment"
)

// Name is the kind's name in grids.
const Name = "embedding"

func init() { //nolint:gochecknoinits // a program knows the kinds that it imports
	experiment.Register(experiment.Registration{
		Kind: Kind{}, Keys: []string{"data", "models", "penalties", "training", "keep"}, Read: readSection,
		Dimensions: []experiment.DimensionName{
			{Name: "dataset"}, {Name: "model"}, {Name: "penalty"}, {Name: "training", Varying: true},
		},
		Layout: Layout, Complete: complete, Material: material,
	})
}

// complete returns the spec of a cell with all tables kept.
func complete(text []byte) ([]byte, error) {
	s, err := decode(text)
	if err != nil {
		return nil, err
	}
	s.Keep = nil
	for _, table := range furtherTables {
		s.Keep = append(s.Keep, table.Name)
	}
	return s.encode(), nil
}

// material returns a cell's texts, as numbers of words behind the class, and its tables.
func material(ctx context.Context, task *experiment.Task, data experiment.Data, outcome *experiment.Outcome) (*experiment.Material, error) {
	s, err := decode(task.Spec)
	if err != nil {
		return nil, err
	}
	parts, err := s.Cell.texts(ctx, data)
	if err != nil {
		return nil, err
	}
	m := &experiment.Material{Parts: parts.material()}
	for _, table := range furtherTables {
		rows, columns := outcome.Further[table.Name], table.Columns[1:]
		if rows.Rows == 0 {
			rows.Columns = make([]experiment.Vector, len(columns))
		}
		m.Tables = append(m.Tables, experiment.MaterialTable{
			Table: experiment.Table{Name: table.Name, Columns: columns}, Rows: rows,
		})
	}
	return m, nil
}
