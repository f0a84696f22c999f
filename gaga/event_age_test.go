package gaga

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/internal/testing/needs"
)

// Under the linear regularizer the segments of a support vector machine's path are
// rational in the age: solved in numbers of 300 bits they say where exactly a sample
// reaches the end of its zone, and a branch turns back only where their matrix is
// singular.
func TestEventAges(t *testing.T) {
	t.Parallel()
	problems := 500
	if needs.Long() {
		problems = 3000
	}
	events, worst := 0, 0.0
	check := func(seed, stream uint64) {
		p := randomSVM(rand.New(rand.NewPCG(seed, stream)))
		p.Regularizer, p.Kernel = Linear{}, RBF{Gamma: 0.5}
		matrix := gram(p)
		if repeats(matrix, p.X.Rows) {
			return // events of equal samples have no age of their own
		}
		path, err := Track(context.Background(), p, Options{Age: Range{0.05, 1000}, MaxAlternations: 20_000})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			return
		}
		start := 0.0
		for i := range path.knots {
			k := &path.knots[i]
			if k.Kind == Start {
				start = k.Age
			}
			if k.Cause == Fold {
				at := *k
				at.Kind, at.Index = Jump, 0
				if least := (exactEvent{newEventZones(p, path, &at), matrix}).least(); least > 1e-6 {
					t.Errorf("seed %d: a fold at age %v, where the least eigenvalue is %.2g of the largest; %s", seed, k.Age, least, describeProblem(p))
				}
			}
			if (k.Cause != SampleUp && k.Cause != SampleDown) || !(k.Scalar > 0) || k.Age == start {
				continue // a landing is up to a hair's breadth beyond where it may have been due
			}
			events++
			off := exactEvent{newEventZones(p, path, k), matrix}.off()
			if worst = math.Max(worst, off); !(off <= 1e-9) {
				t.Errorf("seed %d: the event at age %v, %s, is %.2g of it off; %s", seed, k.Age, k.Detail, off, describeProblem(p))
			}
		}
	}
	for seed := range problems {
		check(uint64(seed), 11)
	}
	check(1644, 610)         // corrections by the factor of an earlier point need acceleration
	check(2447, 11)          // the factor of an earlier point takes the residual down slowly
	check(244, 616)          // the sign test is rounding
	check(299, machines|320) // the matrix is nearly singular at the point of the factor
	t.Logf("%d events, %.2g of an age off at most", events, worst)
	if events < problems {
		t.Errorf("only %d events", events)
	}
}

// repeats reports whether two samples of a kernel matrix are the same.
func repeats(gram []float64, n int) bool {
	for i := range n {
		if slices.Contains(gram[i*n:i*n+i], 1) {
			return true
		}
	}
	return false
}

type exactEvent struct {
	*eventZones
	gram []float64 // n x n
}

func exact(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }

// off returns by how much of its age the event is away from where its event function
// is zero on the zones before it, by a step of the secant method.
func (e exactEvent) off() float64 {
	h := 1e-12 * e.k.Age
	here, there := e.value(e.k.Age), e.value(e.k.Age+h)
	slope := new(big.Float).Sub(there, here)
	if value, _ := here.Float64(); math.Abs(value) <= 1e-15*e.size() {
		return 0 // of duplicates, say, it stays there
	}
	step, _ := slope.Quo(here, slope).Float64()
	return math.Abs(step*h) / e.k.Age
}

// size returns the size of the event function's terms.
func (e exactEvent) size() float64 {
	switch i := e.k.Index; {
	case e.zone[0][i] == model.Pinned:
		return e.p.Loss.(Hinge).C * e.p.multiplicity(i)
	case e.zone[0][i] == model.Satisfied || e.zone[0][i] == model.Pinned+1 && !e.up:
		return 1
	}
	return e.k.Age
}

// system returns the linear equations of a segment at an age: of the multipliers of
// the samples in and, where something determines it, of the intercept.
func (e exactEvent) system(age float64) (in []int, a [][]*big.Float, b []*big.Float) {
	p, zone := e.p, e.zone[0]
	c, n := p.Loss.(Hinge).C, p.X.Rows
	for i, z := range zone {
		if z == model.Pinned || z == model.Pinned+1 {
			in = append(in, i)
		}
	}
	k := len(in)
	size := k
	if p.Intercept && k > 0 {
		size++
	}
	a, b = make([][]*big.Float, size), make([]*big.Float, size)
	for r := range a {
		a[r] = make([]*big.Float, size)
		for q := range a[r] {
			a[r][q] = exact(0)
		}
		b[r] = exact(0)
	}
	for r, i := range in {
		// y_i u_i = 1, and of a sample of varying weight y_i u_i - λα_i/(mC²) = 1 - λ/C.
		for q, j := range in {
			a[r][q] = exact(e.gram[i*n+j] * p.Y[i] * p.Y[j])
		}
		b[r] = exact(1)
		if zone[i] != model.Pinned {
			shift := new(big.Float).Quo(exact(age), new(big.Float).Mul(exact(c), exact(c)))
			a[r][r].Sub(a[r][r], shift.Quo(shift, exact(p.multiplicity(i))))
			b[r].Sub(b[r], new(big.Float).Quo(exact(age), exact(c)))
		}
		if size > k {
			a[r][k], a[k][r] = exact(p.Y[i]), exact(p.Y[i])
		}
	}
	return in, a, b
}

// least returns the least eigenvalue of the equations' matrix, by the largest.
func (e exactEvent) least() float64 {
	_, a, _ := e.system(e.k.Age)
	m := mat.NewSymDense(len(a), nil)
	for r, row := range a {
		for q, x := range row[:r+1] {
			v, _ := x.Float64()
			m.SetSym(r, q, v)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(m, false) {
		return math.NaN()
	}
	least, largest := math.Inf(1), 0.0
	for _, v := range eigen.Values(nil) {
		least, largest = math.Min(least, math.Abs(v)), math.Max(largest, math.Abs(v))
	}
	return least / largest
}

// value returns the event function on the zones before the event at an age.
func (e exactEvent) value(age float64) *big.Float {
	p, zone := e.p, e.zone[0]
	c, n := p.Loss.(Hinge).C, p.X.Rows
	in, a, b := e.system(age)
	x := eliminate(a, b)
	alpha, bias := make([]*big.Float, n), exact(0)
	for i := range alpha {
		alpha[i] = exact(0)
	}
	for r, i := range in {
		alpha[i] = x[r]
	}
	switch {
	case len(x) > len(in):
		bias = x[len(in)]
	case p.Intercept:
		bias = exact(e.k.Theta[n])
	}
	i := e.k.Index
	margin := new(big.Float).Mul(bias, exact(p.Y[i])) // y_i u_i
	for j := range n {
		margin.Add(margin, new(big.Float).Mul(alpha[j], exact(p.Y[i]*p.Y[j]*e.gram[i*n+j])))
	}
	switch zone[i] {
	case model.Pinned:
		if !e.up {
			return alpha[i]
		}
		return new(big.Float).Sub(new(big.Float).Mul(exact(c), exact(p.multiplicity(i))), alpha[i])
	case model.Satisfied:
		return margin.Sub(margin, exact(1))
	case model.Pinned + 1:
		if !e.up {
			return margin.Sub(exact(1), margin)
		}
	}
	loss := new(big.Float).Mul(exact(c), margin.Sub(exact(1), margin))
	return loss.Sub(loss, exact(age))
}

// eliminate solves ax = b by Gaussian elimination with pivots.
func eliminate(a [][]*big.Float, b []*big.Float) []*big.Float {
	n := len(a)
	for c := range n {
		top := c
		for r := c + 1; r < n; r++ {
			if new(big.Float).Abs(a[r][c]).Cmp(new(big.Float).Abs(a[top][c])) > 0 {
				top = r
			}
		}
		a[c], a[top], b[c], b[top] = a[top], a[c], b[top], b[c]
		for r := c + 1; r < n; r++ {
			by := new(big.Float).Quo(a[r][c], a[c][c])
			for q := c; q < n; q++ {
				a[r][q].Sub(a[r][q], new(big.Float).Mul(by, a[c][q]))
			}
			b[r].Sub(b[r], new(big.Float).Mul(by, b[c]))
		}
	}
	for c := n - 1; c >= 0; c-- {
		for q := c + 1; q < n; q++ {
			b[c].Sub(b[c], new(big.Float).Mul(a[c][q], b[q]))
		}
		b[c].Quo(b[c], a[c][c])
	}
	return b
}
