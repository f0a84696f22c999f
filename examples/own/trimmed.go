package main

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/gaga"
)

// trimmed fits the model, drops the tenth of the rows with the largest residuals and refits.
func trimmed(ctx context.Context, p *gaga.Problem, _ selfpaced.Age) ([]gaga.Knot, error) {
	theta, _, err := baselines.Original(ctx, p)
	if err != nil {
		return nil, err
	}
	predictor, err := gaga.NewPredictor(p, p.X)
	if err != nil {
		return nil, err
	}
	predicted := make([]float64, len(p.Y))
	predictor.Predict(predicted, theta)
	rows := make([]int, len(p.Y))
	for i := range rows {
		rows[i] = i
	}
	residual := func(i int) float64 { return math.Abs(predicted[i] - p.Y[i]) }
	slices.SortStableFunc(rows, func(i, k int) int { return cmp.Compare(residual(i), residual(k)) })
	rows = rows[:len(rows)-len(rows)/10]
	slices.Sort(rows)

	kept := *p
	kept.X.Rows, kept.X.Data, kept.Y, kept.Multiplicity = len(rows), nil, nil, nil
	for _, i := range rows {
		kept.X.Data = append(kept.X.Data, p.X.Data[i*p.X.Stride:][:p.X.Cols]...)
		kept.Y = append(kept.Y, p.Y[i])
		if p.Multiplicity != nil {
			kept.Multiplicity = append(kept.Multiplicity, p.Multiplicity[i])
		}
	}
	kept.X.Stride = p.X.Cols
	theta, kkt, err := baselines.Original(ctx, &kept)
	return []gaga.Knot{{Kind: gaga.End, Index: -1, Theta: theta, KKT: kkt, Easy: len(rows), Discarded: len(p.Y) - len(rows)}}, err
}
