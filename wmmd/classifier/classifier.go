// Package classifier trains text classifiers that learn a word embedding, with the penalties
// compared by Gao and Dai. Settings are those of their published code.
//
// A training runs on one core; its numbers depend only on its random stream and the instruction
// set.
package classifier

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/agepath/agepath/wmmd"
	"github.com/agepath/agepath/wmmd/corpus"
	"github.com/agepath/agepath/wmmd/internal/neural"
)

// Float is the number type: float32, or float64 for comparisons.
type Float = neural.Float

// ErrTexts reports texts that cannot be learned from.
var ErrTexts = errors.New("texts that cannot be learned from")

// ErrDiverged reports that the loss of a training is not finite.
var ErrDiverged = errors.New("the loss is not finite")

func check(t *corpus.Corpus) error {
	switch n := t.Len(); {
	case n == 0 || t.Length < 1:
		return fmt.Errorf("%d texts of %d words: %w", n, t.Length, ErrTexts)
	case len(t.Texts) != n*t.Length:
		return fmt.Errorf("%d words are not %d texts of %d: %w", len(t.Texts), n, t.Length, ErrTexts)
	case len(t.Classes) < 2:
		return fmt.Errorf("%d class, at least 2 are needed: %w", len(t.Classes), ErrTexts)
	case slices.Min(t.Labels) < 0 || slices.Max(t.Labels) >= len(t.Classes):
		return fmt.Errorf("labels are not all from 0 to %d: %w", len(t.Classes)-1, ErrTexts)
	case slices.Min(t.Texts) < 0 || int(slices.Max(t.Texts)) >= len(t.Words):
		return fmt.Errorf("words are not all from 0 to %d: %w", len(t.Words)-1, ErrTexts)
	}
	return nil
}

// Settings are a model, its penalty and its training.
type Settings struct {
	Model   string // one of Models
	Penalty Penalty
	Dim     int
	Epochs  int
	Batch   int     // texts per step
	Rate    float64 // of Adam, decreasing linearly to 0 by epoch
}

// Defaults are the published settings, without model and penalty.
func Defaults() Settings { return Settings{Dim: 5, Epochs: 30, Batch: 64, Rate: 0.1} }

func (s Settings) check() error {
	if !slices.Contains(Models(), s.Model) {
		return fmt.Errorf("model %q is not one of %q", s.Model, Models())
	}
	if s.Dim < 1 || s.Epochs < 1 || s.Batch < 1 || !(s.Rate > 0) {
		return fmt.Errorf("embedding of %d, %d epochs, batches of %d and a rate of %v must all be > 0", s.Dim, s.Epochs, s.Batch, s.Rate)
	}
	return s.Penalty.check()
}

// Epoch is the state of a training after a pass over the texts.
type Epoch struct {
	Number  int
	Loss    float64 // mean cross-entropy over batches
	Penalty float64
}

// Classifier is a model, in training or trained.
type Classifier[T Float] struct {
	settings  Settings
	length    int
	classes   int
	embedding *neural.Embedding[T]
	dropout   *neural.Dropout[T]
	body      neural.Layer[T]
	adam      *neural.Adam[T]
	penalty   *penalty[T]
	words     []int32
	labels    []int
}

// New draws a model for texts, and computes a pre-trained embedding from them.
func New[T Float](texts *corpus.Corpus, s Settings, random *rand.Rand) (*Classifier[T], error) {
	if err := errors.Join(s.check(), check(texts)); err != nil {
		return nil, err
	}
	return build[T](texts, s, published, random), nil
}

func build[T Float](texts *corpus.Corpus, s Settings, size sizes, random *rand.Rand) *Classifier[T] {
	c := &Classifier[T]{settings: s, length: texts.Length, classes: len(texts.Classes)}
	c.embedding = neural.NewEmbedding[T](len(texts.Words), s.Dim, random)
	if s.Penalty.pretrains() {
		pretrain(c.embedding, texts, random)
	}
	share := 0.0
	if s.Penalty.Kind == Dropout {
		share = s.Penalty.Weight
	}
	c.dropout = neural.NewDropout[T](share, random)
	c.body = body[T](s.Model, texts.Length, s.Dim, len(texts.Classes), size, random)
	params := c.body.Params()
	if s.Penalty.Kind != Frozen {
		params = append(params, c.embedding.Param)
	}
	c.adam = neural.NewAdam(params)
	c.penalty = newPenalty[T](s.Penalty)
	return c
}

// Train calls each, if not nil, after each epoch. It returns the context's error or [ErrDiverged].
func (c *Classifier[T]) Train(ctx context.Context, texts *corpus.Corpus, random *rand.Rand, each func(Epoch)) error {
	n := len(texts.Labels)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for epoch := range c.settings.Epochs {
		rate := c.settings.Rate * (1 - float64(epoch)/float64(c.settings.Epochs))
		random.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		now := Epoch{Number: epoch + 1}
		batches := 0.0
		for start := 0; start < n; start += c.settings.Batch {
			if err := ctx.Err(); err != nil {
				return err
			}
			loss, penalty := c.step(texts, order[start:min(n, start+c.settings.Batch)], rate)
			if total := loss + penalty; total-total != 0 {
				return fmt.Errorf("epoch %d: %w", epoch+1, ErrDiverged)
			}
			now.Loss += loss
			now.Penalty += penalty
			batches++
		}
		now.Loss /= batches
		now.Penalty /= batches
		if each != nil {
			each(now)
		}
	}
	return nil
}

func (c *Classifier[T]) step(texts *corpus.Corpus, batch []int, rate float64) (loss, penalty float64) {
	c.load(texts, batch)
	scores := c.forward(true)
	loss = neural.CrossEntropy(scores, c.labels)
	c.embedding.Backward(c.dropout.Backward(c.body.Backward(scores)))
	penalty = c.penalty.add(c.embedding, c.words, c.labels)
	c.adam.Step(rate)
	return loss, penalty
}

func (c *Classifier[T]) load(texts *corpus.Corpus, batch []int) {
	c.words, c.labels = c.words[:0], c.labels[:0]
	for _, i := range batch {
		c.words = append(c.words, texts.Text(i)...)
		c.labels = append(c.labels, texts.Labels[i])
	}
}

func (c *Classifier[T]) forward(training bool) []T {
	c.embedding.Training, c.dropout.Training = training, training
	n := len(c.labels)
	return c.body.Forward(c.dropout.Forward(c.embedding.Look(c.words), n), n)
}

// Accuracy is the share of texts whose class has the largest score.
func (c *Classifier[T]) Accuracy(texts *corpus.Corpus) float64 {
	right, n := 0, len(texts.Labels)
	batch := make([]int, 0, c.settings.Batch)
	for start := 0; start < n; start += c.settings.Batch {
		batch = batch[:0]
		for i := start; i < min(n, start+c.settings.Batch); i++ {
			batch = append(batch, i)
		}
		c.load(texts, batch)
		scores := c.forward(false)
		for i, label := range c.labels {
			if neural.Best(scores[i*c.classes:][:c.classes]) == label {
				right++
			}
		}
	}
	return float64(right) / float64(n)
}

// Embedding returns a copy of the word matrix, with the norms that look-ups return.
func (c *Classifier[T]) Embedding() wmmd.Embedding[T] {
	words := make([]int32, len(c.embedding.Value)/c.embedding.Dim)
	for i := range words {
		words[i] = int32(i)
	}
	c.embedding.Training = false
	return wmmd.Embedding[T]{Data: slices.Clone(c.embedding.Look(words)), Dim: c.embedding.Dim}
}

// Choice is the penalty weight chosen by cross-validation.
type Choice struct {
	Weight     float64
	Accuracies []float64
}

// Choose returns the first of the weights with the largest mean accuracy in cross-validation. Folds
// are of consecutive texts, as in the published code; all weights use the same random numbers.
func Choose[T Float](ctx context.Context, texts *corpus.Corpus, s Settings, weights []float64, folds int,
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
			c, err := New[T](texts.Select(inside), s, random)
			if err != nil {
				return Choice{}, err
			}
			if err := c.Train(ctx, texts.Select(inside), random, nil); err != nil {
				return Choice{}, fmt.Errorf("fold %d with the weight %v: %w", fold+1, weight, err)
			}
			choice.Accuracies[k] += c.Accuracy(texts.Select(outside)) / float64(folds)
		}
		if choice.Accuracies[k] > best {
			best, choice.Weight = choice.Accuracies[k], weight
		}
	}
	return choice, nil
}
