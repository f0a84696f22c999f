package gaga_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
)

// Alternate convex search at a fine grid must agree with the path but within
// one step of a jump, and every discontinuity that it sees must be a recorded
// jump.
func TestPathAgreesWithACS(t *testing.T) {
	t.Parallel()
	for _, noise := range []float64{0, 0.3} {
		for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.3}, gaga.Mixture{Gamma: 0.5}, gaga.LOG{A: 1}} {
			for _, intercept := range []bool{false, true} {
				t.Run(fmt.Sprintf("noise %v, %s, intercept %v", noise, r.Name(), intercept), func(t *testing.T) {
					t.Parallel()
					part := training(t, "diabetes", dataset.Regression, noise, 1)
					p := lasso(part, 0.006, r)
					p.Intercept = intercept
					ages := gaga.Range{Min: 0.1, Max: 3}
					step := 0.01
					if _, hard := r.(gaga.Hard); hard { // it never forgets: a coarse grid lets ACS go astray
						step = 0.0001
					}
					if long() {
						ages.Max, step = 20, 0.001
					}
					compare(t, p, ages, step)
				})
			}
		}
	}
}

// compare runs both at the same ages.
func compare(t *testing.T, p *gaga.Problem, ages gaga.Range, step float64) {
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
	agree, compared := 0, 0
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
		off := distance(theta, k.Theta)
		if off <= 1e-4*scale {
			agree++
		} else if !near(k.Age) {
			t.Errorf("age %v: path and ACS are %.3g of the scale apart, no jump is near (KKT of ACS %.2g)", k.Age, off/scale, k.KKT)
		}
		if i > 0 && last != nil && distance(k.Theta, acs.Knots[i-1].Theta) > 0.05*scale && distance(theta, last) < 0.02*scale && !near(k.Age) {
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
