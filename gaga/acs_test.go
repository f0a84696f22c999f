package gaga_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// Alternate convex search at a fine grid must agree with the path but within
// one step of a jump, and every discontinuity that it sees must be a recorded
// jump.
func TestPathAgreesWithACS(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fits at up to 7000 ages for each of 20 problems")
	}
	for _, noise := range []float64{0, 0.3} {
		for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.3}, gaga.Mixture{Gamma: 0.5}, gaga.LOG{A: 1}} {
			for _, intercept := range []bool{false, true} {
				t.Run(fmt.Sprintf("noise %v, %s, intercept %v", noise, r.Name(), intercept), func(t *testing.T) {
					t.Parallel()
					part := training(t, "diabetes", dataset.Regression, noise, 1)
					p := lasso(part, 0.006, r)
					p.Intercept = intercept
					_, hard := r.(gaga.Hard)
					ages, step := gaga.Range{Min: 0.1, Max: 0.8}, 0.005
					if hard {
						step = 0.0001
					}
					if needs.Long() {
						ages.Max, step = 20, 0.001
					}
					// Under the hard regularizer the path never forgets: a
					// coarse grid, on which two events fall into one step,
					// leads ACS astray until the branches meet again.
					compare(t, p, ages, step, hard)
				})
			}
		}
	}
}

// Alternation started from beside a knot must go to it, except at jumps.
func TestACSStaysAtKnots(t *testing.T) {
	t.Parallel()
	for _, noise := range []float64{0, 0.3} {
		for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Mixture{Gamma: 0.5}} {
			t.Run(fmt.Sprintf("noise %v, %s", noise, r.Name()), func(t *testing.T) {
				t.Parallel()
				p := lasso(training(t, "diabetes", dataset.Regression, noise, 1), 0.006, r)
				path := track(t, p, gaga.Options{Age: gaga.Range{Min: 0.1, Max: 20}})
				a, err := gaga.NewAlternation(p)
				if err != nil {
					t.Fatal(err)
				}
				worst, knots := 0.0, path.Knots()
				for i := 0; i < len(knots); i += 1 + len(knots)/300 {
					if knots[i].Kind == gaga.Jump {
						continue
					}
					beside := slices.Clone(knots[i].Theta)
					for j := range beside {
						beside[j] *= 1 + 1e-9
					}
					a.SetTheta(beside)
					if _, err := a.Converge(context.Background(), knots[i].Age, 1e-11, 2000); err != nil {
						t.Fatal(err)
					}
					worst = max(worst, distance(a.Theta(), knots[i].Theta))
				}
				t.Logf("at most %.2g away from %d knots", worst, len(knots))
				if !(worst <= 1e-7) {
					t.Errorf("alternation leaves a knot by %v", worst)
				}
			})
		}
	}
}

// compare runs both at the same ages. Where astray is allowed, disagreement
// that begins near a jump may last.
func compare(t *testing.T, p *gaga.Problem, ages gaga.Range, step float64, astray bool) {
	grid := baselines.Ages(ages.Min, ages.Max, step)
	path := track(t, p, gaga.Options{Age: ages, Grid: grid})
	acs, err := baselines.ACS(context.Background(), p, grid, baselines.ACSOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var jumps []float64
	scale := 0.0
	for _, k := range path.Knots() {
		if k.Kind == gaga.Jump {
			jumps = append(jumps, k.Age)
		}
		for _, w := range k.Theta {
			scale = max(scale, math.Abs(w))
		}
	}
	near := func(age float64) bool {
		for _, j := range jumps {
			if math.Abs(j-age) <= 1.001*step {
				return true
			}
		}
		return false
	}
	agree, compared, lost := 0, 0, false
	var last []float64 // the path's point at the age before
	for i, k := range acs.Knots {
		theta, err := path.At(k.Age)
		if err != nil {
			if k.Age < path.Range().Min {
				continue
			}
			t.Fatal(err)
		}
		compared++
		off, astrayBefore := distance(theta, k.Theta), lost
		if off <= 1e-4*scale {
			agree, lost = agree+1, false
		} else if near(k.Age) {
			lost = astray
		} else if !lost {
			t.Errorf("age %v: path and ACS are %.3g of the scale apart, no jump is near (KKT of ACS %.2g)", k.Age, off/scale, k.KKT)
		}
		if i > 0 && last != nil && !lost && !astrayBefore && distance(k.Theta, acs.Knots[i-1].Theta) > 0.05*scale && distance(theta, last) < 0.02*scale && !near(k.Age) {
			t.Errorf("age %v: ACS is discontinuous, the path is not", k.Age)
		}
		last = theta
	}
	if turning, jumped := count(path); float64(agree) < 0.99*float64(compared) {
		t.Errorf("agreement at %d of %d ages; %d turning points, %d jumps", agree, compared, turning, jumped)
	} else {
		t.Logf("agreement at %d of %d ages; %d turning points, %d jumps, %d alternations of ACS", agree, compared, turning, jumped, acs.Alternations)
	}
}

// distance returns the largest difference of two vectors' entries.
func distance(a, b []float64) float64 {
	off := 0.0
	for j := range a {
		off = max(off, math.Abs(a[j]-b[j]))
	}
	return off
}
