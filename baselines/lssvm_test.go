package baselines_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
)

// TestLSSVM compares the plain fits of all sizes with the system that defines
// them.
func TestLSSVM(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	for _, k := range kernels {
		for _, size := range [][2]int{{30, 3}, {12, 12}, {8, 20}, {1, 2}, {2, 1}} {
			for _, c := range []float64{1e-3, 1, 1e3} {
				for _, labels := range []bool{false, true} {
					name := fmt.Sprintf("%s %v C = %v labels %v", k.name, size, c, labels)
					s := plane(random, size[0], size[1], labels, 0.2)
					for i := range s.x.Data {
						s.x.Data[i] += 3
					}
					p := baselines.LSSVM(s.x, s.y, nil, c, k.kernel)
					fit := plain(t, p)
					residual, objective := reference(t, s, k.kernel, c, ones(size[0]))
					near(t, name, s, predictions(t, p, fit.Theta, s.x), residual, 1e-8)
					if math.Abs(fit.Objective-objective) > 1e-8*(1+objective) || fit.KKT > 1e-11 {
						t.Errorf("%s: objective %v with violation %v, want %v", name, fit.Objective, fit.KKT, objective)
					}
				}
			}
		}
	}
}

// TestLSSVMRefuses wants bad problems to be named.
func TestLSSVMRefuses(t *testing.T) {
	t.Parallel()
	s := plane(rand.New(rand.NewPCG(2, 2)), 10, 2, true, 0)
	good := func() *gaga.Problem { return baselines.LSSVM(s.x, s.y, nil, 1, nil) }
	for name, spoil := range map[string]func(*gaga.Problem){
		"loss":      func(p *gaga.Problem) { p.Loss = gaga.Hinge{C: 1} },
		"L1":        func(p *gaga.Problem) { p.Penalty.L1 = 1 },
		"L2":        func(p *gaga.Problem) { p.Penalty.L2 = 0 },
		"intercept": func(p *gaga.Problem) { p.Intercept = false },
		"target":    func(p *gaga.Problem) { p.Y = append([]float64{math.NaN()}, s.y[1:]...) },
		"rows":      func(p *gaga.Problem) { p.Y = s.y[1:] },
	} {
		p := good()
		spoil(p)
		if _, err := baselines.RLSSVM(t.Context(), p, baselines.TrimOptions{}); err == nil {
			t.Errorf("rlssvm took a problem with a wrong %s", name)
		}
		if _, err := baselines.ReLSSVM(t.Context(), p, 1); err == nil {
			t.Errorf("relssvm took a problem with a wrong %s", name)
		}
	}
	for _, o := range []baselines.TrimOptions{{Coverage: 0.4}, {Coverage: 1.1}, {Coverage: math.NaN()}, {Starts: -1}} {
		if _, err := baselines.RLSSVM(t.Context(), good(), o); err == nil {
			t.Errorf("rlssvm took %+v", o)
		}
	}
	for _, theta := range []float64{-1, math.NaN()} {
		if _, err := baselines.ReLSSVM(t.Context(), good(), theta); err == nil {
			t.Errorf("relssvm took a truncation of %v", theta)
		}
	}
}
