package report

import (
	"context"
	"fmt"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/figure"
)

// Load makes the report of the files in dir, complete or not. Only
// cells.arrow must be there, or a stream of cells of a run that has not ended.
func Load(ctx context.Context, dir string, options Options) (*Report, error) {
	r, err := load(ctx, dir, options)
	if err != nil {
		return nil, fmt.Errorf("report of %s: %w", dir, err)
	}
	return r, nil
}

func load(ctx context.Context, dir string, options Options) (*Report, error) {
	run, err := analysis.Load(ctx, dir, analysis.Options{Paper: options.Paper, Progress: options.Progress})
	if err != nil {
		return nil, err
	}
	drawn, err := figure.Make(ctx, run, options.figures(), options.tell)
	if err != nil {
		return nil, err
	}
	run.Missing = append(run.Missing, drawn.Missing...)
	return &Report{Run: run, Figures: drawn.Figures, LeftOut: drawn.LeftOut}, nil
}
