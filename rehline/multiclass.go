package rehline

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/blas/blas64"
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
	Options Options // of every solve; Warm is not used and Progress only with one worker.
	Workers int     // problems solved at a time; 0 is 1. The result does not depend on it.
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
	Iterations     Iterations
	Status         Status
}

// FitMulticlass fits a classifier of the labels, one per sample of p, with any
// loss of margins, which takes labels of +1 and -1: Hinge, SquaredHinge,
// SmoothedHinge or one made with Samples. Everything else is as in p, whose
// Loss is not used: penalties, intercept and constraints for each problem and
// the weights of its samples. Errors: *InputError, *InfeasibleError, ctx.Err().
func FitMulticlass[L cmp.Ordered](ctx context.Context, p Problem, labels []L, loss func(y []float64) Loss, o MulticlassOptions) (Multiclass[L], error) {
	n, _ := p.size()
	if len(labels) != n {
		return Multiclass[L]{}, shapeError("FitMulticlass: labels", "%d for %d samples", len(labels), n)
	}
	classes := slices.Clone(labels)
	slices.Sort(classes)
	classes = slices.Compact(classes)
	if len(classes) > 0 && classes[0] != classes[0] {
		return Multiclass[L]{}, &InputError{"FitMulticlass: labels", slices.IndexFunc(labels, func(l L) bool { return l != l }), -1, "NaN", ErrNotFinite}
	}
	if len(classes) < 2 {
		return Multiclass[L]{}, shapeError("FitMulticlass: labels", "%d classes; there are at least 2", len(classes))
	}
	if o.Scheme > OneVsOne {
		return Multiclass[L]{}, &InputError{"FitMulticlass: Scheme", -1, -1, fmt.Sprint(uint8(o.Scheme)), ErrRange}
	}
	if o.Workers < 0 {
		return Multiclass[L]{}, &InputError{"FitMulticlass: Workers", -1, -1, fmt.Sprintf("%d; it is at least 1, or 0 for 1", o.Workers), ErrRange}
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
func (m *Machine) fit(ctx context.Context, p Problem, index []int, loss func(y []float64) Loss, o Options) error {
	p.Loss = Loss{}
	if m.Negative >= 0 {
		var samples, of []int
		for i, k := range index {
			if k == m.Positive || k == m.Negative {
				samples, of = append(samples, i), append(of, k)
			}
		}
		p, index = p.pick(samples), of
	}
	p.Loss = loss(signs(index, m.Positive))
	sol, err := Solve(ctx, p, o)
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
	if err := checkMatrix("Scores: x", x, len(m.Machines[0].Beta)); err != nil {
		return blas64.General{}, err
	}
	return m.scores(Problem{X: x}), nil
}

// ScoresSparse is Scores of sparse features.
func (m Multiclass[L]) ScoresSparse(x *CSR) (blas64.General, error) {
	if x == nil {
		return blas64.General{}, shapeError("ScoresSparse: x", "nil")
	}
	if err := x.check(); err != nil {
		return blas64.General{}, err
	}
	if d := len(m.Machines[0].Beta); x.Cols != d {
		return blas64.General{}, shapeError("ScoresSparse: x", "%d columns where %d are needed", x.Cols, d)
	}
	return m.scores(Problem{Sparse: x}), nil
}

func (m Multiclass[L]) scores(p Problem) blas64.General {
	n, _ := p.size()
	out := newMatrix(n, len(m.Machines))
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
		panic("rehline: Decide needs one column for each machine")
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
func (m Multiclass[L]) PredictSparse(x *CSR) ([]L, error) {
	scores, err := m.ScoresSparse(x)
	if err != nil {
		return nil, err
	}
	return m.Decide(scores), nil
}
