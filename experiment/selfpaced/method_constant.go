package selfpaced

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/gaga"
)

// constantMethod has two knots for regression, so that validation chooses between median and mean;
// the mean is last, where a path gives every sample its weight. For classification it is the log odds
// of the classes' shares: their majority, and as a probability the shares.
var constantMethod = methodInfo{
	name: Constant, algorithm: 2, everywhere: true, models: gridfile.NamesOf(modelTable),
	fit: func(_ context.Context, f *Fitted, c *Cell, train *dataset.Part) error {
		f.outside, f.linear = true, true
		if c.Data.Task == dataset.Classification {
			f.constant("majority class", 2*math.Atanh(weightedMean(train))) // log odds; class 1 for a tie
			return nil
		}
		f.constant("median", weightedMedian(train))
		f.constant("mean", weightedMean(train))
		return nil
	},
	work: func(_ *group, n, _ float64) float64 { return 100 * n },
}

func (f *Fitted) constant(what string, value float64) {
	theta := make([]float64, f.parts.Train.D+1)
	theta[f.parts.Train.D] = value
	f.Knots = append(f.Knots, gaga.Knot{Kind: gaga.End, Detail: what, Index: -1, Theta: theta})
}

// validation returns the choice by which the validation part scores. Without known contamination
// the constant goes by the plain metric: the likelihood of a mixture prefers the median of targets
// with ties or skew, which is no good fit.
func (c *Cell) validation() Choice {
	by := c.Choice
	if c.Method.Name == Constant && c.Settings.Noise == (dataset.Noise{}) && !c.Settings.Clean {
		by.Trimmed = 0
	}
	return by
}

func weightedMean(train *dataset.Part) float64 {
	var sum, n float64
	for i, y := range train.Y {
		sum += train.Count(i) * y
		n += train.Count(i)
	}
	return sum / n
}

func weightedMedian(train *dataset.Part) float64 {
	order, n := dataset.Indices(train.N), 0.0
	for i := range order {
		n += train.Count(i)
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(train.Y[i], train.Y[j]) })
	below := 0.0
	for k, i := range order {
		switch below += train.Count(i); {
		case 2*below == n:
			return (train.Y[i] + train.Y[order[k+1]]) / 2
		case 2*below > n:
			return train.Y[i]
		}
	}
	return train.Y[order[len(order)-1]]
}
