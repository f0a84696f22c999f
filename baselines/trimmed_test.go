package baselines_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// lassoOf fits the Lasso to the samples of a mask one coordinate after the other, independent of the
// solver, and returns the residuals of all samples.
func (s *sample) lassoOf(mask uint, alpha float64, intercept bool) (theta, residual []float64, objective float64) {
	d, h := s.x.Cols, float64(bits.OnesCount(mask))
	theta, residual = make([]float64, d+1), slices.Clone(s.y)
	for moved := 1.0; moved > 1e-12; {
		moved = 0
		for j := range d + 1 {
			var top, bottom, penalty float64
			at := func(i int) float64 { return 1 }
			switch {
			case j < d:
				penalty, at = h*alpha, func(i int) float64 { return s.x.Data[i*d+j] }
			case !intercept:
				continue
			}
			for i := range residual {
				if mask>>i&1 == 1 {
					top += at(i) * (residual[i] + at(i)*theta[j])
					bottom += at(i) * at(i)
				}
			}
			step := math.Copysign(max(math.Abs(top)-penalty, 0), top)/bottom - theta[j]
			for i := range residual {
				residual[i] -= step * at(i)
			}
			theta[j] += step
			moved = max(moved, math.Abs(step))
		}
	}
	for i, r := range residual {
		if mask>>i&1 == 1 {
			objective += r * r / (2 * h)
		}
	}
	for _, w := range theta[:d] {
		objective += alpha * math.Abs(w)
	}
	return theta, residual, objective
}

// TestSparseLTS compares the search with all subsets, and the second stage with its definition.
func TestSparseLTS(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	for seed := range uint64(8) {
		n, d := 11, []int{1, 3, 8}[seed%3]
		if seed >= 4 {
			n = 7
		}
		rng := rand.New(rand.NewPCG(seed, 5))
		s := plane(rng, n, d, false, 0.25)
		e := s
		if seed >= 4 { // 12 samples
			s.multiplicity = []float64{1, 2, 1, 3, 1, 2, 2}
			e = s.expanded()
		}
		total := len(e.y)
		alpha, coverage, intercept := []float64{0.02, 0.2}[seed%2], []float64{0.5, 0.75}[seed/2%2], seed%3 < 2
		p := gaga.Lasso(s.x, s.y, s.multiplicity, alpha)
		p.Intercept = intercept
		o := baselines.TrimOptions{Coverage: coverage}
		got, err := baselines.SparseLTS(t.Context(), p, o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		h := int(math.Floor(float64(total+1) * coverage))
		best, least := uint(0), math.Inf(1)
		for mask := range uint(1) << total {
			if bits.OnesCount(mask) == h {
				if _, _, objective := e.lassoOf(mask, alpha, intercept); objective < least {
					best, least = mask, objective
				}
			}
		}
		theta, residual, _ := e.lassoOf(best, alpha, intercept)
		if math.Abs(got.Trimmed-least) > 1e-8*least {
			t.Errorf("seed %d: trimmed objective %v, the best subset has %v", seed, got.Trimmed, least)
			continue
		}
		o.Raw = true
		raw, err := baselines.SparseLTS(t.Context(), p, o)
		if err != nil || !allWithin(raw.Theta, theta, 1e-6) || math.Abs(raw.Objective-got.Trimmed) > 1e-12*least {
			t.Errorf("seed %d: raw θ %v (%v), want %v", seed, raw, err, theta)
		}
		var kept []float64
		for i, r := range residual {
			if best>>i&1 == 1 {
				kept = append(kept, r)
			}
		}
		center := stat.Mean(kept, nil)
		var squares []float64
		for _, r := range residual {
			squares = append(squares, (r-center)*(r-center))
		}
		slices.Sort(squares)
		// The mean square of a normal variable within its central share, by quadrature.
		normal, inside, share := distuv.UnitNormal, 0.0, float64(h)/float64(total)
		const steps = 200_000
		q := normal.Quantile((1 + share) / 2)
		for k := range steps {
			u := q * (2*(float64(k)+0.5)/steps - 1)
			inside += u * u * normal.Prob(u) * 2 * q / steps
		}
		scale := math.Sqrt(stat.Mean(squares[:h], nil) / (inside / share))
		if math.Abs(got.Center-center) > 1e-6*scale || math.Abs(got.Scale/scale-1) > 1e-6 {
			t.Errorf("seed %d: center %v and scale %v, want %v and %v", seed, got.Center, got.Scale, center, scale)
		}
		within := uint(0)
		for i, r := range residual {
			if math.Abs(r-center) <= normal.Quantile(0.9875)*scale {
				within |= 1 << i
			}
		}
		theta, _, least = e.lassoOf(within, alpha, intercept)
		if math.Abs(got.Objective-least) > 1e-8*least || !allWithin(got.Theta, theta, 1e-6) || got.KKT > 1e-10 {
			t.Errorf("seed %d: θ %v of objective %v with residual %v, want %v of %v", seed, got.Theta, got.Objective, got.KKT, theta, least)
		}
	}
}

func allWithin(a, b []float64, tolerance float64) bool {
	for j := range b {
		if !(math.Abs(a[j]-b[j]) <= tolerance) {
			return false
		}
	}
	return len(a) == len(b)
}

// TestSparseLTSOutliers wants the outliers of 40 % of the rows out and the coefficients found, which the
// plain Lasso does not, and the plain Lasso at full coverage.
func TestSparseLTSOutliers(t *testing.T) {
	t.Parallel()
	x, y, w := sparseLine(7, 100, 30, 0)
	for i := range 40 { // bad leverage points
		y[i] = 30
		for j := range 5 {
			x.Data[i*30+j] += 4
		}
	}
	p := gaga.Lasso(x, y, nil, 0.02)
	p.Intercept = true
	plain, _, err := baselines.Original(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := baselines.SparseLTS(t.Context(), p, baselines.TrimOptions{Coverage: 0.55})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range fit.Weights {
		if i < 40 && v != 0 {
			t.Errorf("outlier %d has weight %v", i, v)
		}
	}
	if allWithin(plain[:30], w, 0.5) || !allWithin(fit.Theta[:30], w, 0.1) {
		t.Errorf("w = %v, plain %v, want %v", fit.Theta, plain, w)
	}
	full, err := baselines.SparseLTS(t.Context(), p, baselines.TrimOptions{Coverage: 1, Starts: 1, Raw: true})
	if err != nil || !allWithin(full.Theta, plain, 1e-9) {
		t.Errorf("%+v, %v; the plain fit is %v", full, err, plain)
	}
}

func TestSparseLTSRefuses(t *testing.T) {
	t.Parallel()
	x := blas64.General{Rows: 4, Cols: 1, Stride: 1, Data: []float64{1, 2, 3, 4}}
	y := []float64{1, -1, 1, 1}
	lasso := gaga.Lasso(x, y, nil, 0.1)
	for want, call := range map[string]func() error{
		"no kernel": func() error {
			_, err := baselines.SparseLTS(t.Context(), baselines.LSSVM(x, y, nil, 1, gaga.RBF{Gamma: 1}), baselines.TrimOptions{})
			return err
		},
		"hinge loss": func() error {
			_, err := baselines.SparseLTS(t.Context(), gaga.SVM(x, y, nil, 1, nil), baselines.TrimOptions{})
			return err
		},
		"coverage": func() error {
			_, err := baselines.SparseLTS(t.Context(), lasso, baselines.TrimOptions{Coverage: 0.4})
			return err
		},
		"starts": func() error {
			_, err := baselines.SparseLTS(t.Context(), lasso, baselines.TrimOptions{Starts: -1})
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error that says %q: %v", want, err)
		}
	}
}
