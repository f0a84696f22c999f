// Package embedding is the kind of experiment that compares penalties of word embeddings. A cell
// draws or reads texts, trains a classifier with one penalty and scores it on held-out texts. See
// [github.com/agepath/agepath/wmmd].
package embedding

import (
	"context"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/analysis"
)

// Name is the kind's name in grids.
const Name = "embedding"

func init() { //nolint:gochecknoinits // a program knows the kinds that it imports
	experiment.Register(experiment.Registration{
		Kind: Kind{}, Keys: []string{"data", "models", "penalties", "training", "keep"}, Read: readSection,
		Dimensions: []experiment.DimensionName{
			{Name: "dataset"}, {Name: "model"}, {Name: "penalty"}, {Name: "training", Varying: true},
		},
		Layout: Layout, Material: material,
	})
	analysis.RegisterOwn(Name, analysis.Own{Part: own})
}

func material(ctx context.Context, task *experiment.Task, data experiment.Data, outcome *experiment.Outcome) (*experiment.Material, error) {
	c, err := decode(task.Spec)
	if err != nil {
		return nil, err
	}
	parts, err := c.texts(ctx, data)
	if err != nil {
		return nil, err
	}
	return &experiment.Material{Parts: parts.material(), Tables: experiment.MaterialTables(outcome, furtherTables)}, nil
}
