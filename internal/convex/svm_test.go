package convex

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// svmProblem is a problem with its weights.
type svmProblem struct {
	x         blas64.General
	y         []float64
	weights   []float64
	c         float64
	kernel    Kernel
	intercept bool
}

func (p svmProblem) svm(options SVMOptions) *SVM {
	return NewSVM(p.x, p.y, p.c, p.kernel, p.intercept, options)
}

func (p svmProblem) row(i int) []float64 {
	return p.x.Data[i*p.x.Stride : i*p.x.Stride+p.x.Cols]
}

func solve(tb testing.TB, s *SVM, weights []float64) Certificate {
	tb.Helper()
	certificate, err := s.Solve(context.Background(), weights)
	if err != nil {
		tb.Fatal(err)
	}
	return certificate
}

// check computes everything from the definitions, with the multipliers and the
// bias that the solver returns: bounds, 1ᵀβ = 0, margins, objectives.
func (p svmProblem) check(tb testing.TB, s *SVM, certificate Certificate) (primal float64) {
	tb.Helper()
	n := len(p.y)
	theta := s.Theta()
	b := theta[len(theta)-1]
	alpha := s.Duals()
	scores := make([]float64, n)
	s.Scores(scores)
	scale := math.Max(1, math.Abs(b))
	norm, dual, total, mass, noise := 0.0, 0.0, 0.0, 0.0, 0.0
	f := p.naiveScores(alpha)
	for i := range n {
		scale = math.Max(scale, math.Max(math.Abs(f[i]), alpha[i]*naiveKernel(p.kernel, p.row(i), p.row(i))))
		norm += alpha[i] * p.y[i] * f[i]
	}
	for i := range n {
		noise += 1e-14 * scale * p.c * p.weights[i]
		dual += alpha[i]
		total += alpha[i] * p.y[i]
		mass += alpha[i]
		if alpha[i] < 0 || alpha[i] > p.c*p.weights[i] {
			tb.Errorf("α_%d = %g is outside [0, %g]", i, alpha[i], p.c*p.weights[i])
		}
		if math.Abs(scores[i]-f[i]-b) > 1e-9*scale {
			tb.Errorf("score %d is %g, by the definition %g", i, scores[i], f[i]+b)
		}
	}
	dual -= norm / 2
	primal = norm / 2
	for i := range n {
		slack := 1 - p.y[i]*(f[i]+b)
		primal += p.c * p.weights[i] * math.Max(0, slack)
		if p.weights[i] == 0 {
			continue
		}
		const tolerance = 1e-9
		if slack > tolerance*scale && alpha[i] < p.c*p.weights[i] {
			tb.Errorf("sample %d: 1 - y f = %g but α = %g is below its bound %g", i, slack, alpha[i], p.c*p.weights[i])
		}
		if slack < -tolerance*scale && alpha[i] > 0 {
			tb.Errorf("sample %d: 1 - y f = %g but α = %g", i, slack, alpha[i])
		}
	}
	if p.intercept && math.Abs(total) > 1e-10*mass {
		tb.Errorf("Σ α_i y_i = %g where Σ α_i = %g", total, mass)
	}
	if !p.intercept && b != 0 {
		tb.Errorf("bias %g without an intercept", b)
	}
	if math.Abs(primal-dual) > 1e-9*primal+noise {
		tb.Errorf("primal objective %.15g, dual %.15g", primal, dual)
	}
	if math.Abs(certificate.Objective-primal) > 1e-9*primal+noise {
		tb.Errorf("certified objective %.15g, by the definition %.15g", certificate.Objective, primal)
	}
	if !slices.Equal(theta[:n], alpha) {
		tb.Error("θ does not hold the multipliers")
	}
	return primal
}

// naiveScores is Σ_j α_j y_j k(x_j, x_i); the linear kernel's through w, in which
// a common offset of the rows cancels.
func (p svmProblem) naiveScores(alpha []float64) []float64 {
	f := make([]float64, len(p.y))
	if p.kernel == (Linear{}) {
		w := make([]float64, p.x.Cols)
		for j, a := range alpha {
			for k, v := range p.row(j) {
				w[k] += a * p.y[j] * v
			}
		}
		for i := range f {
			f[i] = naiveKernel(p.kernel, w, p.row(i))
		}
		return f
	}
	for i := range f {
		for j, a := range alpha {
			if a != 0 {
				f[i] += a * p.y[j] * naiveKernel(p.kernel, p.row(i), p.row(j))
			}
		}
	}
	return f
}

// randomProblem draws two overlapping classes.
func randomProblem(rng *rand.Rand, n, d int, c float64, kernel Kernel, intercept bool) svmProblem {
	p := svmProblem{x: normalRows(rng, n, d, 1, 0), y: make([]float64, n), weights: make([]float64, n), c: c, kernel: kernel, intercept: intercept}
	for i := range n {
		p.y[i] = float64(2*(i%2) - 1)
		p.weights[i] = 1
		if d > 0 && rng.Float64() > 0.2 {
			p.x.Data[i*p.x.Stride] += p.y[i]
		}
	}
	return p
}

// twist names what makes a problem hard.
var twists = []struct {
	name  string
	apply func(rng *rand.Rand, p *svmProblem)
}{
	{"plain", func(*rand.Rand, *svmProblem) {}},
	{"zero weights", func(rng *rand.Rand, p *svmProblem) {
		for i := range p.weights {
			if rng.Float64() < 0.6 {
				p.weights[i] = 0
			}
		}
	}},
	{"tiny and unequal weights", func(rng *rand.Rand, p *svmProblem) {
		for i := range p.weights {
			p.weights[i] = math.Pow(10, -8*rng.Float64())
		}
	}},
	{"all tiny weights", func(rng *rand.Rand, p *svmProblem) {
		for i := range p.weights {
			p.weights[i] = 1e-9 * rng.Float64()
		}
	}},
	{"multiplicities", func(rng *rand.Rand, p *svmProblem) {
		for i := range p.weights {
			p.weights[i] = float64(rng.IntN(5))
		}
	}},
	{"duplicated rows", func(rng *rand.Rand, p *svmProblem) {
		for i := range p.y {
			if from := rng.IntN(len(p.y)); rng.Float64() < 0.7 {
				copy(p.row(i), p.row(from))
				if rng.Float64() < 0.8 {
					p.y[i] = p.y[from]
				}
			}
		}
	}},
	{"nearly equal rows", func(rng *rand.Rand, p *svmProblem) {
		for i := range p.y {
			if from := rng.IntN(len(p.y)); rng.Float64() < 0.7 {
				copy(p.row(i), p.row(from))
				p.row(i)[0] += math.Pow(10, -12*rng.Float64()) * rng.NormFloat64()
			}
		}
	}},
	{"constant and duplicated columns", func(_ *rand.Rand, p *svmProblem) {
		for i := range p.y {
			row := p.row(i)
			row[len(row)-1] = 3
			if len(row) > 3 {
				row[2] = row[1]
			}
		}
	}},
	{"integers", func(_ *rand.Rand, p *svmProblem) {
		for i, v := range p.x.Data {
			p.x.Data[i] = math.Round(v)
		}
	}},
	{"all rows equal", func(_ *rand.Rand, p *svmProblem) {
		for i := range p.y {
			copy(p.row(i), p.row(0))
		}
	}},
	{"zeros", func(_ *rand.Rand, p *svmProblem) { clear(p.x.Data) }},
	{"separable", func(_ *rand.Rand, p *svmProblem) {
		for i, y := range p.y {
			p.row(i)[0] += 8 * y
		}
	}},
	{"far from the origin", func(_ *rand.Rand, p *svmProblem) {
		if p.kernel == (Linear{}) {
			return // multipliers cancel
		}
		for i := range p.x.Data {
			p.x.Data[i] += 1000
		}
	}},
	{"unbalanced", func(_ *rand.Rand, p *svmProblem) {
		for i := range p.y {
			p.y[i] = 1
		}
		p.y[0], p.y[1] = -1, -1
	}},
}

func TestSVMCertificateByDefinition(t *testing.T) {
	t.Parallel()
	for _, twist := range twists {
		for _, kernel := range []Kernel{Linear{}, RBF{Gamma: 0.3}} {
			for _, intercept := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%T/intercept=%v", twist.name, kernel, intercept), func(t *testing.T) {
					t.Parallel()
					for _, shape := range [][2]int{{2, 2}, {5, 2}, {12, 3}, {40, 4}, {30, 60}, {90, 6}} {
						for _, c := range []float64{1e-4, 0.03, 1, 30, 1e4} {
							rng := rand.New(rand.NewPCG(uint64(shape[0]), uint64(shape[1])))
							p := randomProblem(rng, shape[0], shape[1], c, kernel, intercept)
							twist.apply(rng, &p)
							s := p.svm(SVMOptions{})
							certificate, err := s.Solve(context.Background(), p.weights)
							if err != nil {
								t.Errorf("n=%d d=%d C=%g: %v", shape[0], shape[1], c, err)
								continue
							}
							p.check(t, s, certificate)
							if t.Failed() {
								t.Fatalf("n=%d d=%d C=%g", shape[0], shape[1], c)
							}
						}
					}
				})
			}
		}
	}
}
