package gaga_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// Paths on the paper's regression sets: every nth row in the normal test, all
// of them with AGEPATH_LONG=1.
func TestRegressionSets(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("computes 42 paths")
	}
	cases := []struct {
		name   string
		stride int
	}{
		{"diabetes", 1}, {"music", 4}, {"ailerons", 40}, {"cadata", 40}, {"delta_elevators", 15}, {"elevators", 40}, {"house_8L", 40},
	}
	for _, c := range cases {
		for _, noise := range []float64{0, 0.3} {
			for _, r := range []gaga.Regularizer{gaga.Linear{}, gaga.Mixture{Gamma: 0.5}, gaga.Hard{}} {
				t.Run(fmt.Sprintf("%s, noise %v, %s", c.name, noise, r.Name()), func(t *testing.T) {
					stride := c.stride
					if needs.Long() {
						stride = 1
					}
					part := training(t, c.name, dataset.Regression, noise, stride)
					p := lasso(part, 0.006, r)
					path := track(t, p, gaga.Options{Age: gaga.Range{Min: 0.1, Max: 20}})
					checkKnots(t, path)
					knots := path.Knots()
					for i := 0; i < len(knots); i += 1 + len(knots)/25 {
						// At a jump the weight of the hard regularizer is either.
						if k := knots[i]; k.Kind != gaga.Jump {
							if res := residual(p, k.Theta, k.Age); !(res <= 1e-9) {
								t.Errorf("age %v, %v: KKT residual %v, the knot says %v", k.Age, k.Kind, res, k.KKT)
							}
						}
					}
					turning, jumps := count(path)
					alternations := 0
					for _, r := range path.Restarts() {
						alternations += r.Iterations
					}
					t.Logf("%d x %d: %d turning points, %d jumps, %d landings with %d alternations", part.N, part.D, turning, jumps, len(path.Restarts()), alternations)
				})
			}
		}
	}
}

// checkKnots checks what every path promises of its knots.
func checkKnots(t *testing.T, path *gaga.Path) {
	t.Helper()
	last := 0.0
	for i, k := range path.Knots() {
		if !(k.KKT <= 1e-9) {
			t.Errorf("knot %d, %v at age %v: KKT residual %v", i, k.Kind, k.Age, k.KKT)
		}
		if !(k.Age >= last) {
			t.Errorf("knot %d: age %v after %v", i, k.Age, last)
		}
		last = k.Age
	}
}

// Between knots the optimality condition, computed here from the problem
// alone, must hold as well as at a knot.
func TestAtBetweenKnots(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	for _, noise := range []float64{0, 0.3} {
		for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.3}, gaga.Polynomial{Order: 1.8}, gaga.Mixture{Gamma: 0.5}, gaga.LOG{A: 1}} {
			t.Run(fmt.Sprintf("noise %v, %s", noise, r.Name()), func(t *testing.T) {
				t.Parallel()
				p := lasso(training(t, "diabetes", dataset.Regression, noise, 1), 0.006, r)
				p.Intercept = true
				ages := gaga.Range{Min: 0.1, Max: 20}
				path := track(t, p, gaga.Options{Age: ages})
				rng := rand.New(rand.NewPCG(4, 2))
				for range 200 {
					age := ages.Min * math.Pow(ages.Max/ages.Min, rng.Float64())
					if age < path.Range().Min {
						continue
					}
					theta, err := path.At(age)
					if err != nil {
						t.Fatal(err)
					}
					if res := residual(p, theta, age); !(res <= 1e-9) {
						t.Errorf("age %v: KKT residual %v", age, res)
					}
				}
			})
		}
	}
}

// residual computes the relative violation of the Lasso's optimality
// condition at θ with the weights that belong to it.
func residual(p *gaga.Problem, theta []float64, age float64) float64 {
	d := p.X.Cols
	grad, scale := make([]float64, d+1), make([]float64, d+1)
	for i, y := range p.Y {
		x := p.X.Data[i*p.X.Stride : i*p.X.Stride+d]
		u := theta[d]
		for j, w := range theta[:d] {
			u += w * x[j]
		}
		loss := (u - y) * (u - y)
		m := 1.0
		if p.Multiplicity != nil {
			m = p.Multiplicity[i]
		}
		f := 2 * m * weight(p.Regularizer, loss, age)
		for j := range d + 1 {
			a := 1.0
			if j < d {
				a = x[j]
			}
			grad[j] += f * (u - y) * a
			scale[j] += f * (math.Abs(u) + math.Abs(y)) * math.Abs(a)
		}
	}
	worst := 0.0
	for j, w := range theta {
		l1 := p.Penalty.L1
		if j == d {
			if !p.Intercept {
				continue
			}
			l1 = 0
		}
		off := math.Max(0, math.Abs(grad[j])-l1)
		if w != 0 && l1 > 0 {
			off = math.Abs(grad[j] + math.Copysign(l1, w))
		}
		if off > 0 {
			worst = math.Max(worst, off/(scale[j]+l1))
		}
	}
	return worst
}

// weight is v*.
func weight(r gaga.Regularizer, loss, age float64) float64 {
	switch r := r.(type) {
	case gaga.Hard:
		if loss < age {
			return 1
		}
		return 0
	case gaga.Linear:
		return math.Max(0, 1-loss/age)
	case gaga.Polynomial:
		if loss >= age {
			return 0
		}
		return math.Pow(1-loss/age, 1/(r.Order-1))
	case gaga.Mixture:
		root := math.Sqrt(loss)
		switch {
		case root <= age*r.Gamma/(age+r.Gamma):
			return 1
		case root >= age:
			return 0
		}
		return r.Gamma * (1/root - 1/age)
	case gaga.LOG:
		if loss <= age {
			return 1
		}
		return (1 + r.A*age) / (1 + r.A*loss)
	}
	panic("unknown regularizer")
}
