package convex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// linearProblem is a random regression or classification problem for tests.
type linearProblem struct {
	x       blas64.General
	y       []float64
	weights []float64
}

// randomLinear draws n x d correlated features, a target from d/3+1 of them
// with noise, and weights of which about a third are 0.
func randomLinear(seed uint64, n, d int) linearProblem {
	r := rand.New(rand.NewPCG(seed, 1))
	p := linearProblem{x: blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}}
	for i := range n {
		common := r.NormFloat64()
		target := r.NormFloat64()
		for j := range d {
			v := r.NormFloat64() + 0.5*common
			p.x.Data[i*d+j] = v
			if j <= d/3 {
				target += v * float64(j%3-1) * 2
			}
		}
		p.y = append(p.y, target)
		weight := r.Float64()
		if r.Float64() < 0.3 {
			weight = 0
		}
		p.weights = append(p.weights, weight)
	}
	return p
}

// labels makes the targets of p labels.
func (p linearProblem) labels() linearProblem {
	y := make([]float64, len(p.y))
	for i, v := range p.y {
		y[i] = math.Copysign(1, v)
	}
	p.y = y
	return p
}

// spoil changes the problem in up to four ways that trip solvers: duplicated,
// nearly equal, dependent, constant, zero, integer and badly scaled features,
// weights that are few, tiny or very unequal, and targets off by a large
// constant. It returns what it did.
func (p *linearProblem) spoil(r *rand.Rand) (done []string) {
	n, d := p.x.Rows, p.x.Cols
	each := func(change func(i int, row []float64)) {
		for i := range n {
			change(i, p.x.Data[i*d:(i+1)*d])
		}
	}
	a, b, c := r.IntN(d), r.IntN(d), r.IntN(d)
	ways := []struct {
		name string
		do   func()
	}{
		{"duplicate", func() { each(func(_ int, x []float64) { x[a] = x[b] }) }},
		{"opposite", func() { each(func(_ int, x []float64) { x[a] = -x[b] }) }},
		{"nearly equal", func() {
			size := math.Pow(10, -float64(2+r.IntN(12)))
			each(func(_ int, x []float64) { x[a] = x[b] + size*r.NormFloat64() })
		}},
		{"dependent", func() { each(func(_ int, x []float64) { x[a] = x[b] - 2*x[c] }) }},
		{"constant", func() { each(func(_ int, x []float64) { x[a] = 3.7 }) }},
		{"zero", func() { each(func(_ int, x []float64) { x[a] = 0 }) }},
		{"large offset", func() { each(func(_ int, x []float64) { x[a] += 1e6 }) }},
		{"integer", func() { each(func(_ int, x []float64) { x[a] = math.Round(x[a]) }) }},
		{"small feature", func() { each(func(_ int, x []float64) { x[a] *= 1e-8 }) }},
		{"large feature", func() { each(func(_ int, x []float64) { x[a] *= 1e8 }) }},
		{"outlier", func() { p.x.Data[r.IntN(len(p.x.Data))] = 1e5 }},
		{"repeated samples", func() {
			each(func(i int, x []float64) {
				copy(x, p.x.Data[(i/2)*d:(i/2+1)*d])
				p.y[i] = p.y[i/2]
			})
		}},
		{"tiny weights", func() {
			for i := range p.weights {
				p.weights[i] *= 1e-9
			}
		}},
		{"unequal weights", func() {
			for i := range p.weights {
				p.weights[i] *= math.Pow(10, -12*r.Float64())
			}
		}},
		{"few weights", func() {
			for i := range p.weights {
				if r.Float64() < 0.8 {
					p.weights[i] = 0
				}
			}
		}},
		{"whole weights", func() {
			for i := range p.weights {
				p.weights[i] = float64(r.IntN(4))
			}
		}},
	}
	for range 1 + r.IntN(4) {
		way := ways[r.IntN(len(ways))]
		way.do()
		done = append(done, way.name)
	}
	return done
}

// changeWeights shrinks all weights a little and draws some anew.
func (p *linearProblem) changeWeights(r *rand.Rand) {
	for i := range p.weights {
		p.weights[i] *= 1 - 0.1*r.Float64()
		if r.IntN(4) == 0 {
			p.weights[i] = r.Float64()
		}
	}
}

var linearTestSizes = [][2]int{{20, 3}, {50, 8}, {331, 10}, {40, 60}, {30, 200}, {200, 100}, {426, 30}, {20, 400}, {100, 400}}

// solveLinear solves and checks what every certificate must hold.
func solveLinear(t testing.TB, solver Solver, weights []float64) Certificate {
	t.Helper()
	certificate, err := solver.Solve(context.Background(), weights)
	if err != nil {
		t.Fatal(err)
	}
	if !(certificate.KKT >= 0 && certificate.KKT <= Tolerance) || certificate.Gap < 0 || certificate.Gap > Tolerance { // NaN is none
		t.Errorf("certificate %+v", certificate)
	}
	return certificate
}

func mustPanic(t *testing.T, name string, do func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", name)
		}
	}()
	do()
}
