package embedding

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/corpus"
	"github.com/agepath/agepath/wmmd"
	"github.com/agepath/agepath/wmmd/classifier"
)

// folds is how many parts cross-validation cuts the training texts into.
const folds = 5

// Kind computes the cells of the kind.
type Kind struct{}

var _ experiment.Kind = Kind{}

// Name returns [Name].
func (Kind) Name() string { return Name }

// Tables returns the tables of the kind.
func (Kind) Tables() experiment.Tables { return Tables() }

// Abilities lists the training.
func (Kind) Abilities() []experiment.Need { return []experiment.Need{need} }

// Check decodes the task's cell and compares the task with it.
func (Kind) Check(task *experiment.Task) error {
	s, err := decode(task.Spec)
	if err != nil {
		return err
	}
	return task.Matches(s.Cell.id(), nil, s.Cell.files(), nil, need)
}

// Compute trains and scores the cell's classifier.
func (Kind) Compute(ctx context.Context, task *experiment.Task, data experiment.Data) (experiment.Batch, map[string]experiment.Batch, error) {
	s, err := decode(task.Spec)
	if err != nil {
		return experiment.Batch{}, nil, err
	}
	texts, err := s.Cell.texts(ctx, data)
	if err != nil {
		return experiment.Batch{}, nil, err
	}
	if s.Cell.Training.Precision == 64 {
		return compute[float64](ctx, s, texts)
	}
	return compute[float32](ctx, s, texts)
}

// result is what a training gave.
type result[T classifier.Float] struct {
	weight    any // that was used, nil without one
	validated any // its accuracy in cross-validation, nil without
	epochs    []classifier.Epoch
	scores    []float64 // on the test part, after each epoch
	before    wmmd.Embedding[T]
	after     wmmd.Embedding[T]
	accuracy  float64
	fitted    float64 // accuracy on the training part
	wmmd      float64
}

func compute[T classifier.Float](ctx context.Context, s *spec, p *parts) (measures experiment.Batch, further map[string]experiment.Batch, err error) {
	train, test := learnable(p.train), learnable(p.test)
	r := &result[T]{}
	further = map[string]experiment.Batch{}
	weight, err := s.choose(ctx, train, r, further)
	if err == nil {
		err = r.train(ctx, s, weight, train, test)
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
	if err := r.tables(s, p, further); err != nil {
		return experiment.Batch{}, nil, err
	}
	last := r.epochs[len(r.epochs)-1]
	err = measures.Append(measureColumns, "accuracy", r.accuracy, r.fitted, last.Loss, last.Penalty, r.weight, r.validated,
		r.wmmd, len(p.all.Words), p.all.Empty)
	return measures, further, err
}

// choose returns the penalty's weight, chosen by cross-validation among several.
func (s *spec) choose(ctx context.Context, train *classifier.Texts, r interface{ chosen(weight, validated any) }, further map[string]experiment.Batch) (float64, error) {
	c := &s.Cell
	var rows experiment.Batch
	defer func() {
		if s.keeps(weightsTable.Name) {
			further[weightsTable.Name] = rows
		}
	}()
	switch weights := c.Penalty.Weights; len(weights) {
	case 0:
		return 0, nil
	case 1:
		r.chosen(weights[0], nil)
		return weights[0], nil
	default:
		choose := classifier.Choose[float32]
		if c.Training.Precision == 64 {
			choose = classifier.Choose[float64]
		}
		choice, err := choose(ctx, train, c.settings(0), weights, folds, func(fold int) *rand.Rand {
			return c.stream(fmt.Sprintf("fold %d", fold+1))
		})
		if err != nil {
			return 0, err
		}
		for i, weight := range weights {
			if err := rows.Append(weightsTable.Columns[1:], i, weight, choice.Accuracies[i]); err != nil {
				return 0, err
			}
		}
		r.chosen(choice.Weight, choice.Accuracies[slices.Index(weights, choice.Weight)])
		return choice.Weight, nil
	}
}

func (r *result[T]) chosen(weight, validated any) { r.weight, r.validated = weight, validated }

// train trains with a weight.
func (r *result[T]) train(ctx context.Context, s *spec, weight float64, train, test *classifier.Texts) error {
	random := s.Cell.stream("training")
	c, err := classifier.New[T](train, s.Cell.settings(weight), random)
	if err != nil {
		return err
	}
	r.before = c.Embedding()
	curve := s.keeps(epochsTable.Name)
	if err := c.Train(ctx, train, random, func(e classifier.Epoch) {
		r.epochs = append(r.epochs, e)
		if curve {
			r.scores = append(r.scores, c.Accuracy(test))
		}
	}); err != nil {
		return err
	}
	r.accuracy, r.fitted, r.after = c.Accuracy(test), c.Accuracy(train), c.Embedding()
	sample := wmmd.Sample{Labels: train.Labels}
	for i := range train.Labels {
		sample.Texts = append(sample.Texts, train.Words[i*train.Length:][:train.Length])
	}
	r.wmmd = wmmd.New[T](wmmd.Options{}).Value(r.after, sample)
	return nil
}

// tables makes the rows of the tables that are kept.
func (r *result[T]) tables(s *spec, p *parts, further map[string]experiment.Batch) error {
	if s.keeps(epochsTable.Name) {
		var rows experiment.Batch
		for i, e := range r.epochs {
			if err := rows.Append(epochsTable.Columns[1:], i, float64(e.Number), e.Loss, e.Penalty, r.scores[i]); err != nil {
				return err
			}
		}
		further[epochsTable.Name] = rows
	}
	if s.keeps(wordsTable.Name) {
		rows, err := r.words(p.train)
		if err != nil {
			return err
		}
		further[wordsTable.Name] = rows
	}
	return nil
}

// words makes a row for each word of the vocabulary.
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
		err = errors.Join(err, rows.Append(wordsTable.Columns[1:], w, word, byClass, list(r.before.Row(int32(w))), list(r.after.Row(int32(w)))))
	}
	return rows, err
}
