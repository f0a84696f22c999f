package classifier

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// Choice is the penalty weight chosen by cross-validation.
type Choice struct {
	Weight     float64
	Accuracies []float64
}

// Choose returns the first of the weights with the largest mean accuracy in cross-validation. Folds
// are of consecutive texts, as in the published code; all weights use the same random numbers.
func Choose[T Float](ctx context.Context, texts *Texts, s Settings, weights []float64, folds int,
	stream func(fold int) *rand.Rand,
) (Choice, error) {
	n := len(texts.Labels)
	if len(weights) == 0 || folds < 2 || n < folds {
		return Choice{}, fmt.Errorf("%d folds of %d texts for %d weights: %w", folds, n, len(weights), ErrTexts)
	}
	choice := Choice{Accuracies: make([]float64, len(weights))}
	best := -1.0
	for k, weight := range weights {
		s.Penalty.Weight = weight
		for fold := range folds {
			from, to := fold*n/folds, (fold+1)*n/folds
			var inside, outside []int
			for i := range n {
				if i >= from && i < to {
					outside = append(outside, i)
				} else {
					inside = append(inside, i)
				}
			}
			random := stream(fold)
			c, err := New[T](texts.part(inside), s, random)
			if err != nil {
				return Choice{}, err
			}
			if err := c.Train(ctx, texts.part(inside), random, nil); err != nil {
				return Choice{}, fmt.Errorf("fold %d with the weight %v: %w", fold+1, weight, err)
			}
			choice.Accuracies[k] += c.Accuracy(texts.part(outside)) / float64(folds)
		}
		if choice.Accuracies[k] > best {
			best, choice.Weight = choice.Accuracies[k], weight
		}
	}
	return choice, nil
}
