package baselines_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
)

// sparseLine is y = x·w + 1 with 3 of d coefficients, a little noise, and on a
// share of the rows errors of size 3.
func sparseLine(seed uint64, n, d int, outliers float64) (x blas64.General, y, w []float64) {
	random := rand.New(rand.NewPCG(seed, 1))
	x = blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	w = make([]float64, d)
	copy(w, []float64{1, -2, 0.5})
	y = make([]float64, n)
	for i := range y {
		y[i] = 1 + 0.1*random.NormFloat64()
		for j := range d {
			x.Data[i*d+j] = random.NormFloat64()
			y[i] += x.Data[i*d+j] * w[j]
		}
		if float64(i) < outliers*float64(n) {
			y[i] += 3 + 3*random.NormFloat64()
		}
	}
	return x, y, w
}

// extended minimizes the extended Lasso of Nasrabadi, Tran and Nguyen in (w, b,
// e), one coordinate after the other: independent of the Huber loss and of the
// solver. It returns the coefficients, the intercept and the objective.
func extended(h *gaga.Problem, alpha, delta float64) (theta []float64, objective float64) {
	n, d := h.X.Rows, h.X.Cols
	theta = make([]float64, d+1)
	count, total := make([]float64, n), 0.0
	for i := range count {
		count[i] = 1
		if h.Multiplicity != nil {
			count[i] = h.Multiplicity[i]
		}
		total += count[i]
	}
	soft := func(x, t float64) float64 { return math.Copysign(math.Max(math.Abs(x)-t, 0), x) }
	r, e := append([]float64(nil), h.Y...), make([]float64, n) // residuals without errors
	for moved := 1.0; moved > 1e-15; {
		moved = 0
		for j := range d + 1 {
			var top, bottom float64
			at := func(i int) float64 {
				if j == d {
					return 1
				}
				return h.X.Data[i*h.X.Stride+j]
			}
			for i := range n {
				top += count[i] * at(i) * (r[i] - e[i] + at(i)*theta[j])
				bottom += count[i] * at(i) * at(i)
			}
			next := soft(top, total*alpha) / bottom
			if j == d {
				if !h.Intercept {
					continue
				}
				next = top / bottom
			}
			for i := range n {
				r[i] -= at(i) * (next - theta[j])
			}
			moved = math.Max(moved, math.Abs(next-theta[j]))
			theta[j] = next
		}
		for i := range e {
			e[i] = soft(r[i], delta)
		}
	}
	for i := range e {
		objective += count[i] * ((r[i]-e[i])*(r[i]-e[i])/2 + delta*math.Abs(e[i])) / total
	}
	for _, w := range theta[:d] {
		objective += alpha * math.Abs(w)
	}
	return theta, objective
}

func TestHuberLasso(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		n, d := 40, 8
		if seed%3 == 2 {
			n, d = 15, 30 // more features than samples
		}
		x, y, _ := sparseLine(seed, n, d, 0.3)
		var multiplicity []float64
		if seed >= 6 {
			multiplicity = make([]float64, n)
			for i := range multiplicity {
				multiplicity[i] = float64(1 + i%3)
			}
		}
		alpha, delta := []float64{0.02, 0.1, 0.3}[seed%3], []float64{0.05, 0.3, 1, 3}[seed%4]
		h := gaga.Lasso(x, y, multiplicity, alpha)
		h.Intercept = seed%2 == 0
		got, err := baselines.HuberLasso(t.Context(), h, delta)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, objective := extended(h, alpha, delta)
		if math.Abs(got.Objective-objective) > 1e-9*objective || !(got.KKT >= -1e-12 && got.KKT <= 1e-10) {
			t.Errorf("seed %d: objective %v with gap %v, the extended Lasso has %v", seed, got.Objective, got.KKT, objective)
		}
		if !floats.EqualApprox(got.Theta, want, 1e-6) {
			t.Errorf("seed %d: %v, the extended Lasso has %v", seed, got.Theta, want)
		}
	}
}

// TestHuberLassoWide wants the Lasso of the same α for a Delta above all
// residuals, and least absolute deviations to be approached for a small one:
// without features that matter b is then the median.
func TestHuberLassoWide(t *testing.T) {
	t.Parallel()
	x, y, _ := sparseLine(3, 60, 10, 0.3)
	for _, intercept := range []bool{false, true} {
		p := gaga.Lasso(x, y, nil, 0.05)
		p.Intercept = intercept
		want, _, err := baselines.Original(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := baselines.HuberLasso(t.Context(), p, 1e3)
		if err != nil || !floats.EqualApprox(got.Theta, want, 1e-12) {
			t.Errorf("intercept %t: %v, the Lasso has %v, %v", intercept, got, want, err)
		}
	}
	one := blas64.General{Rows: 5, Cols: 1, Stride: 1, Data: []float64{1, -1, 0, -1, 1}}
	p := gaga.Lasso(one, []float64{0, 1, 5, 60, 700}, nil, 10)
	p.Intercept = true
	got, err := baselines.HuberLasso(t.Context(), p, 1e-3)
	if err != nil || got.Theta[0] != 0 || math.Abs(got.Theta[1]-5) > 1e-12 {
		t.Errorf("%v, %v; want the median 5", got, err)
	}
}

// TestHuberLassoOutliers wants it to come closer to the line than the Lasso
// where 30 % of the rows are wrong, both with their best α.
func TestHuberLassoOutliers(t *testing.T) {
	t.Parallel()
	const seeds = 10
	alphas := []float64{0.003, 0.01, 0.03, 0.1}
	better := 0
	for seed := range uint64(seeds) {
		x, y, w := sparseLine(seed, 200, 20, 0.3)
		truth := append(append([]float64(nil), w...), 1)
		plain, robust := math.Inf(1), math.Inf(1)
		for _, alpha := range alphas {
			p := gaga.Lasso(x, y, nil, alpha)
			p.Intercept = true
			theta, _, err := baselines.Original(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			plain = math.Min(plain, floats.Distance(theta, truth, 2))
			fit, err := baselines.HuberLasso(t.Context(), p, 0.2)
			if err != nil {
				t.Fatal(err)
			}
			robust = math.Min(robust, floats.Distance(fit.Theta, truth, 2))
		}
		if robust < plain {
			better++
		}
	}
	if better < 8 {
		t.Errorf("closer than the Lasso in %d of %d seeds", better, seeds)
	}
}

func TestHuberLassoRefuses(t *testing.T) {
	t.Parallel()
	x, y, _ := sparseLine(1, 10, 3, 0)
	good := gaga.Lasso(x, y, nil, 0.1)
	for _, change := range []func(h *gaga.Problem){
		func(h *gaga.Problem) { h.Penalty.L1 = 0 },
		func(h *gaga.Problem) { h.Penalty.L1 = math.Inf(1) },
		func(h *gaga.Problem) { h.Penalty.L2 = -1 },
		func(h *gaga.Problem) { h.Kernel = gaga.RBF{Gamma: 1} },
		func(h *gaga.Problem) { h.Loss = gaga.Hinge{C: 1} },
		func(h *gaga.Problem) { h.Y = y[:9] },
		func(h *gaga.Problem) { h.Multiplicity = []float64{1} },
	} {
		h := *good
		change(&h)
		if fit, err := baselines.HuberLasso(t.Context(), &h, 1); err == nil {
			t.Errorf("%+v was fitted: %+v", h, fit)
		}
	}
	for _, delta := range []float64{-1, 0, math.NaN(), math.Inf(1)} {
		if fit, err := baselines.HuberLasso(t.Context(), good, delta); err == nil {
			t.Errorf("delta %v was fitted: %+v", delta, fit)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := baselines.HuberLasso(ctx, good, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled fit returned %v", err)
	}
}

func ExampleHuberLasso() {
	// y = 2x with a gross error in the last row.
	x := blas64.General{Rows: 4, Cols: 1, Stride: 1, Data: []float64{1, 2, 3, 4}}
	fit, err := baselines.HuberLasso(context.Background(), gaga.Lasso(x, []float64{2, 4, 6, 0}, nil, 0.05), 0.5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("coefficient %.3f\n", fit.Theta[0])
	// Output: coefficient 1.843
}
