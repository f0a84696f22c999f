package selfpaced

import (
	"context"
	"fmt"
	"slices"

	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/gaga"
)

// Labels by which classifiers are scored to choose an age; corrected are those of [Cell.correctLabels].
const (
	givenLabels     = "given"
	correctedLabels = "corrected"
)

const (
	labelFolds = 5
	labelRows  = 2000 // most rows that a fold's machine is fitted to
	enoughRows = 30   // of a validation part, which shows contaminated rows by itself
)

// validation returns the validation part, nothing if it has no rows.
func (f *Fitted) validation() []*heldOut {
	if f.parts.Validation.N == 0 {
		return nil
	}
	return []*heldOut{{fit: f, part: &f.parts.Validation, predictions: f.predictions.Validation}}
}

// choosing returns the held-out rows by which the cell chooses an age, nil if there are none. With
// corrected labels the training rows are among them, since no fit has seen these labels.
func (c *Cell) choosing(ctx context.Context, f *Fitted, commands *outside.Host) (held []*heldOut, err error) {
	held = f.validation()
	if c.Choice.Folds > 0 {
		if held, err = c.holdOut(ctx, f, commands); err != nil {
			return nil, err
		}
	}
	if held == nil || c.Choice.Labels != correctedLabels {
		return held, nil
	}
	scored := held
	if c.Choice.Folds == 0 { // folds have the training rows
		scored = withTraining(f, held)
	}
	all := dataset.Part{D: f.parts.Train.D}
	for _, h := range scored {
		all.N, all.Rows = all.N+h.part.N, append(all.Rows, h.part.Rows...)
		all.X, all.Y = append(all.X, h.part.X...), append(all.Y, h.part.Y...)
	}
	labels, err := c.correctLabels(ctx, &all)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(labels, -1) || !slices.Contains(labels, 1) {
		return held, nil // of no use where they are all of one class
	}
	for k, h := range scored {
		part := *h.part
		part.Y, labels = labels[:part.N], labels[part.N:]
		corrected := *h
		corrected.part = &part
		scored[k] = &corrected
	}
	if f.predictions.Test != nil && c.Choice.Folds == 0 {
		scored = scored[1:] // commands do not predict training rows
	}
	return scored, nil
}

// withTraining adds the training rows before the validation part.
func withTraining(f *Fitted, held []*heldOut) []*heldOut {
	train := rows(&f.parts.Train, dataset.Indices(f.parts.Train.N), true)
	return append([]*heldOut{{fit: f, part: &train}}, held...)
}

// correctLabels returns the classes that a support vector machine (RBF kernel, γ = scale, C = 1)
// predicts for the rows, fitted without the fold of the row: a flipped label becomes the class of the
// rows around it. Classes weigh the same unless the metric is the accuracy.
func (c *Cell) correctLabels(ctx context.Context, part *dataset.Part) ([]float64, error) {
	labels := make([]float64, part.N)
	order := c.Stream("labels").Perm(part.N)
	for h := range labelFolds {
		held, rest := deal(order, labelFolds, h)
		train := rows(part, rest[:min(len(rest), labelRows)], false)
		if one := train.Y[0]; !slices.Contains(train.Y, -one) {
			for _, i := range held {
				labels[i] = one
			}
			continue
		}
		if c.metric() != metric.Accuracy {
			train.Multiplicity = equalClasses(train.Y)
		}
		kernel, err := rbf(ScaleGamma, &train, "take choose: {labels: given}")
		if err != nil {
			return nil, err
		}
		machine := gaga.SVM(general(train.N, train.D, train.X), train.Y, train.Multiplicity, 1, kernel)
		out := rows(part, held, false)
		values, err := decisions(ctx, machine, general(out.N, out.D, out.X))
		if err != nil {
			return nil, fmt.Errorf("correct the labels of fold %d of %d: %w", h+1, labelFolds, err)
		}
		for k, i := range held {
			if labels[i] = 1; values[k] < 0 {
				labels[i] = -1
			}
		}
	}
	return labels, nil
}

// equalClasses weighs rows so that both classes have the same sum, n in all.
func equalClasses(y []float64) []float64 {
	n, positive := float64(len(y)), float64(dataset.Positives(y))
	weights := make([]float64, len(y))
	for i, label := range y {
		of := n - positive
		if label > 0 {
			of = positive
		}
		weights[i] = n / 2 / of
	}
	return weights
}

// scoreHeldOut scores the knots by the choice. For [choice.Auto] the score is a robust scale where
// the errors show contaminated rows, else that of the metric.
func (s *scores) scoreHeldOut(c *Cell, held []*heldOut) ([]knotScore, error) {
	by := c.validation()
	trimmed := []float64{by.Trimmed}
	if by.Trimmed == choice.Auto {
		trimmed = append(trimmed, 0)
	}
	lists, err := s.of.scoreRows(c, held, trimmed...)
	if err != nil || by.Trimmed != choice.Auto {
		return slices.Concat(lists...), err
	}
	list, plain, fitted := lists[0], lists[1], 0
	if s.of.predictions.Test == nil && c.Choice.Folds == 0 { // commands do not predict training rows
		held = withTraining(s.of, held)
		fitted = held[0].part.N
	}
	var x []float64
	for _, h := range held {
		x = append(x, h.part.X...)
	}
	rows, err := s.of.rowsOf(c, held...)
	if err != nil {
		return nil, err
	}
	robust := make([]float64, len(rows.Y))
	for _, of := range []struct {
		list []knotScore
		to   []float64
	}{{list, robust}, {plain, rows.Predicted}} {
		knot, _ := s.choose(by.rule(), of.list)
		if err := predict(held, of.to, knot); err != nil {
			return nil, err
		}
	}
	disturbed := metric.Disturbed(rows.Y, robust, rows.Predicted, x)
	if unseen := len(rows.Y) - fitted; unseen >= enoughRows && fitted > 0 { // a fit may be close to its own rows alone
		disturbed = disturbed && metric.Disturbed(rows.Y[fitted:], robust[fitted:], rows.Predicted[fitted:], x[fitted*(len(x)/len(rows.Y)):])
	}
	if !disturbed {
		list = plain
	}
	return list, nil
}
