package gaga

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// manySamples draws a regression problem with so many samples that its sums are
// expanded in windows.
func manySamples(rng *rand.Rand, r Regularizer) *Problem {
	n, d := tolerance.ExpansionSamples+200, 3
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i := range y {
		y[i] = x[i*d] - 0.5*x[i*d+1] + 0.5*rng.NormFloat64()
		if i%5 == 0 {
			y[i] += 3 * rng.NormFloat64()
		}
	}
	p := Lasso(blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y, nil, 0.02)
	p.Regularizer, p.Intercept = r, true
	return p
}

// With the sums expanded in windows a path must be what it is with all samples
// summed at each point.
func TestExpandedPath(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		Regularizer
		alpha     float64
		intercept bool
		ages      Range
		knots     int // at least
	}{
		{LOG{1}, 0.02, true, Range{0.3, 0.6}, 50},
		{LOG{10}, 0.25, false, Range{0.01, 1}, 50}, // begins with no coordinate active
		{Polynomial{1.35}, 0.02, true, Range{0.3, 0.6}, 50},
		{Polynomial{1.7}, 0.02, true, Range{0.3, 0.6}, 50},
	} {
		t.Run(fmt.Sprint(test.Regularizer), func(t *testing.T) {
			t.Parallel()
			p := manySamples(rand.New(rand.NewPCG(3, 5)), test.Regularizer)
			p.Penalty.L1, p.Intercept = 2*p.total()*test.alpha, test.intercept
			o := Options{Age: test.ages}
			var paths [2]*Path
			for k, create := range []func(*Problem, Options) (*tracker, error){newTracker, newPlainTracker} {
				tr, err := create(p, o)
				if err != nil {
					t.Fatal(err)
				}
				if _, expanded := tr.condition.(*condition.Primal).Terms().(*sums.Expansion); expanded != (k == 0) {
					t.Fatalf("the sums are expanded: %v", expanded)
				}
				if err := tr.run(context.Background()); err != nil {
					t.Fatal(err)
				}
				if paths[k] = tr.path; tr.path.Status() != Complete {
					t.Fatal(tr.path.Reason())
				}
			}
			a, b := paths[0].Knots(), paths[1].Knots()
			if len(a) != len(b) || len(a) < test.knots {
				t.Fatalf("%d knots, %d without the expansion", len(a), len(b))
			}
			for k := range a {
				x, y := &a[k], &b[k]
				if x.Kind != y.Kind || x.Index != y.Index || math.Abs(x.Age-y.Age) > 1e-9*y.Age || far(x.Theta, y.Theta) > 1e-9 || math.Abs(x.Objective-y.Objective) > 1e-10*y.Objective {
					t.Fatalf("knot %d is %+v, without the expansion %+v", k, *x, *y)
				}
			}
			t.Logf("%d knots", len(a))
		})
	}
}
