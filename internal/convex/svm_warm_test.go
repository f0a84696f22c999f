package convex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// eachKernel runs a test for both kernels with and without an intercept.
func eachKernel(t *testing.T, test func(t *testing.T, kernel Kernel, intercept bool)) {
	t.Parallel()
	for _, kernel := range []Kernel{Linear{}, RBF{Gamma: 0.3}} {
		for _, intercept := range []bool{true, false} {
			t.Run(fmt.Sprintf("%T/intercept=%v", kernel, intercept), func(t *testing.T) {
				t.Parallel()
				test(t, kernel, intercept)
			})
		}
	}
}

func scoresOf(s *SVM) []float64 {
	scores := make([]float64, len(s.y))
	s.Scores(scores)
	return scores
}

func distance(a, b []float64) float64 {
	worst := 0.0
	for i := range a {
		worst = math.Max(worst, math.Abs(a[i]-b[i]))
	}
	return worst
}

// Whatever weights came before, the solution is that of a fresh solver.
func TestSVMWarmEqualsCold(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel Kernel, intercept bool) {
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 3))
			p := randomProblem(rng, 80, 5, math.Pow(10, float64(seed)-1), kernel, intercept)
			if seed == 3 {
				copy(p.x.Data[40*5:], p.x.Data[:40*5])
			}
			warm := p.svm(SVMOptions{})
			for round := range 60 {
				for i := range p.weights {
					switch kind := round % 6; {
					case kind < 3: // a little
						p.weights[i] = math.Max(0, p.weights[i]*(1+0.1*rng.NormFloat64()))
					case kind == 3: // some go, some come back
						if rng.Float64() < 0.2 {
							p.weights[i] = math.Max(0, 1.5*rng.Float64()-0.5)
						}
					case kind == 4: // all anew
						p.weights[i] = math.Max(0, 2*rng.Float64()-1)
					default:
						p.weights[i] = math.Pow(10, -6*rng.Float64())
					}
				}
				got := solve(t, warm, p.weights)
				p.check(t, warm, got)
				if want := solve(t, p.svm(SVMOptions{}), p.weights); math.Abs(got.Objective-want.Objective) > 1e-10*want.Objective {
					t.Fatalf("seed %d round %d: warm objective %.15g, cold %.15g", seed, round, got.Objective, want.Objective)
				}
				if t.Failed() {
					t.Fatalf("seed %d round %d", seed, round)
				}
			}
		}
	})
}

// Alternate convex search must come to rest: at its fixed point another round
// changes nothing beyond rounding, and costs no exchange.
func TestSVMFixedPoint(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel Kernel, intercept bool) {
		p := randomProblem(rand.New(rand.NewPCG(5, 6)), 120, 6, 1, kernel, intercept)
		s := p.svm(SVMOptions{})
		solve(t, s, p.weights)
		before := scoresOf(s)
		for _, age := range []float64{1, 1.1, 1.2} {
			moved, exchanges := math.Inf(1), -1
			for round := 0; round < 5000 && moved > 1e-12; round++ {
				for i, u := range before {
					p.weights[i] = math.Max(0, 1-p.c*math.Max(0, 1-p.y[i]*u)/age)
				}
				exchanges = solve(t, s, p.weights).Iterations
				after := scoresOf(s)
				moved = distance(before, after)
				before = after
			}
			if moved > 1e-12 || exchanges != 0 {
				t.Errorf("age %g: the last of 5000 rounds moved the scores by %g with %d exchanges", age, moved, exchanges)
			}
		}
	})
}

func TestSVMRestart(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel Kernel, intercept bool) {
		p := randomProblem(rand.New(rand.NewPCG(8, 9)), 100, 5, 2, kernel, intercept)
		for i := range p.weights {
			p.weights[i] = float64(i%7) / 6
		}
		first := p.svm(SVMOptions{})
		solve(t, first, p.weights)
		for name, start := range map[string]func(s *SVM){
			"SetTheta": func(s *SVM) { s.SetTheta(first.Theta()) },
			"SetDuals": func(s *SVM) { s.SetDuals(first.Duals()) },
		} {
			second := p.svm(SVMOptions{})
			start(second)
			if name == "SetTheta" {
				if moved := distance(scoresOf(first), scoresOf(second)); moved > 1e-12 {
					t.Errorf("%s: scores differ by %g before Solve", name, moved)
				}
				if !slices.Equal(first.Theta(), second.Theta()) {
					t.Errorf("%s: Theta returns another θ", name)
				}
			}
			certificate := solve(t, second, p.weights)
			if certificate.Iterations != 0 {
				t.Errorf("%s of the solution: Solve needed %d exchanges", name, certificate.Iterations)
			}
			if moved := distance(scoresOf(first), scoresOf(second)); moved > 1e-9 {
				t.Errorf("%s: scores differ by %g after Solve", name, moved)
			}
			// A start that is far off, feasible or not, must do no harm.
			nonsense := slices.Clone(second.Theta())
			for i := range nonsense {
				nonsense[i] = 10 * math.Sin(float64(i))
			}
			second.SetTheta(nonsense)
			p.check(t, second, solve(t, second, p.weights))
		}
	})
}

// A solution set from outside for one age starts the next.
func TestSVMSetThetaForOtherWeights(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel Kernel, intercept bool) {
		p := randomProblem(rand.New(rand.NewPCG(1, 9)), 100, 5, 2, kernel, intercept)
		s := p.svm(SVMOptions{})
		solve(t, s, p.weights)
		theta := slices.Clone(s.Theta())
		for i := range p.weights {
			p.weights[i] = 0.5 + 0.5*math.Abs(math.Cos(float64(i)))
		}
		s.SetTheta(theta)
		p.check(t, s, solve(t, s, p.weights))
	})
}

// crowd draws a problem of whole numbers, of which the first column decides the label but
// for some noise, so that hundreds of samples are at the margin, three of them independent;
// blur makes them not quite dependent.
func crowd(rng *rand.Rand, blur float64, intercept bool) svmProblem {
	const n = 600
	x := blas64.General{Rows: n, Cols: 2, Stride: 2, Data: make([]float64, 2*n)}
	p := svmProblem{x: x, y: make([]float64, n), weights: make([]float64, n), c: 0.01, kernel: Linear{}, intercept: intercept}
	for i := range n {
		p.y[i] = float64(2*rng.IntN(2) - 1)
		x.Data[2*i], x.Data[2*i+1] = p.y[i]+blur*rng.NormFloat64(), float64(rng.IntN(3)-1)
		if rng.IntN(20) == 0 {
			p.y[i] = -p.y[i]
		}
		p.weights[i] = 0.5 + 0.5*rng.Float64()
	}
	return p
}

// A start from θ alone counts all samples at the margin as free, and all but the
// independent ones must slide to their bounds.
func TestSVMCrowd(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		p := crowd(rand.New(rand.NewPCG(6, 14)), 0, intercept)
		s := p.svm(SVMOptions{})
		first := p.check(t, s, solve(t, s, p.weights))
		s.SetTheta(slices.Clone(s.Theta()))
		free := 0
		for i := range p.y {
			if s.Standing(i) == Free {
				free++
			}
		}
		if free < len(p.y)/10 {
			t.Fatalf("only %d samples are at the margin", free)
		}
		if again := p.check(t, s, solve(t, s, p.weights)); math.Abs(again-first) > 1e-12*first {
			t.Errorf("objective %.15g, %.15g before", again, first)
		}
	}
}

// Where the rows are not quite dependent slides move the scores a little, which must be
// those of the multipliers afterwards.
func TestSVMSlides(t *testing.T) {
	p := crowd(rand.New(rand.NewPCG(6, 14)), 1e-6, true)
	s := p.svm(SVMOptions{})
	q, alpha := s.dual, make([]float64, len(p.y))
	for i, v := range p.weights {
		s.upper[i], alpha[i] = p.c*v, 0.5*p.c*v
	}
	s.SetDuals(alpha)
	q.setBox(s.upper)
	q.Balance()
	if !q.Align() {
		t.Fatal("the free samples do not fit")
	}
	if free := len(q.Free()); free > 10 {
		t.Errorf("%d samples are free", free)
	}
	for i, v := range q.Beta {
		if alpha[i] = p.y[i] * v; alpha[i] < 0 || alpha[i] > s.upper[i] {
			t.Errorf("α_%d = %g is outside [0, %g]", i, alpha[i], s.upper[i])
		}
	}
	offset := q.F[0] // of the origin, which the solver takes off the rows
	scores := p.naiveScores(alpha)
	for i, f := range scores {
		if got, want := q.F[i]-offset, f-scores[0]; math.Abs(got-want) > 2e-10 {
			t.Fatalf("score %d is %.15g above the first, by the definition %.15g", i, got, want)
		}
	}
}

func TestSVMOneClass(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel Kernel, intercept bool) {
		p := randomProblem(rand.New(rand.NewPCG(2, 2)), 20, 3, 1, kernel, intercept)
		s := p.svm(SVMOptions{})
		solve(t, s, p.weights)
		for _, class := range []float64{1, -1} {
			for i, y := range p.y {
				p.weights[i] = math.Max(0, y*class)
			}
			certificate := solve(t, s, p.weights)
			p.check(t, s, certificate)
			if !intercept {
				continue
			}
			if certificate.Objective != 0 || certificate.Gap != 0 || certificate.KKT != 0 {
				t.Errorf("class %g alone: %+v, want zeros", class, certificate)
			}
			for _, u := range scoresOf(s) {
				if u != class {
					t.Fatalf("class %g alone: score %g", class, u)
				}
			}
		}
	})
}

func TestSVMNoWeights(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel Kernel, intercept bool) {
		p := randomProblem(rand.New(rand.NewPCG(2, 3)), 30, 3, 1, kernel, intercept)
		p.x.Data[0] += 5
		s := p.svm(SVMOptions{})
		certificate := solve(t, s, make([]float64, 30))
		if certificate.Objective != 0 || distance(s.Theta(), make([]float64, len(s.Theta()))) != 0 {
			t.Errorf("at the start: %+v, θ = %v", certificate, s.Theta())
		}
		solve(t, s, p.weights)
		want := s.Theta()[len(s.Theta())-1]
		certificate = solve(t, s, make([]float64, 30))
		if certificate.Objective != 0 || certificate.Gap != 0 || certificate.KKT != 0 {
			t.Errorf("certificate %+v, want zeros", certificate)
		}
		for _, u := range scoresOf(s) {
			if u != want {
				t.Fatalf("score %g without weights, want the former bias %g", u, want)
			}
		}
		p.check(t, s, solve(t, s, p.weights))
	})
}

func TestSVMKeepsSolutionOnFailure(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel Kernel, intercept bool) {
		p := randomProblem(rand.New(rand.NewPCG(4, 4)), 60, 4, 1, kernel, intercept)
		s := p.svm(SVMOptions{})
		solve(t, s, p.weights)
		theta, scores := slices.Clone(s.Theta()), scoresOf(s)
		same := func(what string) {
			t.Helper()
			if !slices.Equal(theta, s.Theta()) || distance(scores, scoresOf(s)) > 1e-13 {
				t.Errorf("%s: the solution changed", what)
			}
		}
		other := make([]float64, 60)
		for i := range other {
			other[i] = float64(i%3) / 2
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := s.Solve(ctx, other); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
		same("cancelled")
		for _, calls := range []int{2, 3, 5} {
			if _, err := s.Solve(endingAfter(calls), other); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v after %d looks at the context, want context.Canceled", err, calls)
			}
			same("cancelled after some work")
		}
		for _, bad := range []float64{math.NaN(), -1, math.Inf(1)} {
			other[7] = bad
			if _, err := s.Solve(context.Background(), other); err == nil {
				t.Errorf("weight %g was accepted", bad)
			}
			same("bad weight")
		}
		hurried := p.svm(SVMOptions{MaxUpdates: 3})
		var unmet *ToleranceError
		if _, err := hurried.Solve(context.Background(), p.weights); !errors.As(err, &unmet) {
			t.Errorf("error %v after 3 updates, want a ToleranceError", err)
		}
		if distance(hurried.Theta(), make([]float64, len(theta))) != 0 {
			t.Errorf("θ after failing = %v, want zeros", hurried.Theta())
		}
		p.check(t, s, solve(t, s, p.weights))
	})
}

// lateContext ends at a given call of Err.
type lateContext struct {
	context.Context
	end   context.CancelFunc
	calls int
}

func endingAfter(calls int) *lateContext {
	ctx, cancel := context.WithCancel(context.Background())
	return &lateContext{Context: ctx, end: cancel, calls: calls}
}

func (c *lateContext) Err() error {
	if c.calls--; c.calls < 0 {
		c.end()
	}
	return c.Context.Err()
}

// The cache and the factor's memory change the way, not the result.
func TestSVMOptionsAgree(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel Kernel, intercept bool) {
		p := randomProblem(rand.New(rand.NewPCG(10, 4)), 300, 8, 3, kernel, intercept)
		want := p.svm(SVMOptions{})
		objective := solve(t, want, p.weights).Objective
		for name, options := range map[string]SVMOptions{
			"20 rows": {CacheBytes: 20 * 300 * 8},
			"least":   {CacheBytes: 1},
		} {
			s := p.svm(options)
			certificate := solve(t, s, p.weights)
			p.check(t, s, certificate)
			if math.Abs(certificate.Objective-objective) > 1e-9*objective {
				t.Errorf("%s: objective %.15g, want %.15g", name, certificate.Objective, objective)
			}
			solve(t, s, p.weights)
		}
	})
}

func TestSVMScaledFeatures(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel Kernel, intercept bool) {
		for _, scale := range []float64{1e-8, 1e8} {
			p := randomProblem(rand.New(rand.NewPCG(3, 5)), 70, 4, 1, kernel, intercept)
			want := solve(t, p.svm(SVMOptions{}), p.weights)
			for i := range p.x.Data {
				p.x.Data[i] *= scale
			}
			// w scales by 1/scale; with C so scaled the objective does by its square.
			factor := 1.0
			if rbf, ok := kernel.(RBF); ok {
				p.kernel = RBF{Gamma: rbf.Gamma / (scale * scale)}
			} else {
				factor = 1 / (scale * scale)
				p.c *= factor
			}
			s := p.svm(SVMOptions{})
			got := solve(t, s, p.weights)
			if math.Abs(got.Objective/factor-want.Objective) > 1e-10*want.Objective {
				t.Errorf("scale %g: objective %.15g, want %.15g", scale, got.Objective/factor, want.Objective)
			}
		}
	})
}

// Wherever the context ends, also amid a sum of kernel rows, which it cuts short,
// the solution before stays.
func TestSVMCancelledAnywhere(t *testing.T) {
	t.Parallel()
	p := randomProblem(rand.New(rand.NewPCG(4, 5)), 60, 4, 1, RBF{Gamma: 0.3}, true)
	s := p.svm(SVMOptions{CacheBytes: 1})
	solve(t, s, p.weights)
	scores := scoresOf(s)
	for i := range p.weights {
		p.weights[i] = float64(i%3) / 2
	}
	cancelled := 0
	for calls := 1; ; calls++ {
		_, err := s.Solve(endingAfter(calls), p.weights)
		if err == nil {
			break
		}
		if cancelled++; !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v after %d looks at the context, want context.Canceled", err, calls)
		}
		if moved := distance(scores, scoresOf(s)); moved > 1e-13 {
			t.Fatalf("after %d looks at the context the scores moved by %g", calls, moved)
		}
	}
	if cancelled < 3 {
		t.Errorf("cancelled at %d points only", cancelled)
	}
	p.check(t, s, solve(t, s, p.weights))
}

func TestNewSVMPanics(t *testing.T) {
	t.Parallel()
	x := normalRows(rand.New(rand.NewPCG(1, 1)), 3, 2, 1, 0)
	y := []float64{1, -1, 1}
	for name, build := range map[string]func(){
		"too few labels": func() { NewSVM(x, y[:2], 1, Linear{}, true, SVMOptions{}) },
		"label 0":        func() { NewSVM(x, []float64{1, 0, -1}, 1, Linear{}, true, SVMOptions{}) },
		"cost 0":         func() { NewSVM(x, y, 0, Linear{}, true, SVMOptions{}) },
		"infinite cost":  func() { NewSVM(x, y, math.Inf(1), Linear{}, true, SVMOptions{}) },
		"gamma 0":        func() { NewSVM(x, y, 1, RBF{}, true, SVMOptions{}) },
		"gamma NaN":      func() { NewSVM(x, y, 1, RBF{Gamma: math.NaN()}, true, SVMOptions{}) },
		"short θ":        func() { NewSVM(x, y, 1, Linear{}, true, SVMOptions{}).SetTheta([]float64{1}) },
		"short α":        func() { NewSVM(x, y, 1, Linear{}, true, SVMOptions{}).SetDuals([]float64{1}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			build()
		})
	}
}

func TestSVMSolveDoesNotAllocate(t *testing.T) {
	for _, kernel := range []Kernel{Linear{}, RBF{Gamma: 0.3}} {
		for _, intercept := range []bool{true, false} {
			p := randomProblem(rand.New(rand.NewPCG(6, 4)), 120, 5, 1, kernel, intercept)
			s := p.svm(SVMOptions{})
			for i := range p.y {
				s.dual.gram.row(i)
			}
			other := make([]float64, len(p.weights))
			for i := range other {
				other[i] = math.Abs(math.Sin(float64(i)))
			}
			ctx := context.Background()
			scores := make([]float64, len(p.y))
			round := func() {
				clear(s.alpha)
				s.SetDuals(s.alpha) // from scratch
				for _, weights := range [][]float64{p.weights, other, p.weights} {
					if _, err := s.Solve(ctx, weights); err != nil {
						t.Fatal(err)
					}
				}
				s.Scores(scores)
			}
			if allocations := testing.AllocsPerRun(5, round); allocations != 0 {
				t.Errorf("%T intercept=%v: %g allocations", kernel, intercept, allocations)
			}
		}
	}
}
