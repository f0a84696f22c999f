package baselines_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
)

// truncatedObjective is ½‖w‖² + (C/2) Σ a min(e², θ²) of the fit with the
// weights a, and its residuals.
func truncatedObjective(t *testing.T, s *sample, kernel gaga.Kernel, c, theta float64, a []float64) (objective float64, residual []float64) {
	t.Helper()
	residual, objective = reference(t, s, kernel, c, a)
	for i, e := range residual {
		objective += c / 2 * (math.Min(e*e, theta*theta) - a[i]*e*e)
	}
	return objective, residual
}

// TestReLSSVMBruteForce wants the stationary point to be the fit of its own
// samples, and with gross outliers the best of the fits to all sets of samples.
func TestReLSSVMBruteForce(t *testing.T) {
	t.Parallel()
	const n, c = 10, 2
	for _, k := range kernels {
		for _, labels := range []bool{false, true} {
			theta := 1.5
			global := 0
			const seeds = 10
			for seed := range uint64(seeds) {
				name := fmt.Sprintf("%s labels %v seed %d", k.name, labels, seed)
				s := plane(rand.New(rand.NewPCG(seed, 9)), n, 2, labels, 0.2)
				p := baselines.LSSVM(s.x, s.y, nil, c, k.kernel)
				fit, err := baselines.ReLSSVM(t.Context(), p, theta)
				if err != nil {
					t.Fatal(err)
				}
				own, residual := truncatedObjective(t, s, k.kernel, c, theta, fit.Weights)
				near(t, name, s, predictions(t, p, fit.Theta, s.x), residual, 1e-9)
				for i, e := range residual {
					if truncated := math.Abs(e) > theta; truncated != (fit.Weights[i] == 0) {
						t.Errorf("%s: row %d has residual %v and weight %v", name, i, e, fit.Weights[i])
					}
				}
				best := math.Inf(1)
				for set := 1; set < 1<<n; set++ {
					a := make([]float64, n)
					for i := range a {
						a[i] = float64(set >> i & 1)
					}
					objective, _ := truncatedObjective(t, s, k.kernel, c, theta, a)
					best = math.Min(best, objective)
				}
				if math.Abs(fit.Objective-own) > 1e-9*own || fit.Objective < best*(1-1e-9) {
					t.Errorf("%s: objective %v, its own fit's is %v, the best %v", name, fit.Objective, own, best)
				}
				if fit.Objective < best*(1+1e-6) {
					global++
				}
			}
			if global < seeds/2 {
				t.Errorf("%s labels %v: the global minimum in %d of %d problems only", k.name, labels, global, seeds)
			}
		}
	}
}

// TestReLSSVMDescends follows the objective of every problem solved.
func TestReLSSVMDescends(t *testing.T) {
	t.Parallel()
	steps, solved := 0, 0
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 10))
		for _, s := range []*sample{wave(random, 60, seed%2 == 0, 0.3), plane(random, 60, 4, seed%2 == 0, 0.3)} {
			for _, k := range kernels {
				for _, theta := range []float64{1e-3, 0.3, 1} {
					p := baselines.LSSVM(s.x, s.y, nil, 5, k.kernel)
					fit, err := baselines.ReLSSVM(t.Context(), p, theta)
					if errors.Is(err, gaga.ErrDiscarded) {
						continue // no target is as near to the fits
					}
					if err != nil {
						t.Fatal(err)
					}
					if fit.KKT > 1e-10 || fit.Objective != fit.Descent[len(fit.Descent)-1] {
						t.Errorf("%s θ = %v: violation %v, objective %v at the end of %v", k.name, theta, fit.KKT, fit.Objective, fit.Descent)
					}
					for i := 1; i < len(fit.Descent); i++ {
						if fit.Descent[i] > fit.Descent[i-1]*(1+1e-12) {
							t.Errorf("%s θ = %v: the objective rises from %v to %v", k.name, theta, fit.Descent[i-1], fit.Descent[i])
						}
					}
					solved++
					steps = max(steps, len(fit.Descent))
				}
			}
		}
	}
	if steps < 10 || solved < 50 {
		t.Errorf("no run of %d took more than %d problems", solved, steps)
	}
}

// TestReLSSVMMultiplicity wants merged rows to count as often as they stand for.
func TestReLSSVMMultiplicity(t *testing.T) {
	t.Parallel()
	for _, k := range kernels {
		random := rand.New(rand.NewPCG(11, 11))
		s := plane(random, 25, 3, false, 0.3)
		for range s.y {
			s.multiplicity = append(s.multiplicity, float64(1+random.IntN(3)))
		}
		e := s.expanded()
		merged, apart := baselines.LSSVM(s.x, s.y, s.multiplicity, 1, k.kernel), baselines.LSSVM(e.x, e.y, nil, 1, k.kernel)
		asExpanded(t, k.name, s, merged, apart, 1e-9, func(p *gaga.Problem) (*baselines.Fit, error) { return baselines.ReLSSVM(t.Context(), p, 1) })
	}
}
