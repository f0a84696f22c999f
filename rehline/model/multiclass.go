package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

// Scheme says how more than two classes are told apart by problems of two.
type Scheme uint8

// The schemes. Of two classes both make the one problem.
const (
	OneVsRest Scheme = iota // each of K classes against all others: K problems of n samples.
	OneVsOne                // each class against each: K(K-1)/2 problems of the samples of two classes.
)

// MulticlassOptions control FitMulticlass. The zero value is a good choice.
type MulticlassOptions struct {
	Scheme  Scheme
	Options rehline.Options // of every solve; Warm is not used and Progress only with one worker.
	Workers int             // problems solved at a time; 0 is 1. The result does not depend on it.
}

// Multiclass is a linear classifier of two or more classes.
type Multiclass[L cmp.Ordered] struct {
	Scheme   Scheme
	Classes  []L // at least 2, rising.
	Machines []Machine
}

// Machine tells a class from another or from the rest. Its score
// x·Beta + Intercept is positive for the former.
type Machine struct {
	Positive, Negative int // indices of classes; Negative is -1 for the rest.
	Beta               []float64
	Intercept          float64

	Objective, Gap float64
	Iterations     rehline.Iterations
	Status         rehline.Status
}

// FitMulticlass fits a classifier of the labels, one per sample of p, with any
// loss of margins, which takes labels of +1 and -1: Hinge, SquaredHinge,
// SmoothedHinge or one made with Samples. Everything else is as in p, whose
// Loss is not used: penalties, intercept and constraints for each problem and
// the weights of its samples. Errors: *InputError, *InfeasibleError, ctx.Err().
func FitMulticlass[L cmp.Ordered](ctx context.Context, p rehline.Problem, labels []L,
	loss func(y []float64) rehline.Loss, o MulticlassOptions) (Multiclass[L], error) {
	fail := func(part string, at int, kind error, format string, args ...any) (Multiclass[L], error) {
		return Multiclass[L]{}, inputError("FitMulticlass: "+part, at, kind, format, args...)
	}
	n, _ := p.Size()
	if len(labels) != n {
		return fail("labels", -1, rehline.ErrShape, "%d for %d samples", len(labels), n)
	}
	classes := slices.Clone(labels)
	slices.Sort(classes)
	classes = slices.Compact(classes)
	if len(classes) > 0 && classes[0] != classes[0] { //nolint:gocritic // NaN
		at := slices.IndexFunc(labels, func(l L) bool { return l != l }) //nolint:gocritic // NaN
		return fail("labels", at, rehline.ErrNotFinite, "NaN")
	}
	if len(classes) < 2 {
		return fail("labels", -1, rehline.ErrShape, "%d classes; there are at least 2", len(classes))
	}
	if o.Scheme > OneVsOne {
		return fail("Scheme", -1, rehline.ErrRange, "%d", uint8(o.Scheme))
	}
	if err := checkWorkers("FitMulticlass", o.Workers); err != nil {
		return Multiclass[L]{}, err
	}
	index := make([]int, n)
	for i, l := range labels {
		index[i], _ = slices.BinarySearch(classes, l)
	}
	p.Loss = loss(signs(index, 0))
	if err := p.Check(); err != nil {
		return Multiclass[L]{}, err
	}
	m := Multiclass[L]{Scheme: o.Scheme, Classes: classes, Machines: machines(o.Scheme, len(classes))}
	o.Options.Warm = nil
	if o.Workers > 1 {
		o.Options.Progress = nil
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(o.Workers, 1))
	for k := range m.Machines {
		group.Go(func() error {
			if err := m.Machines[k].fit(ctx, p, index, loss, o.Options); err != nil {
				return fmt.Errorf("class %v against %s: %w", classes[m.Machines[k].Positive], m.opponent(k), err)
			}
			return nil
		})
	}
	return m, group.Wait()
}

// machines lists the problems: class by class, or pair by pair with the lower
// class positive.
func machines(s Scheme, classes int) []Machine {
	var list []Machine
	switch {
	case classes == 2:
		list = append(list, Machine{Positive: 1, Negative: 0})
	case s == OneVsRest:
		for k := range classes {
			list = append(list, Machine{Positive: k, Negative: -1})
		}
	default:
		for a := range classes {
			for b := a + 1; b < classes; b++ {
				list = append(list, Machine{Positive: a, Negative: b})
			}
		}
	}
	return list
}

// opponent names the negative class of machine k.
func (m *Multiclass[L]) opponent(k int) string {
	if n := m.Machines[k].Negative; n >= 0 {
		return fmt.Sprint(m.Classes[n])
	}
	return "the rest"
}

// signs returns +1 for samples of the class and -1 for others.
func signs(index []int, class int) []float64 {
	y := make([]float64, len(index))
	for i, k := range index {
		y[i] = -1
		if k == class {
			y[i] = 1
		}
	}
	return y
}

// fit solves the machine's problem among the samples of its classes.
func (m *Machine) fit(ctx context.Context, p rehline.Problem, index []int,
	loss func(y []float64) rehline.Loss, o rehline.Options) error {
	p.Loss = loss(signs(index, m.Positive))
	if m.Negative >= 0 {
		var samples []int
		for i, k := range index {
			if k == m.Positive || k == m.Negative {
				samples = append(samples, i)
			}
		}
		var err error
		if p, err = p.Subset(samples); err != nil {
			return err
		}
	}
	sol, err := rehline.Solve(ctx, p, o)
	if err != nil {
		return err
	}
	m.Beta, m.Intercept = sol.Beta, sol.Intercept
	m.Objective, m.Gap, m.Iterations, m.Status = sol.Objective, sol.Gap, sol.Iterations, sol.Status
	return nil
}

// Scores returns the scores of all machines for each row of x: n x machines.
// Errors: *InputError where x has other than d columns.
func (m Multiclass[L]) Scores(x blas64.General) (blas64.General, error) {
	d := len(m.Machines[0].Beta)
	if x.Rows > 0 && (x.Cols != d || x.Stride < d || len(x.Data) < (x.Rows-1)*x.Stride+d) {
		return blas64.General{}, inputError("Scores: x", -1, rehline.ErrShape,
			"%d columns of stride %d in %d values; %d columns are needed", x.Cols, x.Stride, len(x.Data), d)
	}
	return m.scores(rehline.Problem{X: x}), nil
}

// ScoresSparse is Scores of sparse features.
func (m Multiclass[L]) ScoresSparse(x *rehline.CSR) (blas64.General, error) {
	if x == nil {
		return blas64.General{}, inputError("ScoresSparse: x", -1, rehline.ErrShape, "nil")
	}
	if err := x.Check(); err != nil {
		return blas64.General{}, err
	}
	if d := len(m.Machines[0].Beta); x.Cols != d {
		return blas64.General{}, inputError("ScoresSparse: x", -1, rehline.ErrShape,
			"%d columns where %d are needed", x.Cols, d)
	}
	return m.scores(rehline.Problem{Sparse: x}), nil
}

func (m Multiclass[L]) scores(p rehline.Problem) blas64.General {
	n, _ := p.Size()
	out := matrix(n, len(m.Machines))
	if n == 0 {
		return out
	}
	column := make([]float64, n)
	for k, machine := range m.Machines {
		p.Scores(column, machine.Beta, machine.Intercept)
		for i, z := range column {
			out.Data[i*out.Stride+k] = z
		}
	}
	return out
}

// Decide returns the class for each row of the scores of all machines. Of two
// classes the second one has positive scores. OneVsRest takes the class of the
// greatest score, OneVsOne the one with the most votes, a score of zero being
// one for the first of the pair; among equals of votes, the greatest sum of its
// scores decides, and then the lower class. It panics where the columns are not
// the machines.
func (m Multiclass[L]) Decide(scores blas64.General) []L {
	if scores.Cols != len(m.Machines) {
		panic("model: Decide needs one column for each machine")
	}
	out := make([]L, scores.Rows)
	votes, sums := make([]float64, len(m.Classes)), make([]float64, len(m.Classes))
	for i := range out {
		clear(votes)
		clear(sums)
		for k, z := range row(scores, i) {
			machine := m.Machines[k]
			if machine.Negative < 0 {
				sums[machine.Positive] = z
				continue
			}
			sums[machine.Positive] += z
			sums[machine.Negative] -= z
			switch {
			case z > 0, z == 0 && len(m.Classes) > 2:
				votes[machine.Positive]++
			default:
				votes[machine.Negative]++
			}
		}
		best := 0
		for c := range votes {
			if votes[c] > votes[best] || votes[c] == votes[best] && sums[c] > sums[best] {
				best = c
			}
		}
		out[i] = m.Classes[best]
	}
	return out
}

// Predict is Decide of Scores.
func (m Multiclass[L]) Predict(x blas64.General) ([]L, error) {
	scores, err := m.Scores(x)
	if err != nil {
		return nil, err
	}
	return m.Decide(scores), nil
}

// PredictSparse is Decide of ScoresSparse.
func (m Multiclass[L]) PredictSparse(x *rehline.CSR) ([]L, error) {
	scores, err := m.ScoresSparse(x)
	if err != nil {
		return nil, err
	}
	return m.Decide(scores), nil
}
