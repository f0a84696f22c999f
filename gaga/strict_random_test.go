package gaga_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// sample is a random table of n x d with targets and multiplicities, which may be bent.
type sample struct {
	n, d    int
	x, y, m []float64
}

func (s *sample) matrix() blas64.General {
	return blas64.General{Rows: s.n, Cols: s.d, Stride: s.d, Data: s.x}
}

func logUniform(rng *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, rng.Float64())
}

// drawSample draws gaussian or whole-number data with outliers; labels where there are classes.
func drawSample(rng *rand.Rand, classes bool) *sample {
	n, d, integer := 2+rng.IntN(59), 1+rng.IntN(6), rng.IntN(4) == 0
	if rng.IntN(4) == 0 {
		n = 2 + rng.IntN(8)
	}
	s := &sample{n: n, d: d, x: make([]float64, n*d), y: make([]float64, n), m: make([]float64, n)}
	top, noise := 2+rng.IntN(4), logUniform(rng, 0.1, 2)
	for i := range s.x {
		if s.x[i] = rng.NormFloat64(); integer {
			s.x[i] = float64(rng.IntN(top))
		}
	}
	for i := range s.y {
		s.m[i], s.y[i] = float64(1+rng.IntN(2)), noise*rng.NormFloat64()
		for j := range d {
			s.y[i] += s.x[i*d+j] * float64(1+j%3) / 2
		}
		if rng.IntN(5) == 0 {
			s.y[i] += 4 * rng.NormFloat64()
		}
		if integer {
			s.y[i] = math.Round(s.y[i])
		}
	}
	bends[rng.IntN(len(bends))](s)
	if classes {
		for i, y := range s.y {
			s.y[i] = math.Copysign(1, y)
		}
		s.y[0], s.y[1] = 1, -1
	}
	return s
}

// bends make data degenerate, or leave it.
var bends = []func(s *sample){
	func(*sample) {}, func(*sample) {}, func(*sample) {}, func(*sample) {}, func(*sample) {},
	func(s *sample) { // repeated rows
		copy(s.x[s.n/2*s.d:], s.x[:s.n/2*s.d])
		copy(s.y[s.n/2:], s.y[:s.n/2])
	},
	func(s *sample) { copy(s.x[s.n/2*s.d:], s.x[:s.n/2*s.d]) }, // with other targets
	func(s *sample) { s.column(s.d-1, func(i int) float64 { return 2 * s.x[i*s.d] }) },
	func(s *sample) { s.column(0, func(int) float64 { return 1 }) },
	func(s *sample) { s.column(0, func(i int) float64 { return 1000 * s.x[i*s.d] }) },
	func(s *sample) { // constant targets
		for i := range s.y {
			s.y[i] = s.y[0]
		}
	},
	func(s *sample) { // a row far off
		for j := range s.d {
			s.x[j] *= 100
		}
	},
	func(s *sample) { s.m[0] = 100 },
	func(s *sample) { // zeros and ones
		for i, x := range s.x {
			s.x[i] = math.Abs(math.Round(x / (1 + math.Abs(x))))
		}
		for i, y := range s.y {
			s.y[i] = math.Round(y / (1 + math.Abs(y)))
		}
	},
	func(s *sample) { // small
		for i := range s.x {
			s.x[i] *= 1e-3
		}
	},
	func(s *sample) { // large targets
		for i := range s.y {
			s.y[i] *= 100
		}
	},
}

func (s *sample) column(j int, f func(i int) float64) {
	for i := range s.n {
		s.x[i*s.d+j] = f(i)
	}
}

// drawModel draws a problem of any model and regularizer, and ages from about those of the
// losses of the plain fit on.
func drawModel(rng *rand.Rand) (p *gaga.Problem, ages gaga.Range, what string) {
	kind := rng.IntN(7)
	s := drawSample(rng, kind >= 3)
	x, c, alpha := s.matrix(), logUniform(rng, 0.01, 10), logUniform(rng, 1e-3, 0.5)
	switch kind {
	case 0:
		p = gaga.Ridge(x, s.y, s.m, 20*alpha)
	case 1:
		p = gaga.Lasso(x, s.y, s.m, alpha)
	case 2:
		p = gaga.ElasticNet(x, s.y, s.m, alpha, 0.1+0.8*rng.Float64())
	case 3, 4:
		p = gaga.LogisticRegression(x, s.y, s.m, c)
		if kind == 4 {
			p.Penalty.L1 = logUniform(rng, 0.01, 1)
		}
	case 5:
		p = gaga.SVM(x, s.y, s.m, c, nil)
	case 6:
		p = gaga.SVM(x, s.y, s.m, c, gaga.RBF{Gamma: logUniform(rng, 0.05, 5) / float64(s.d)})
	}
	p.Intercept = rng.IntN(3) > 0
	p.Regularizer = []gaga.Regularizer{
		gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1 + logUniform(rng, 0.2, 9)}, gaga.Polynomial{Order: 1 + logUniform(rng, 0.2, 9)},
		gaga.Mixture{Gamma: logUniform(rng, 0.01, 10)}, gaga.LOG{A: logUniform(rng, 0.1, 100)},
	}[rng.IntN(6)]
	low := logUniform(rng, 1e-3, 1)
	if a, err := gaga.NewAlternation(p); err == nil && a.FitAll(context.Background()) == nil {
		losses := make([]float64, s.n)
		a.Losses(losses)
		slices.Sort(losses)
		low = max(losses[rng.IntN(s.n)], 1e-3*losses[s.n-1], 1e-9) * logUniform(rng, 0.03, 3)
	}
	return p, gaga.Range{Min: low, Max: low * logUniform(rng, 5, 1e4)}, fmt.Sprintf("%d x %d, %#v, %v, %#v, penalty %+v, intercept %v", s.n, s.d, p.Loss, p.Kernel, p.Regularizer, p.Penalty, p.Intercept)
}

// continues reports whether plain alternation at an age from a θ, or without one from the fit
// with all weights 1, comes to a strict optimum: to which it returns from points around it.
func continues(ctx context.Context, p *gaga.Problem, theta []float64, age float64) bool {
	a, err := gaga.NewAlternation(p)
	if err != nil || theta == nil && (a.FitAll(ctx) != nil || a.Discards(age)) {
		return false
	}
	settles := func(from []float64) ([]float64, bool) {
		if from != nil {
			a.SetTheta(from)
		}
		_, err := a.Converge(ctx, age, 1e-11, 20_000)
		return slices.Clone(a.Theta()), err == nil && !a.Discards(age)
	}
	at, ok := settles(theta)
	if !ok {
		return false
	}
	size := 0.0
	for _, w := range at {
		size = max(size, math.Abs(w))
	}
	if size == 0 { // at a saddle point too alternation stays
		size = 1
	}
	rng := rand.New(rand.NewPCG(1, 38))
	for range 4 {
		beside := slices.Clone(at)
		for j := range beside {
			beside[j] += 1e-5 * size * rng.NormFloat64()
		}
		if again, ok := settles(beside); !ok || apart(again, at) > 1e-7 {
			return false
		}
	}
	return true
}

// Of random problems of every model and regularizer, degenerate ones among them, hardly any
// path is incomplete where plain alternation finds a strict optimum that continues, and none is
// complete with everybody discarded.
func TestIncompletePaths(t *testing.T) {
	needs.Patience(t, "4 s")
	t.Parallel()
	problems := 1000
	if needs.Long() {
		problems = 10_000
	}
	for _, direction := range []gaga.Direction{gaga.Up, gaga.Down} {
		t.Run(direction.String(), func(t *testing.T) {
			t.Parallel()
			countIncomplete(t, problems, direction)
		})
	}
}

func countIncomplete(t *testing.T, problems int, direction gaga.Direction) {
	incomplete, stopped, violations := 0, 0, 0
	for seed := range problems {
		p, ages, what := drawModel(rand.New(rand.NewPCG(uint64(seed), 38)))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		path, err := gaga.Track(ctx, p, gaga.Options{Age: ages, MaxAlternations: 20_000, Direction: direction})
		cancel()
		if err != nil {
			violations++
			t.Logf("problem %d: %v; %s", seed, err, what)
			continue
		}
		knots := path.Knots()
		if path.Status() == gaga.Complete {
			if _, keeps := p.Regularizer.(gaga.LOG); !keeps && !slices.ContainsFunc(knots, func(k gaga.Knot) bool { return k.Easy+k.Middle > 0 }) {
				t.Errorf("problem %d: complete, with everybody discarded; %s", seed, what)
			}
			continue
		}
		incomplete++
		var theta []float64
		age, next := ages.Min, 1+1e-6
		if direction == gaga.Down {
			age, next = ages.Max, 1-1e-6
		}
		if len(knots) > 0 {
			theta, age = knots[len(knots)-1].Theta, knots[len(knots)-1].Age
		}
		if continues(t.Context(), p, theta, age*next) {
			stopped++
			t.Logf("problem %d: %v at age %v: %s; %s", seed, path.Status(), age, path.Reason(), what)
		}
	}
	t.Logf("%d of %d paths incomplete, %d of them where a strict optimum continues", incomplete, problems, stopped)
	if stopped > problems/2000 || violations > problems/2000 {
		t.Errorf("%d paths stop where a strict optimum continues, %d break an invariant", stopped, violations)
	}
}
