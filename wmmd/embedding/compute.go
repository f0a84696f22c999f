// Package embedding is the kind of experiment that compares penalties of word embeddings. A cell
// draws or reads texts, trains a classifier with one penalty and scores it on held-out texts. See
// [github.com/agepath/agepath/wmmd].
package embedding

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/wmmd"
	"github.com/agepath/agepath/wmmd/classifier"
	"github.com/agepath/agepath/wmmd/corpus"
)

// folds is the number of folds of cross-validation.
const folds = 5

// Kind computes cells of the kind embedding.
type Kind struct{}

var _ experiment.Kind = Kind{}

func (Kind) Name() string { return Name }

func (Kind) Tables() experiment.Tables { return Tables() }

func (Kind) Abilities() []experiment.Need { return []experiment.Need{need} }

func (Kind) Check(task *experiment.Task) error {
	c, err := decode(task.Spec)
	if err != nil {
		return err
	}
	return task.Matches(c)
}

func (Kind) Compute(ctx context.Context, task *experiment.Task, data experiment.Data) (experiment.Batch, map[string]experiment.Batch, error) {
	c, err := decode(task.Spec)
	if err != nil {
		return experiment.Batch{}, nil, err
	}
	texts, err := c.texts(ctx, data)
	if err != nil {
		return experiment.Batch{}, nil, err
	}
	if c.Training.Precision == 64 {
		return compute[float64](ctx, task, c, texts)
	}
	return compute[float32](ctx, task, c, texts)
}

type scores struct {
	texts     *parts
	weight    any // used; nil if none
	validated any // its accuracy in cross-validation, or nil
	epochs    []*scoredEpoch
	accuracy  float64
	fitted    float64 // accuracy in training
	wmmd      float64
}

func (s *scores) last() *scoredEpoch { return s.epochs[len(s.epochs)-1] }

type scoredEpoch struct {
	classifier.Epoch
	number int
	score  float64 // on the test part, if the table is kept
}

type triedWeight struct {
	number        int
	weight, score float64
}

type movedWord struct {
	number                int
	text                  string
	counts, before, after []float64
}

type result[T classifier.Float] struct {
	scores
	before, after wmmd.Embedding[T]
}

func compute[T classifier.Float](ctx context.Context, task *experiment.Task, c *Cell, p *parts) (measures experiment.Batch, further map[string]experiment.Batch, err error) {
	r := &result[T]{scores: scores{texts: p}}
	further = map[string]experiment.Batch{}
	weight, err := r.choose(ctx, task, c, p.train, further)
	if err == nil {
		err = r.train(ctx, task, c, weight, p.train, p.test)
	}
	if errors.Is(err, classifier.ErrDiverged) {
		err = &experiment.StatusError{Status: experiment.Diverged, Err: err}
	}
	if errors.Is(err, classifier.ErrTexts) {
		err = &experiment.DataError{Err: err}
	}
	if err != nil {
		return experiment.Batch{}, nil, err
	}
	if err := r.tables(task, p, further); err != nil {
		return experiment.Batch{}, nil, err
	}
	measures, err = measureFields.Rows([]*scores{&r.scores})
	return measures, further, err
}

// choose returns the penalty's weight, by cross-validation if there are several.
func (r *result[T]) choose(ctx context.Context, task *experiment.Task, c *Cell, train *corpus.Corpus, further map[string]experiment.Batch) (float64, error) {
	var rows experiment.Batch
	defer func() {
		if task.Keeps(weightsTable.Name) {
			further[weightsTable.Name] = rows
		}
	}()
	switch weights := c.Penalty.Weights; len(weights) {
	case 0:
		return 0, nil
	case 1:
		r.weight = weights[0]
		return weights[0], nil
	default:
		choice, err := classifier.Choose[T](ctx, train, c.settings(0), weights, folds, func(fold int) *rand.Rand {
			return c.stream(fmt.Sprintf("fold %d", fold+1))
		})
		if err != nil {
			return 0, err
		}
		for i, weight := range weights {
			if err := weightFields.Append(&rows, &triedWeight{i, weight, choice.Accuracies[i]}); err != nil {
				return 0, err
			}
		}
		r.weight, r.validated = choice.Weight, choice.Accuracies[slices.Index(weights, choice.Weight)]
		return choice.Weight, nil
	}
}

func (r *result[T]) train(ctx context.Context, task *experiment.Task, cell *Cell, weight float64, train, test *corpus.Corpus) error {
	random := cell.stream("training")
	c, err := classifier.New[T](train, cell.settings(weight), random)
	if err != nil {
		return err
	}
	r.before = c.Embedding()
	curve := task.Keeps(epochsTable.Name)
	if err := c.Train(ctx, train, random, func(e classifier.Epoch) {
		epoch := &scoredEpoch{Epoch: e, number: len(r.epochs)}
		if curve {
			epoch.score = c.Accuracy(test)
		}
		r.epochs = append(r.epochs, epoch)
	}); err != nil {
		return err
	}
	r.accuracy, r.fitted, r.after = c.Accuracy(test), c.Accuracy(train), c.Embedding()
	sample := wmmd.Sample{Labels: train.Labels}
	for i := range train.Labels {
		sample.Texts = append(sample.Texts, train.Text(i))
	}
	r.wmmd = wmmd.New[T](wmmd.Options{}).Value(r.after, sample)
	return nil
}

func (r *result[T]) tables(task *experiment.Task, p *parts, further map[string]experiment.Batch) (err error) {
	if task.Keeps(epochsTable.Name) {
		if further[epochsTable.Name], err = epochFields.Rows(r.epochs); err != nil {
			return err
		}
	}
	if task.Keeps(wordsTable.Name) {
		further[wordsTable.Name], err = r.words(p.train)
	}
	return err
}

func (r *result[T]) words(train *corpus.Corpus) (rows experiment.Batch, err error) {
	counts := train.Frequencies()
	list := func(row []T) []float64 {
		wide := make([]float64, len(row))
		for k, v := range row {
			wide[k] = float64(v)
		}
		return wide
	}
	for w, word := range train.Words {
		byClass := make([]float64, len(counts))
		for k := range counts {
			byClass[k] = counts[k][w]
		}
		err = errors.Join(err, wordFields.Append(&rows, &movedWord{w, word, byClass, list(r.before.Row(int32(w))), list(r.after.Row(int32(w)))}))
	}
	return rows, err
}

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
