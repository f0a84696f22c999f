package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

// Observation is an entry of a matrix that is known in part: what a user gave
// an item.
type Observation struct {
	User, Item int // 0-based row and column.
	Value      float64
}

// Factorization is the problem of a matrix of low rank near the entries that
// were observed, for any loss of this package:
//
//	min  Σ_o C w_o L_o(p_u·q_i + a_u + b_i)
//	     + ½ UserRidge Σ_u (‖p_u‖² + a_u²) + ½ ItemRidge Σ_i (‖q_i‖² + b_i²)
//	over p_u, a_u of each user and q_i, b_i of each item
//	subject to linear constraints on p_u and on q_i
//
// The objective of plqMF_Ridge in ReHLine's Python package is this one with
// UserRidge = 2ρ/Users and ItemRidge = 2(1-ρ)/Items; there the constraints bind
// the biases too.
type Factorization struct {
	Users, Items int
	Observations []Observation // several of one entry all count.

	// Loss returns the losses of scores for the observed values in their
	// order: Squared, Absolute, Hinge, or a function that calls Huber, say.
	// It is called once.
	Loss    func(values []float64) rehline.Loss
	C       float64   // >= 0 and finite; 0 is 1.
	Weights []float64 // one >= 0 for each observation, or nil: all 1.

	Rank                 int     // length of p_u and q_i, at least 1.
	UserRidge, ItemRidge float64 // > 0 and finite; 0 is 1.
	Unbiased             bool    // a_u = b_i = 0.

	UserConstraints, ItemConstraints rehline.Constraints // on the Rank coefficients of each user and of each item.
}

// FactorizationOptions control Factorize. The zero value is a good choice.
type FactorizationOptions struct {
	Tol       float64  // relative fall of the objective over a sweep to stop at, >= 0; 0 is 1e-5.
	MaxSweeps int      // limit on sweeps over users and items; 0 is 200.
	Seed      uint64   // of the start: normal factors with standard deviation StartSize, biases of zero.
	StartSize float64  // > 0; 0 is 0.1.
	Start     *Factors // start from these, of the same shape, instead: from those for a smoother loss or another C.
	Workers   int      // users or items solved at a time; 0 is 1. The result does not depend on it.

	Options  rehline.Options     // of the solves; Warm and Progress are not used. A Tol of 0 is 1e-9.
	Progress func(Factors) error // called after each sweep, if set; an error ends the work. It must keep nothing of its argument.
}

// Factors are a solution of a Factorization that neither users alone nor items
// alone improve: the problem is convex in either but not in both. For smooth
// losses it is a stationary point. Losses with kinks may hold alternation at
// a point where users and items together could still descend; starting from the
// factors for a smooth loss (Huber before Absolute) avoids most of these.
type Factors struct {
	User, Item         blas64.General // Users x Rank and Items x Rank.
	UserBias, ItemBias []float64      // zero where the problem is unbiased.

	// Objectives are those of the start, and after each half of a sweep: users,
	// then items. They never rise, but for the first if the start violates a
	// constraint.
	Objectives []float64
	Loss       float64        // C Σ w_o L_o, the loss's part of the last objective.
	Status     rehline.Status // Solved where the objective fell by less than Tol, PassLimit where the sweeps ended.
}

// At returns the score p_u·q_i + a_u + b_i. It panics where there is no such
// user or item.
func (f Factors) At(user, item int) float64 {
	var sum float64
	q := row(f.Item, item)
	for j, p := range row(f.User, user) {
		sum += p * q[j]
	}
	return sum + f.UserBias[user] + f.ItemBias[item]
}

// Factorize finds a local solution by alternation: each user's problem with
// the items fixed is a Problem of Rank features, and the other way round. A
// user or item whose solve lowers its part of the objective by nothing keeps
// its factors, so that the objective never rises; one without observations gets
// the smallest factors that the constraints allow. Errors: *InputError,
// *InfeasibleError, ctx.Err() with the factors so far.
func Factorize(ctx context.Context, p Factorization, o FactorizationOptions) (Factors, error) {
	w, err := newAlternation(p, o)
	if err != nil {
		return Factors{}, err
	}
	return w.run(ctx)
}

// check returns the loss of all observations.
func (p *Factorization) check() (rehline.Loss, error) {
	const what = "Factorization."
	fail := func(part, format string, args ...any) (rehline.Loss, error) {
		return rehline.Loss{}, inputError(what+part, -1, rehline.ErrShape, format, args...)
	}
	switch {
	case p.Users < 1 || p.Items < 1:
		return fail("Users", "%d users and %d items; there is at least one of each", p.Users, p.Items)
	case p.Rank < 1:
		return fail("Rank", "%d; it is at least 1", p.Rank)
	case len(p.Observations) == 0:
		return fail("Observations", "none; at least one is needed")
	case p.Loss == nil:
		return fail("Loss", "nil; Squared is one")
	}
	values := make([]float64, len(p.Observations))
	for k, o := range p.Observations {
		if o.User < 0 || o.User >= p.Users || o.Item < 0 || o.Item >= p.Items {
			return rehline.Loss{}, inputError(what+"Observations", k, rehline.ErrRange,
				"user %d, item %d; they are 0 to %d and 0 to %d", o.User, o.Item, p.Users-1, p.Items-1)
		}
		if math.IsNaN(o.Value) || math.IsInf(o.Value, 0) {
			return rehline.Loss{}, inputError(what+"Observations", k, rehline.ErrNotFinite, "%v", o.Value)
		}
		values[k] = o.Value
	}
	loss := p.Loss(values)
	if loss.N() != len(values) {
		return fail("Loss", "%d samples for %d observations", loss.N(), len(values))
	}
	for _, side := range []struct {
		name        string
		ridge       float64
		constraints rehline.Constraints
	}{{"users", p.UserRidge, p.UserConstraints}, {"items", p.ItemRidge, p.ItemConstraints}} {
		// The problem of one member who has all observations, of features that are zero.
		zeros := &rehline.CSR{Rows: len(values), Cols: p.Rank, Start: make([]int, len(values)+1)}
		member := rehline.Problem{Sparse: zeros, Loss: loss, C: p.C, Weights: p.Weights,
			Ridge: side.ridge, Constraints: side.constraints}
		if err := member.Check(); err != nil {
			return rehline.Loss{}, fmt.Errorf("factorization, %s: %w", side.name, err)
		}
	}
	return loss, nil
}

// defaults fills in o.
func (o *FactorizationOptions) defaults() error {
	for _, part := range []struct {
		name  string
		value float64
	}{
		{"Tol", o.Tol}, {"StartSize", o.StartSize},
		{"MaxSweeps", float64(o.MaxSweeps)}, {"Workers", float64(o.Workers)},
	} {
		if !(part.value >= 0) || math.IsInf(part.value, 1) {
			return inputError("FactorizationOptions."+part.name, -1, rehline.ErrRange, "%g; it is >= 0", part.value)
		}
	}
	o.Tol = cmp.Or(o.Tol, 1e-5)
	o.MaxSweeps = cmp.Or(o.MaxSweeps, 200)
	o.StartSize = cmp.Or(o.StartSize, 0.1)
	o.Options.Tol = cmp.Or(o.Options.Tol, 1e-9)
	o.Options.Warm, o.Options.Progress = nil, nil
	o.Workers = max(o.Workers, 1)
	return nil
}

// checkStart returns an error where o.Start has another shape than p.
func (o *FactorizationOptions) checkStart(p *Factorization) error {
	f := o.Start
	if f == nil {
		return nil
	}
	const what = "FactorizationOptions.Start"
	if f.User.Rows != p.Users || f.Item.Rows != p.Items || len(f.UserBias) != p.Users || len(f.ItemBias) != p.Items {
		return inputError(what, -1, rehline.ErrShape, "%d x %d with %d and %d biases for %d users and %d items",
			f.User.Rows, f.Item.Rows, len(f.UserBias), len(f.ItemBias), p.Users, p.Items)
	}
	for _, m := range []blas64.General{f.User, f.Item} {
		start := rehline.Problem{X: m, Loss: rehline.Absolute(make([]float64, m.Rows))}
		if err := start.Check(); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if m.Cols != p.Rank {
			return inputError(what, -1, rehline.ErrShape, "%d columns where %d are needed", m.Cols, p.Rank)
		}
	}
	for _, v := range slices.Concat(f.UserBias, f.ItemBias) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return inputError(what, -1, rehline.ErrNotFinite, "%v", v)
		}
		if p.Unbiased && v != 0 {
			return inputError(what, -1, rehline.ErrRange, "biases for an unbiased problem")
		}
	}
	return nil
}

// randomize fills m with normal numbers.
func randomize(m blas64.General, r *rand.Rand, size float64) {
	for k := range m.Data {
		m.Data[k] = size * r.NormFloat64()
	}
}
