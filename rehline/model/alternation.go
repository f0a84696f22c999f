package model

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

// alternation is the state of Factorize.
type alternation struct {
	o       FactorizationOptions
	loss    rehline.Loss // of all observations
	c       float64
	weights []float64

	users, items side
	scores       []float64 // of all observations
	losses       []float64
	factors      Factors
}

// side is the users or the items.
type side struct {
	factors     blas64.General // one row for each
	bias        []float64
	other       *side
	observed    [][]int // observations of each
	partner     []int   // of every observation: the row of the other side
	ridge       float64
	constraints rehline.Constraints
	intercept   rehline.Intercept
}

func newAlternation(p Factorization, o FactorizationOptions) (*alternation, error) {
	loss, err := p.check()
	if err != nil {
		return nil, err
	}
	if err := o.defaults(); err != nil {
		return nil, err
	}
	if err := o.checkStart(&p); err != nil {
		return nil, err
	}
	n := len(p.Observations)
	w := &alternation{o: o, loss: loss, c: cmp.Or(p.C, 1), weights: p.Weights,
		scores: make([]float64, n), losses: make([]float64, n)}
	w.users = newSide(p.Users, p.Rank, p.UserRidge, p.UserConstraints, p.Unbiased)
	w.items = newSide(p.Items, p.Rank, p.ItemRidge, p.ItemConstraints, p.Unbiased)
	w.users.other, w.items.other = &w.items, &w.users
	for k, o := range p.Observations {
		w.users.add(k, o.User, o.Item)
		w.items.add(k, o.Item, o.User)
	}
	w.start()
	w.factors = Factors{User: w.users.factors, Item: w.items.factors, UserBias: w.users.bias, ItemBias: w.items.bias}
	return w, nil
}

func newSide(count, rank int, ridge float64, c rehline.Constraints, unbiased bool) side {
	s := side{factors: matrix(count, rank), bias: make([]float64, count), observed: make([][]int, count),
		ridge: cmp.Or(ridge, 1), constraints: c, intercept: rehline.PenalizedIntercept}
	if unbiased {
		s.intercept = rehline.NoIntercept
	}
	return s
}

// start sets the first factors.
func (w *alternation) start() {
	if f := w.o.Start; f != nil {
		for i := range w.users.bias {
			copy(row(w.users.factors, i), row(f.User, i))
		}
		for i := range w.items.bias {
			copy(row(w.items.factors, i), row(f.Item, i))
		}
		copy(w.users.bias, f.UserBias)
		copy(w.items.bias, f.ItemBias)
		return
	}
	r := rand.New(rand.NewPCG(w.o.Seed, 0x666163746f7273)) // a stream of its own for each seed
	randomize(w.users.factors, r, w.o.StartSize)
	randomize(w.items.factors, r, w.o.StartSize)
}

// add notes that observation k is of member i with partner j.
func (s *side) add(k, i, j int) {
	s.observed[i] = append(s.observed[i], k)
	s.partner = append(s.partner, j)
}

// run sweeps until the objective falls no more.
func (w *alternation) run(ctx context.Context) (Factors, error) {
	f := &w.factors
	f.Objectives = append(f.Objectives, w.objective())
	f.Status = rehline.PassLimit
	for range w.o.MaxSweeps {
		before := f.Objectives[len(f.Objectives)-1]
		for _, s := range []*side{&w.users, &w.items} {
			if err := w.half(ctx, s); err != nil {
				return *f, err
			}
			f.Objectives = append(f.Objectives, w.objective())
		}
		after := f.Objectives[len(f.Objectives)-1]
		if w.o.Progress != nil {
			if err := w.o.Progress(*f); err != nil {
				return *f, err
			}
		}
		if before-after <= w.o.Tol*math.Abs(after) && len(f.Objectives) > 3 {
			f.Status = rehline.Solved
			break
		}
	}
	return *f, nil
}

// objective returns that of the current factors.
func (w *alternation) objective() float64 {
	for i, observed := range w.users.observed {
		for _, k := range observed {
			w.scores[k] = w.factors.At(i, w.users.partner[k])
		}
	}
	w.loss.Value(w.losses, w.scores)
	var sum float64
	for k, v := range w.losses {
		if w.weights != nil {
			v *= w.weights[k]
		}
		sum += w.c * v
	}
	w.factors.Loss = sum
	return sum + w.users.penalty() + w.items.penalty()
}

func (s *side) penalty() float64 {
	var sum float64
	for i := range s.observed {
		sum += penalty(s.ridge, row(s.factors, i), s.bias[i])
	}
	return sum
}

// penalty is ½ ridge (‖p‖² + bias²).
func penalty(ridge float64, p []float64, bias float64) float64 {
	sum := bias * bias
	for _, v := range p {
		sum += v * v
	}
	return ridge * sum / 2
}

// half solves for every member of a side with the other side as it is. Members
// do not see each other, so that they can be solved at the same time.
func (w *alternation) half(ctx context.Context, s *side) error {
	group, ctx := errgroup.WithContext(ctx)
	count := len(s.observed)
	for worker := range min(w.o.Workers, count) {
		group.Go(func() error {
			for i := worker; i < count; i += w.o.Workers {
				if err := w.member(ctx, s, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// member solves for member i of a side, and keeps what it has where that is as
// good.
func (w *alternation) member(ctx context.Context, s *side, i int) error {
	p := w.problem(s, i)
	sol, err := rehline.Solve(ctx, p, w.o.Options)
	if err != nil {
		return err
	}
	own := row(s.factors, i)
	if feasible(&p.Constraints, own) && objective(&p, own, s.bias[i]) <= objective(&p, sol.Beta, sol.Intercept) {
		return nil
	}
	copy(own, sol.Beta)
	s.bias[i] = sol.Intercept
	return nil
}

// problem is that of member i: a row of factors and a known part of the score
// from the partner of each observation. A member without observations has one
// of no weight.
func (w *alternation) problem(s *side, i int) rehline.Problem {
	observed := s.observed[i]
	p := rehline.Problem{C: w.c, Ridge: s.ridge, Intercept: s.intercept, Constraints: s.constraints}
	if len(observed) == 0 {
		p.X = matrix(1, s.factors.Cols)
		p.Loss = rehline.Absolute([]float64{0})
		p.Weights = []float64{0}
		return p
	}
	p.X = matrix(len(observed), s.factors.Cols)
	known := make([]float64, len(observed))
	for r, k := range observed {
		j := s.partner[k]
		copy(row(p.X, r), row(s.other.factors, j))
		known[r] = s.other.bias[j]
	}
	p.Loss = w.loss.Subset(observed).Shift(known)
	if w.weights != nil {
		p.Weights = make([]float64, len(observed))
		for r, k := range observed {
			p.Weights[r] = w.weights[k]
		}
	}
	return p
}

// objective returns the objective of a problem with a ridge penalty alone, both given.
func objective(p *rehline.Problem, beta []float64, intercept float64) float64 {
	n, _ := p.Size()
	scores, losses := make([]float64, n), make([]float64, n)
	p.Scores(scores, beta, intercept)
	p.Loss.Value(losses, scores)
	var sum float64
	for i, v := range losses {
		if p.Weights != nil {
			v *= p.Weights[i]
		}
		sum += p.C * v
	}
	return sum + penalty(p.Ridge, beta, intercept)
}

// feasible tells whether beta satisfies the constraints as closely as a solve does.
func feasible(c *rehline.Constraints, beta []float64) bool {
	for k, b := range c.B {
		sum, size := b, math.Abs(b)
		for j, a := range row(c.A, k) {
			sum += a * beta[j]
			size = max(size, math.Abs(a))
		}
		if equal := c.Equality != nil && c.Equality[k]; sum < -1e-6*size || equal && sum > 1e-6*size {
			return false
		}
	}
	return true
}

func matrix(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}

// row returns row r of m as a slice of its own length.
func row(m blas64.General, r int) []float64 { return m.Data[r*m.Stride:][:m.Cols] }
