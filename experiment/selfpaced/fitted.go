package selfpaced

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/gaga"
)

// fitModel computes a cell and returns the model at the age that validation chooses; without a validation
// part, at the best age by the test part.
func fitModel(ctx context.Context, task *experiment.Task, data experiment.Data) (*experiment.FittedModel, error) {
	c, err := compute(ctx, task, data)
	if err != nil {
		return nil, err
	}
	of, s, p := c.scores.of, c.scores, c.prepared
	knot, by := s.bestValidation, "validation"
	if knot < 0 {
		knot, by = s.bestTest, "test"
	}
	m := &experiment.FittedModel{
		FittedFrom: experiment.FittedFrom{Spec: task.Spec, Method: c.cell.Method.Name}, Task: string(c.cell.Data.Task), Classes: c.set.Reading.Classes,
		ChosenBy: by, Metric: string(s.metric.Name), Test: s.test[knot].score,
		Features: c.set.Features, Medians: p.Medians, TargetScale: 1,
		ValidationRows: c.set.Reading.Rows(p.Validation.Rows), TestRows: c.set.Reading.Rows(p.Test.Rows),
	}
	if len(p.Target.Scale) > 0 {
		m.TargetShift, m.TargetScale = p.Target.Shift[0], p.Target.Scale[0]
	}
	if of.aged() {
		m.Age = &of.Knots[knot].Age
	} else if len(of.Knots) == 1 {
		m.ChosenBy = "none"
	}
	if err := c.export(m, of.Knots[knot].Theta); err != nil {
		return nil, fmt.Errorf("the method %s: %w", m.Method, err)
	}
	m.Train, err = c.rows(knot)
	m.Train.Row = c.set.Reading.Rows(m.Train.Row)
	return m, err
}

// export writes coefficients θ of scaled features as those of the features themselves.
func (c *computed) export(m *experiment.FittedModel, theta []float64) error {
	f, p := c.scores.of, c.prepared
	shift, scale := p.Features.Shift, p.Features.Scale
	last := len(theta) - 1
	if f.outside && !f.linear || f.Predict != nil {
		return errors.New("it has no coefficients, and predicts by its own program")
	}
	m.Intercept = m.TargetShift + m.TargetScale*theta[last]
	if f.linear || f.Problem.Kernel == nil {
		m.Coefficients = make([]float64, last)
		for j, w := range theta[:last] {
			m.Coefficients[j] = m.TargetScale * w / scale[j]
			m.Intercept -= m.Coefficients[j] * shift[j]
		}
		return nil
	}
	kernel, is := f.Problem.Kernel.(gaga.RBF)
	if !is {
		return fmt.Errorf("the kernel %T is not one that a model file can have", f.Problem.Kernel)
	}
	_, hinge := f.Problem.Loss.(gaga.HingeLoss)
	k := &experiment.FittedKernel{Name: RBF, Gamma: make([]float64, len(scale))}
	for j := range scale {
		k.Gamma[j] = kernel.Gamma / (scale[j] * scale[j])
	}
	for i, a := range theta[:last] {
		if a == 0 {
			continue
		}
		if hinge {
			a *= p.Train.Y[i]
		}
		row := slices.Clone(p.Train.X[i*p.Train.D : (i+1)*p.Train.D])
		floats.Mul(row, scale)
		floats.Add(row, shift)
		k.Support, k.Coefficients = append(k.Support, row), append(k.Coefficients, m.TargetScale*a)
	}
	m.Kernel = k
	return nil
}

// rows returns the training rows with their weights in the fit of a knot and, where the method has a
// loss, their losses.
func (c *computed) rows(knot int) (r experiment.FittedRows, err error) {
	f, train := c.scores.of, &c.prepared.Train
	r.Row = train.Rows
	for i, row := range train.Rows {
		_, noisy := slices.BinarySearch(c.prepared.Contaminated, row)
		r.Noisy, r.Count = append(r.Noisy, noisy || row < 0), append(r.Count, int(train.Count(i)))
	}
	if f.outside {
		return r, nil
	}
	r.Weight = slices.Repeat([]float64{1}, train.N)
	if f.weights != nil {
		r.Weight = f.weights[knot]
	}
	if f.Problem == nil {
		return r, nil
	}
	predictor, err := f.predictor(train)
	if err != nil {
		return r, err
	}
	r.Loss = make([]float64, train.N)
	predictor.Predict(r.Loss, f.Knots[knot].Theta)
	for i, u := range r.Loss {
		r.Loss[i], _, _ = f.Problem.Loss.Eval(u, train.Y[i])
	}
	if f.Problem.Regularizer != nil && f.aged() {
		copy(r.Weight, r.Loss)
		gaga.Weights(f.Problem.Regularizer, r.Weight, f.Knots[knot].Age)
	}
	return r, nil
}
