package convex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// linear returns the solver of a problem, which has no kernel.
func (p svmProblem) linear(tb testing.TB) *LinearSVM {
	tb.Helper()
	s, err := NewLinearSVM(p.x, p.y, p.c, p.intercept)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// solveMachine solves and wants a gap within the tolerance.
func solveMachine(tb testing.TB, s *LinearSVM, weights []float64) Certificate {
	tb.Helper()
	certificate, err := s.Solve(context.Background(), weights)
	if err != nil {
		tb.Fatal(err)
	}
	if !(certificate.Gap >= 0 && certificate.Gap <= Tolerance) {
		tb.Errorf("certificate %+v", certificate)
	}
	return certificate
}

// checkLinear computes both objectives of a solution, its scores and where its multipliers
// stand by their definitions, the rows centred where a free bias takes up their shift.
func (p svmProblem) checkLinear(tb testing.TB, s *LinearSVM, certificate Certificate) {
	tb.Helper()
	n, d := len(p.y), p.x.Cols
	theta, alpha, scores := s.Theta(), s.Duals(), make([]float64, n)
	s.Scores(scores)
	mean, dual, total, mass := make([]float64, d), 0.0, 0.0, 0.0
	for i := range n {
		for j, v := range p.row(i) {
			if p.intercept {
				mean[j] += v / float64(n)
			}
		}
	}
	w, primal, noise := make([]float64, d), 0.0, 1e-300
	for i := range n {
		u := theta[d]
		for j, v := range p.row(i) {
			u += theta[j] * v
			w[j] += alpha[i] * p.y[i] * (v - mean[j])
		}
		upper := p.c * p.weights[i]
		primal += upper * math.Max(0, 1-p.y[i]*u)
		noise += 1e-14 * math.Max(1, math.Abs(theta[d])) * upper
		dual += alpha[i]
		total += alpha[i] * p.y[i]
		mass += alpha[i]
		if alpha[i] < 0 || alpha[i] > upper*(1+1e-14) {
			tb.Errorf("α_%d = %g is outside [0, %g]", i, alpha[i], upper)
		}
		if math.Abs(scores[i]-u) > 1e-9*math.Max(1, math.Abs(theta[d])) {
			tb.Errorf("score %d is %g, x·w + b = %g", i, scores[i], u)
		}
		margin, standing := p.y[i]*scores[i], s.Standing(i)
		near := 1e-7 * math.Max(1, math.Abs(scores[i]))
		if standing == AtZero && margin < 1-near || standing == AtUpper && margin > 1+near || standing == Free && math.Abs(margin-1) > near {
			tb.Errorf("α_%d = %g of [0, %g] with margin %g counts as %v", i, alpha[i], upper, margin, standing)
		}
	}
	for j, v := range theta[:d] {
		primal += v * v / 2
		dual -= w[j] * w[j] / 2
	}
	if p.intercept && math.Abs(total) > 1e-10*mass || !p.intercept && theta[d] != 0 {
		tb.Errorf("bias %g, Σ α_i y_i = %g where Σ α_i = %g", theta[d], total, mass)
	}
	if math.Abs(primal-dual) > 1e-9*primal+noise || math.Abs(certificate.Objective-primal) > 1e-9*primal+noise {
		tb.Errorf("primal objective %.15g, dual %.15g, certified %.15g", primal, dual, certificate.Objective)
	}
}

func TestLinearSVMByDefinition(t *testing.T) {
	t.Parallel()
	for _, twist := range twists {
		for _, intercept := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/intercept=%v", twist.name, intercept), func(t *testing.T) {
				t.Parallel()
				for _, shape := range [][2]int{{2, 2}, {5, 2}, {12, 3}, {40, 4}, {30, 60}, {90, 6}} {
					for _, c := range []float64{1e-4, 0.03, 1, 30, 1e4} {
						rng := rand.New(rand.NewPCG(uint64(shape[0]), uint64(shape[1])))
						p := randomProblem(rng, shape[0], shape[1], c, Linear{}, intercept)
						twist.apply(rng, &p)
						s := p.linear(t)
						certificate, err := s.Solve(t.Context(), p.weights)
						if err != nil {
							t.Errorf("n=%d d=%d C=%g: %v", shape[0], shape[1], c, err)
							continue
						}
						if p.checkLinear(t, s, certificate); t.Failed() {
							t.Fatalf("n=%d d=%d C=%g", shape[0], shape[1], c)
						}
					}
				}
			})
		}
	}
}

func TestLinearSVMBruteForce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 7))
		n, d := 2+rng.IntN(5), 1+rng.IntN(3)
		p := randomProblem(rng, n, d, math.Pow(10, 3*rng.Float64()-1.5), Linear{}, seed%2 == 0)
		for i := range p.weights {
			p.weights[i] = rng.Float64()
			if rng.Float64() < 0.15 {
				p.weights[i] = 0
			}
		}
		if rng.Float64() < 0.3 {
			copy(p.row(1), p.row(0))
		}
		s := p.linear(t)
		certificate := solveMachine(t, s, p.weights)
		p.checkLinear(t, s, certificate)
		if want := p.bruteForce(); math.Abs(certificate.Objective-want) > 1e-8*math.Abs(want)+1e-12 {
			t.Fatalf("seed %d, n = %d, d = %d: objective %.15g, by enumeration %.15g", seed, n, d, certificate.Objective, want)
		}
	}
}

// Whatever weights and starts came before, the solution is that of a fresh solver.
func TestLinearSVMWarmEqualsCold(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := randomProblem(rng, 80, 5, math.Pow(10, float64(seed/2)-1), Linear{}, seed%2 == 0)
		warm := p.linear(t)
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
			if round%7 == 3 {
				theta := slices.Clone(warm.Theta())
				for j := range theta {
					theta[j] += rng.NormFloat64()
				}
				warm.SetTheta(theta)
			}
			got := solveMachine(t, warm, p.weights)
			p.checkLinear(t, warm, got)
			if want := solveMachine(t, p.linear(t), p.weights); math.Abs(got.Objective-want.Objective) > 1e-10*want.Objective {
				t.Fatalf("seed %d round %d: warm objective %.15g, cold %.15g", seed, round, got.Objective, want.Objective)
			}
			if t.Failed() {
				t.Fatalf("seed %d round %d", seed, round)
			}
		}
	}
}

// Alternate convex search must come to rest: at its fixed point another round changes
// nothing beyond rounding.
func TestLinearSVMFixedPoint(t *testing.T) {
	t.Parallel()
	for _, intercept := range []bool{true, false} {
		p := randomProblem(rand.New(rand.NewPCG(5, 6)), 120, 6, 1, Linear{}, intercept)
		s := p.linear(t)
		solveMachine(t, s, p.weights)
		scores := func() []float64 {
			u := make([]float64, len(p.y))
			s.Scores(u)
			return u
		}
		before := scores()
		for _, age := range []float64{1, 1.1, 1.2} {
			moved := math.Inf(1)
			for round := 0; round < 5000 && moved > 1e-12; round++ {
				for i, u := range before {
					p.weights[i] = math.Max(0, 1-p.c*math.Max(0, 1-p.y[i]*u)/age)
				}
				solveMachine(t, s, p.weights)
				after := scores()
				moved, before = distance(before, after), after
			}
			if moved > 1e-12 {
				t.Errorf("age %g: the last of 5000 rounds moved the scores by %g", age, moved)
			}
		}
	}
}

func TestLinearSVMOneClassOrNone(t *testing.T) {
	t.Parallel()
	for _, intercept := range []bool{true, false} {
		p := randomProblem(rand.New(rand.NewPCG(2, 2)), 20, 3, 1, Linear{}, intercept)
		s := p.linear(t)
		if c := solveMachine(t, s, make([]float64, 20)); c != (Certificate{}) || distance(s.Theta(), make([]float64, 4)) != 0 {
			t.Errorf("at the start: %+v, θ = %v", c, s.Theta())
		}
		solveMachine(t, s, p.weights)
		bias := s.Theta()[3]
		all, scores := slices.Clone(p.weights), make([]float64, 20)
		for _, class := range []float64{1, -1, 0} {
			for i, y := range p.y {
				p.weights[i] = math.Max(0, y*class)
			}
			certificate := solveMachine(t, s, p.weights)
			p.checkLinear(t, s, certificate)
			if want := class; class == 0 || intercept {
				if class == 0 {
					want = -1
					if !intercept {
						want = bias
					}
				}
				s.Scores(scores)
				for _, u := range scores {
					if u != want {
						t.Fatalf("class %g alone: score %g, want %g", class, u, want)
					}
				}
			}
		}
		p.weights = all
		p.checkLinear(t, s, solveMachine(t, s, p.weights))
	}
}

func TestLinearSVMKeepsSolutionOnFailure(t *testing.T) {
	t.Parallel()
	p := randomProblem(rand.New(rand.NewPCG(4, 4)), 60, 4, 1, Linear{}, true)
	s := p.linear(t)
	solveMachine(t, s, p.weights)
	theta, alpha := slices.Clone(s.Theta()), slices.Clone(s.Duals())
	other := make([]float64, 60)
	for i := range other {
		other[i] = float64(i%3) / 2
	}
	for calls := range 4 {
		if _, err := s.Solve(endingAfter(calls), other); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v after %d looks at the context, want context.Canceled", err, calls)
		}
		if !slices.Equal(theta, s.Theta()) || !slices.Equal(alpha, s.Duals()) {
			t.Errorf("cancelled after %d looks: the solution changed", calls)
		}
	}
	for _, bad := range []float64{math.NaN(), -1, math.Inf(1)} {
		other[7] = bad
		if _, err := s.Solve(t.Context(), other); err == nil || !slices.Equal(theta, s.Theta()) {
			t.Errorf("weight %g: error %v, θ = %v", bad, err, s.Theta())
		}
	}
	p.checkLinear(t, s, solveMachine(t, s, p.weights))
}
