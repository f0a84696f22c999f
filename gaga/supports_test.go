package gaga

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/convex"
)

// overlapping is a linear support vector machine on two classes that overlap, of n rows
// in d dimensions, of which some come twice.
func overlapping(random *rand.Rand, n, d int, intercept bool) *Problem {
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range n {
		y[i] = float64(2*(i%2) - 1)
		for j := range d {
			x[i*d+j] = 0.4*y[i] + random.NormFloat64()
		}
		if i > 0 && random.IntN(20) == 0 {
			copy(x[i*d:(i+1)*d], x[(i-1)*d:i*d])
		}
	}
	p := SVM(blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y, nil, math.Exp(random.NormFloat64()), nil)
	p.Intercept = intercept
	if random.IntN(2) == 0 {
		p.Multiplicity = make([]float64, n)
		for i := range n {
			p.Multiplicity[i] = float64(1 + random.IntN(3))
		}
	}
	return p
}

// outliers makes some rows of a problem a hundred times as long, whose predictors are
// sums of large terms, and others hardly different from the rows before them.
func outliers(random *rand.Rand, p *Problem) {
	row := func(i int) []float64 { return p.X.Data[i*p.X.Stride : i*p.X.Stride+p.X.Cols] }
	for i := 1; i < p.X.Rows; i++ {
		switch random.IntN(20) {
		case 0:
			for j := range row(i) {
				row(i)[j] *= 100
			}
		case 1:
			for j, x := range row(i - 1) {
				row(i)[j] = x + 1e-6*random.NormFloat64()
			}
		}
	}
}

// Fits to weights that change a little, or altogether, are those of package convex.
func TestSupports(t *testing.T) {
	t.Parallel()
	fits := 0
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 7))
		n, d := 20+random.IntN(100), 1+random.IntN(25)
		p := overlapping(random, n, d, seed%2 == 0)
		p.Regularizer = Hard{}
		if seed%4 >= 2 {
			outliers(random, p)
		}
		s := newSupports(newPrimal(p))
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		s.look(all, s.a)
		kernel := convex.Linear{}
		solver := convex.NewSVM(p.X, p.Y, p.Loss.(Hinge).C/p.Penalty.L2, kernel, p.Intercept, convex.SVMOptions{})
		top, weights := make([]float64, n), make([]float64, n)
		for i := range weights {
			weights[i] = random.Float64()
		}
		for round := range 30 {
			for i := range weights {
				switch {
				case round%10 == 9: // another problem
					weights[i] = max(0, 1.5*random.Float64()-0.5)
				case random.IntN(5) == 0:
					weights[i] = min(1, max(0, weights[i]+0.1*random.NormFloat64()))
				}
				top[i] = s.m[i] * s.hinge.C * weights[i]
			}
			clear(s.c)
			for i, below := range s.below {
				if below {
					s.cross(i, top[i])
				}
			}
			if !s.fits(func(i int) float64 { return top[i] }) {
				s.clear()
				clear(s.below)
				continue
			}
			fits++
			if _, err := solver.Solve(context.Background(), weighted(p, weights)); err != nil {
				t.Fatal(err)
			}
			want := append([]float64(nil), solver.Theta()...)
			if len(s.members) == 0 || !p.Intercept {
				want[d] = 0 // an interval, or none
			}
			got := append(append([]float64(nil), s.theta...), 0)[:d+1]
			if len(s.members) == 0 {
				got[d] = 0
			}
			if off := far(got, want); off > 1e-8 {
				t.Errorf("seed %d, round %d, %d x %d: %v, want %v", seed, round, n, d, got, want)
			}
		}
	}
	if fits < 1100 {
		t.Errorf("only %d of 1200 fits came to an end", fits)
	}
	t.Logf("%d of 1200 fits", fits)
}

// weighted returns weights times multiplicities.
func weighted(p *Problem, weights []float64) []float64 {
	out := make([]float64, len(weights))
	for i, v := range weights {
		out[i] = v * p.multiplicity(i)
	}
	return out
}

// A creep over the margin lands where alternate convex search ends, which fits all
// samples each time.
func TestCreepOver(t *testing.T) {
	t.Parallel()
	ends, alternations := 0, 0
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 33))
		n := 60
		if seed%3 == 0 {
			n = 2 * manyWatched // more than a neighbourhood has
		}
		p := overlapping(random, n, 2+int(seed%4), seed%2 == 0)
		p.Regularizer = []Regularizer{Hard{}, Linear{}, Polynomial{1.35}, Mixture{0.5}, LOG{1}}[seed%5]
		trial := creepTrial{
			problem: p, starts: 4, tolerance: 1e-7,
			age:    func() float64 { return 0.3 * math.Pow(30, random.Float64()) },
			factor: func() float64 { return 1.2 - 0.4*random.Float64() },
			creep: func(tr *tracker, age float64, theta []float64) ([]float64, int, bool) {
				steps, end := tr.creepOver(context.Background(), age, theta[:tr.p])
				return tr.publish(tr.left.theta), steps, end == landed
			},
		}
		ended, steps := trial.run(t, seed)
		ends += ended
		alternations += steps
	}
	if ends < 90 {
		t.Errorf("only %d creeps landed", ends)
	}
	t.Logf("%d creeps, %d alternations", ends, alternations)
}

// Where the weights of all samples vary all are looked at, the near ones first.
func TestCreepOverAllVarying(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 34))
	p := overlapping(random, 2*manyWatched, 3, true)
	p.Loss, p.Regularizer = Hinge{C: 1}, Polynomial{1.35}
	tracker, err := newTracker(p, Options{Age: Range{0.01, 20}})
	if err != nil {
		t.Fatal(err)
	}
	c := tracker.marginal
	theta := []float64{1, 1, 1, 0}
	var most float64
	for i, y := range p.Y {
		most = math.Max(most, y*c.predictOne(i, theta))
	}
	for j := range theta {
		theta[j] *= 0.99 / most // all are below the margin
	}
	c.start(20, theta)
	if len(c.looked) != c.n || c.near == 0 || c.near == c.n {
		t.Fatalf("%d samples are near, %d of %d looked at: the test needs all, and some near", c.near, len(c.looked), c.n)
	}
	_, scores := marginWalk{c}.solution()
	for slot, i := range c.looked {
		if want := c.predictOne(i, theta); math.Abs(scores[slot]-want) > 1e-12 {
			t.Fatalf("sample %d in slot %d: predictor %v, want %v", i, slot, scores[slot], want)
		}
	}
}
