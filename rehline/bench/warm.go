package main

import (
	"context"
	"slices"

	"github.com/agepath/agepath/rehline"
)

// warmth compares a solve from the solution before every hundredth weight was
// halved or restored with one from zero. Both begin with setting the weights.
// It returns the medians in milliseconds, and the last warm solution.
func warmth(p rehline.Problem, o rehline.Options, repeat int) (cold, warm float64, sol rehline.Solution, err error) {
	s, err := rehline.New(p)
	if err != nil {
		return 0, 0, sol, err
	}
	weights := [2][]float64{}
	for k := range weights {
		weights[k] = make([]float64, p.Loss.N())
		for i := range weights[k] {
			if weights[k][i] = 1; k == 0 && i%100 == 7 {
				weights[k][i] = 0.5
			}
		}
	}
	var colds, warms []float64
	timed := func(w []float64, o rehline.Options, to *[]float64) error {
		began := clock()
		if err = s.SetWeights(w); err == nil {
			sol, err = s.Solve(context.Background(), o)
		}
		*to = append(*to, float64(clock()-began)/1e6)
		return err
	}
	for range repeat {
		if err = timed(weights[1], o, &colds); err != nil {
			return 0, 0, sol, err
		}
		from := o
		from.Warm = &sol
		if err = timed(weights[0], from, &warms); err != nil {
			return 0, 0, sol, err
		}
	}
	slices.Sort(colds)
	slices.Sort(warms)
	return colds[len(colds)/2], warms[len(warms)/2], sol, nil
}
