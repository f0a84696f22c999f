package baselines_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
)

// column is a Lasso with one feature: y = 2x and an outlier.
func column(r gaga.Regularizer) *gaga.Problem {
	x := blas64.General{Rows: 4, Cols: 1, Stride: 1, Data: []float64{1, 2, 3, 4}}
	p := gaga.Lasso(x, []float64{2, 4, 6, 0}, nil, 0.05)
	p.Regularizer = r
	return p
}

// fit is the Lasso's closed form with one feature for the samples given.
func fit(samples ...int) float64 {
	x, y := []float64{1, 2, 3, 4}, []float64{2, 4, 6, 0}
	var xx, xy float64
	for _, i := range samples {
		xx += x[i] * x[i]
		xy += x[i] * y[i]
	}
	return (xy - 4*0.05) / xx // 2 n α ‖w‖₁ against Σ r²
}

func TestOriginal(t *testing.T) {
	t.Parallel()
	theta, kkt, err := baselines.Original(t.Context(), column(nil))
	if err != nil {
		t.Fatal(err)
	}
	if want := fit(0, 1, 2, 3); math.Abs(theta[0]-want) > 1e-14 || theta[1] != 0 || kkt > 1e-14 {
		t.Errorf("θ = %v with residual %v, want %v and no intercept", theta, kkt, want)
	}
}

// TestACSHard follows hard weights by hand: the fit to all leaves losses of
// 0.93, 3.7, 8.4 and 17; at age 10 the outlier is out, and comes back when the
// age exceeds its loss of 63 beside the good fit.
func TestACSHard(t *testing.T) {
	t.Parallel()
	ages := []float64{10, 60, 70}
	path, err := baselines.ACS(t.Context(), column(gaga.Hard{}), ages, baselines.ACSOptions{})
	if err != nil || !path.Complete() || len(path.Knots) != len(ages) {
		t.Fatalf("%+v, %v", path, err)
	}
	good, all := fit(0, 1, 2), fit(0, 1, 2, 3)
	if loss := 16 * good * good; loss < 60 || loss > 70 {
		t.Fatalf("the outlier's loss is %v, the ages do not fit it", loss)
	}
	want := []float64{good, good, all}
	kinds := []gaga.Kind{gaga.Start, gaga.Grid, gaga.End}
	easy := []int{3, 3, 4}
	for k, knot := range path.Knots {
		if math.Abs(knot.Theta[0]-want[k]) > 1e-13 || knot.Kind != kinds[k] || knot.Age != ages[k] || knot.Easy != easy[k] {
			t.Errorf("knot %d: %+v, want %s with %v and %d easy samples", k, knot, kinds[k], want[k], easy[k])
		}
	}
	penalty := 2 * 4 * 0.05 * good
	var losses float64
	for i, x := range []float64{1, 2, 3} {
		r := x*good - []float64{2, 4, 6}[i]
		losses += r * r
	}
	if g := path.Knots[0].Objective; math.Abs(g-(penalty+losses+10)) > 1e-12 {
		t.Errorf("implicit objective %v, want %v", g, penalty+losses+10)
	}
}

// TestACSFixedPoint wants each age's solution to solve the weighted problem of
// its own weights, in closed form with one feature.
func TestACSFixedPoint(t *testing.T) {
	t.Parallel()
	for _, r := range []gaga.Regularizer{gaga.Linear{}, gaga.Polynomial{Order: 1.5}, gaga.Mixture{Gamma: 2}, gaga.LOG{A: 1}} {
		path, err := baselines.ACS(t.Context(), column(r), baselines.Ages(5, 100, 7), baselines.ACSOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, knot := range path.Knots {
			var xx, xy float64
			for i, x := range []float64{1, 2, 3, 4} {
				y := []float64{2, 4, 6, 0}[i]
				loss := (x*knot.Theta[0] - y) * (x*knot.Theta[0] - y)
				v := weight(r, loss, knot.Age)
				xx += v * x * x
				xy += v * x * y
			}
			if want := (xy - 4*0.05) / xx; math.Abs(knot.Theta[0]-want) > 1e-8 {
				t.Errorf("%s at age %v: %v, its own weights lead to %v", r.Name(), knot.Age, knot.Theta[0], want)
			}
		}
	}
}

// weight is v*(l, λ) as the papers write it.
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
		return math.Pow(math.Max(0, 1-loss/age), 1/(r.Order-1))
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
	panic("no formula")
}

func TestACSStartsWhereSomebodyIsEasy(t *testing.T) {
	t.Parallel()
	// The plain fit leaves every loss above 0.9.
	path, err := baselines.ACS(t.Context(), column(gaga.Hard{}), []float64{0.1, 0.5, 20}, baselines.ACSOptions{})
	if err != nil || path.Discarded != 2 || len(path.Knots) != 1 || path.Knots[0].Age != 20 {
		t.Errorf("%+v, %v; want the first two ages to be passed over", path, err)
	}
}

// TestACSDiscards has targets so large that ages discard every sample: the fit to none of
// them is no solution, and with an intercept keeps one of a fit before.
func TestACSDiscards(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 38))
	for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.5}, gaga.Mixture{Gamma: 1}} {
		for _, scale := range []float64{1e4, 1e7} {
			s := unspoiled(random, 30, 3, false)
			for i := range s.y {
				s.y[i] *= scale
			}
			for name, p := range map[string]*gaga.Problem{"lasso": gaga.Lasso(s.x, s.y, nil, 0.01), "ridge": gaga.Ridge(s.x, s.y, nil, 0.01)} {
				p.Intercept = true
				p.Regularizer = r
				for _, tolerance := range []float64{0, math.Inf(1)} {
					path, err := baselines.ACS(t.Context(), p, []float64{1e-9, 1e-8, 1e-7}, baselines.ACSOptions{Tolerance: tolerance})
					if !errors.Is(err, gaga.ErrDiscarded) || !strings.Contains(err.Error(), "ages 1e-09 to 1e-07, where the smallest loss is") || len(path.Knots) > 0 {
						t.Errorf("%s, %s, targets to %g: %+v, %v; want no knot", name, r.Name(), scale, path, err)
					}
				}
				path, err := baselines.ACS(t.Context(), p, []float64{1e-9, 1e-8, 100 * scale * scale}, baselines.ACSOptions{})
				if err != nil || path.Discarded != 2 || len(path.Knots) != 1 || path.Knots[0].Discarded == len(s.y) {
					t.Errorf("%s, %s, targets to %g: %+v, %v; want a knot at the last age alone", name, r.Name(), scale, path, err)
				}
			}
		}
	}
}

// TestACSKeepsSamples wants every knot to keep a sample, whatever the scale and the ages.
func TestACSKeepsSamples(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 38))
	for trial := range 200 {
		s := unspoiled(random, 3+random.IntN(20), 1+random.IntN(3), false)
		scale := math.Pow(10, 8*random.Float64()-4)
		for i := range s.y {
			s.y[i] *= scale
		}
		p := gaga.Lasso(s.x, s.y, nil, math.Pow(10, 4*random.Float64()-4))
		p.Intercept = trial%2 == 0
		p.Regularizer = []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.5}, gaga.Mixture{Gamma: 1}}[trial%4]
		tolerance := []float64{0, math.Inf(1)}[trial/4%2]
		path, err := baselines.ACS(t.Context(), p, baselines.Ages(1e-6, 5, 0.25), baselines.ACSOptions{Tolerance: tolerance})
		if err != nil && !errors.Is(err, gaga.ErrDiscarded) {
			t.Fatalf("trial %d: %v", trial, err)
		}
		if (err != nil) != (len(path.Knots) == 0) {
			t.Errorf("trial %d: %d knots, %v", trial, len(path.Knots), err)
		}
		for _, knot := range path.Knots {
			kept := false
			for i, y := range s.y {
				u := knot.Theta[s.x.Cols]
				for j, x := range s.row(i) {
					u += x * knot.Theta[j]
				}
				kept = kept || weight(p.Regularizer, (y-u)*(y-u), knot.Age) > 0
			}
			if !kept {
				t.Errorf("trial %d: the knot at age %v keeps no sample", trial, knot.Age)
			}
		}
	}
}

func TestACSOneClass(t *testing.T) {
	t.Parallel()
	// The two classes of one feature overlap; at a small age only one is left.
	x := blas64.General{Rows: 6, Cols: 1, Stride: 1, Data: []float64{0, 0.1, 0.2, 0, 0.1, 0.2}}
	p := gaga.LogisticRegression(x, []float64{1, 1, 1, 1, 1, -1}, nil, 10)
	p.Regularizer = gaga.Hard{}
	path, err := baselines.ACS(t.Context(), p, []float64{5, 10, 30}, baselines.ACSOptions{})
	if err != nil || path.OneClass != 2 || path.Complete() || len(path.Knots) != 1 {
		t.Errorf("%+v, %v; want one of three ages to have a fit", path, err)
	}
}

// TestACSDown wants descending ages to begin at the plain fit, and each to have a partial optimum.
func TestACSDown(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		p := noisy(gaga.Linear{}, seed, 60)
		ages, err := baselines.FindAges(t.Context(), p, nil, 41)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(ages)
		path, err := baselines.ACS(t.Context(), p, ages, baselines.ACSOptions{})
		if err != nil || path.Direction != gaga.Down || len(path.Knots) != len(ages) {
			t.Fatalf("%+v, %v", path, err)
		}
		a, err := gaga.NewAlternation(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.FitAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		for k, knot := range path.Knots {
			if knot.Age != ages[k] {
				t.Errorf("age %d is %v, want %v", k, knot.Age, ages[k])
			}
			if k > 0 {
				a.SetTheta(path.Knots[k-1].Theta)
			}
			if _, err := a.Converge(t.Context(), knot.Age, 0, 0); err != nil || furthest(a.Theta(), knot.Theta) > 1e-7 {
				t.Errorf("seed %d, age %v: alternation from the knot before ends %v from the knot, %v", seed, knot.Age, furthest(a.Theta(), knot.Theta), err)
			}
		}
	}
}

func TestACSRefuses(t *testing.T) {
	t.Parallel()
	for _, ages := range [][]float64{nil, {0, 1}, {-1}, {2, 1, 2}, {1, 2, 1}, {1, 1}, {1, math.NaN()}} {
		if _, err := baselines.ACS(t.Context(), column(gaga.Linear{}), ages, baselines.ACSOptions{}); err == nil {
			t.Errorf("ages %v were accepted", ages)
		}
	}
	p := column(gaga.Linear{})
	p.Y = p.Y[:3]
	if _, err := baselines.ACS(t.Context(), p, []float64{1}, baselines.ACSOptions{}); err == nil {
		t.Error("a target too few was accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := baselines.ACS(ctx, column(gaga.Linear{}), []float64{1}, baselines.ACSOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search returned %v", err)
	}
}

func TestACSLimit(t *testing.T) {
	t.Parallel()
	path, err := baselines.ACS(t.Context(), column(gaga.Linear{}), []float64{30, 70}, baselines.ACSOptions{Limit: 1, Tolerance: 1e-15})
	if err != nil || path.Unconverged != 2 || path.Complete() || len(path.Knots) != 2 {
		t.Errorf("%+v, %v; want both ages to be marked as not converged", path, err)
	}
}

func TestAges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		min, max, step float64
		want           []float64
	}{
		{1, 3, 1, []float64{1, 2, 3}},
		{1, 2.5, 1, []float64{1, 2, 2.5}},
		{1, 2, 5, []float64{1, 2}},
		{0.1, 0.4, 0.1, []float64{0.1, 0.2, 0.3, 0.4}},
	}
	for _, test := range tests {
		got := baselines.Ages(test.min, test.max, test.step)
		if !floats.EqualApprox(got, test.want, 1e-15) || got[len(got)-1] != test.max {
			t.Errorf("Ages(%v, %v, %v) = %v, want %v", test.min, test.max, test.step, got, test.want)
		}
	}
}

func ExampleACS() {
	path, err := baselines.ACS(context.Background(), column(gaga.Linear{}), baselines.Ages(10, 80, 35), baselines.ACSOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range path.Knots {
		fmt.Printf("age %g: coefficient %.3f, %d of 4 samples easy\n", k.Age, k.Theta[0], k.Easy)
	}
	// Output:
	// age 10: coefficient 1.986, 3 of 4 samples easy
	// age 45: coefficient 1.986, 3 of 4 samples easy
	// age 80: coefficient 0.987, 4 of 4 samples easy
}

// noisy is a Lasso whose targets are wrong in every third row.
func noisy(r gaga.Regularizer, seed uint64, n int) *gaga.Problem {
	rng := rand.New(rand.NewPCG(seed, 5))
	const d = 3
	x := blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	y := make([]float64, n)
	for i := range n {
		for j := range d {
			x.Data[i*d+j] = rng.NormFloat64()
		}
		y[i] = x.Data[i*d] + 0.3*rng.NormFloat64()
		if i%3 == 0 {
			y[i] = 3 * rng.NormFloat64()
		}
	}
	p := gaga.Lasso(x, y, nil, 0.01)
	p.Regularizer = r
	return p
}

// TestAgesDiffer wants searches over derived ages to have different models at most of them, or as many
// as a search with the hard regularizer from entry to entry.
func TestAgesDiffer(t *testing.T) {
	t.Parallel()
	const n = 41
	for _, rows := range []int{20, 60, 200} {
		for seed := range uint64(4) {
			for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.35}, gaga.LOG{A: 1}, gaga.Mixture{Gamma: 0.5}} {
				p := noisy(r, seed, rows)
				ages, err := baselines.FindAges(t.Context(), p, nil, n)
				if err != nil {
					t.Fatal(err)
				}
				path, err := baselines.ACS(t.Context(), p, ages, baselines.ACSOptions{})
				if err != nil {
					t.Fatal(err)
				}
				different := 1
				for k := 1; k < len(path.Knots); k++ {
					if furthest(path.Knots[k].Theta, path.Knots[k-1].Theta) > 1e-7 {
						different++
					}
				}
				want := 28
				if r.Name() == "hard" || r.Name() == "log" {
					want = min(18, rows/4)
				}
				if len(ages) != n || different < want {
					t.Errorf("%d rows, seed %d, %s: %d different models at %d ages, want %d", rows, seed, r.Name(), different, len(ages), want)
				}
			}
		}
	}
}

// furthest returns the largest difference of two models' coefficients.
func furthest(a, b []float64) (worst float64) {
	for j := range a {
		worst = math.Max(worst, math.Abs(a[j]-b[j]))
	}
	return worst
}
