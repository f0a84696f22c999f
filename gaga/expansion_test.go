package gaga

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// manySamples draws a regression problem with so many samples that its sums are
// expanded in windows.
func manySamples(rng *rand.Rand, r Regularizer) *Problem {
	n, d := manyExpanded+200, 3
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
	for _, r := range []Regularizer{LOG{1}, Polynomial{1.35}, Polynomial{1.7}} {
		t.Run(r.Name(), func(t *testing.T) {
			t.Parallel()
			p := manySamples(rand.New(rand.NewPCG(3, 5)), r)
			o := Options{Age: Range{0.3, 0.6}}
			var paths [2]*Path
			for k := range paths {
				tr, err := newTracker(p, o)
				if err != nil {
					t.Fatal(err)
				}
				if tr.expansion == nil {
					t.Fatal("the sums are not expanded")
				}
				if k == 1 {
					tr.primal.setTerms(newDirect(tr.primal))
					tr.expansion, tr.window = nil, nil
				}
				if err := tr.run(context.Background()); err != nil {
					t.Fatal(err)
				}
				if paths[k] = tr.path; tr.path.Status() != Complete {
					t.Fatal(tr.path.Reason())
				}
			}
			a, b := paths[0].Knots(), paths[1].Knots()
			if len(a) != len(b) || len(a) < 50 {
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

// An expansion's sums in its window must be those over the samples.
func TestExpansion(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 9))
	p := manySamples(rng, Polynomial{1.35})
	tr, err := newTracker(p, Options{Age: Range{0.3, 0.6}})
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.begin(context.Background()); err != nil {
		t.Fatal(err)
	}
	tr.ahead()
	e, w, pt := tr.expansion, tr.window, tr.left
	if !e.on || len(tr.watch) > p.X.Rows/4 {
		t.Fatalf("no window is open, %d samples are watched", len(tr.watch))
	}
	watched := make([]bool, tr.n)
	for _, i := range tr.watch {
		watched[i] = true
	}
	for range 20 {
		h := rng.Float64() * w.length
		age, theta := w.age+h, make([]float64, tr.p)
		off := make([]float64, tr.p)
		for j := range theta {
			off[j] = rng.NormFloat64() / w.scale[j]
		}
		size := w.distance(nil, off)
		for j := range theta {
			theta[j] = pt.theta[j] + h*pt.rate[j] + rng.Float64()*w.moved/size*off[j]
		}
		e.contract(theta, age)
		grad, dgrad, value, terms := make([]float64, tr.p), make([]float64, tr.p), 0.0, make([]float64, tr.p)
		full := make([]float64, tr.p*tr.p)
		for i := range tr.n {
			if watched[i] {
				continue
			}
			row := tr.primal.sample(i)
			u := blas64.Dot(vector(row), vector(theta))
			loss, slope, curvature := tr.loss.Eval(u, tr.y[i])
			v, dv, da := tr.reg.Weight(int(tr.zone[i]), loss, age)
			value += tr.reg.Integral(loss, age)
			for j, x := range row {
				grad[j] += v * slope * x
				dgrad[j] += da * slope * x
				terms[j] += math.Abs(v * slope * x)
				for k, y := range row {
					full[j*tr.p+k] += (dv*slope*slope + v*curvature) * x * y
				}
			}
		}
		for j := range grad {
			if math.Abs(e.grad[j]-grad[j]) > 1e-11*terms[j] || math.Abs(e.dgrad[j]-dgrad[j]) > 1e-7*terms[j]/age {
				t.Errorf("gradient %v, rate %v, want %v, %v (terms %v)", e.grad[j], e.dgrad[j], grad[j], dgrad[j], terms[j])
			}
			for k := range grad {
				if math.Abs(e.entry(j, k)-full[j*tr.p+k]) > 1e-5*full[j*tr.p+j] {
					t.Errorf("H[%d,%d] is %v, want %v", j, k, e.entry(j, k), full[j*tr.p+k])
				}
			}
		}
		if math.Abs(e.value-value) > 1e-11*value {
			t.Errorf("value %v, want %v", e.value, value)
		}
	}
}
