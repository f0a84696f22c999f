package baselines_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// ridge is the closed form of Σ v r² + α‖w‖² without an intercept.
func (s *sample) ridge(weights []float64, alpha float64) []float64 {
	d := s.x.Cols
	a, b := mat.NewDense(d, d, nil), mat.NewVecDense(d, nil)
	for i, v := range weights {
		for j, x := range s.row(i) {
			b.SetVec(j, b.AtVec(j)+v*x*s.y[i])
			for k, z := range s.row(i) {
				a.Set(j, k, a.At(j, k)+v*x*z)
			}
		}
	}
	for j := range d {
		a.Set(j, j, a.At(j, j)+alpha)
	}
	var w mat.VecDense
	if err := w.SolveVec(a, b); err != nil {
		panic(err)
	}
	return w.RawVector().Data
}

// TestACSShares compares knots with alternations in closed form, sample by sample: at each share the
// smallest losses are in, and then as many as have losses below the age.
func TestACSShares(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	const alpha = 0.3
	shares := baselines.Shares(0.5, 0.1)
	if len(shares) != 6 || shares[0] != 0.5 || shares[5] != 1 || math.Abs(shares[3]-0.8) > 1e-15 {
		t.Fatalf("shares %v", shares)
	}
	for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}} {
		knots := 0
		for seed := range uint64(10) {
			rng := rand.New(rand.NewPCG(seed, 3))
			s := plane(rng, 30, 4, false, 0.25)
			for i := range s.y {
				s.y[i] += 3 * rng.NormFloat64()
				s.multiplicity = append(s.multiplicity, float64(1+i%3))
			}
			p := gaga.Ridge(s.x, s.y, s.multiplicity, alpha)
			p.Regularizer = r
			path, err := baselines.ACSShares(t.Context(), p, shares, baselines.ACSOptions{})
			if err != nil || !path.Complete() || path.Passed+len(path.Knots) != len(shares) {
				t.Fatalf("%s: %+v, %v", r.Name(), path, err)
			}
			e := s.expanded()
			weights, want := slices.Repeat([]float64{1}, len(e.y)), []gaga.Knot(nil)
			for last, k := 0.0, 0; k < len(shares); k++ {
				squares := e.squares(e.ridge(weights, alpha))
				sorted := slices.Sorted(slices.Values(squares))
				in := int(math.Ceil(shares[k]*float64(len(sorted)) - 1e-9))
				next := sorted[len(sorted)-1] * (1 + 2e-6)
				if at, more := slices.BinarySearchFunc(sorted, sorted[in-1]*(1+1e-9), cmp.Compare[float64]); at < len(sorted) || more {
					next = sorted[at] // beyond the copies of the same sample
				}
				age := (sorted[in-1] + next) / 2
				if age <= last {
					continue
				}
				last = age
				for range 3000 {
					for i, square := range squares {
						weights[i] = weight(r, square, age)
					}
					squares = e.squares(e.ridge(weights, alpha))
				}
				want = append(want, gaga.Knot{Age: age, Theta: e.ridge(weights, alpha)})
			}
			if len(want) != len(path.Knots) {
				t.Fatalf("%s, seed %d: %d knots, want %d", r.Name(), seed, len(path.Knots), len(want))
			}
			for k, knot := range path.Knots {
				if math.Abs(knot.Age/want[k].Age-1) > 1e-7 {
					t.Errorf("%s, seed %d: age %d is %v, want %v", r.Name(), seed, k, knot.Age, want[k].Age)
				}
				for j, w := range want[k].Theta {
					if math.Abs(knot.Theta[j]-w) > 1e-7 {
						t.Errorf("%s, seed %d: θ at age %v is %v, want %v", r.Name(), seed, knot.Age, knot.Theta, want[k].Theta)
						break
					}
				}
			}
			if last := path.Knots[len(path.Knots)-1]; r == (gaga.Hard{}) && last.Easy != len(s.y) {
				t.Errorf("seed %d: %d of %d samples are in at the end", seed, last.Easy, len(s.y))
			}
			knots += len(path.Knots)
		}
		if knots < 30 {
			t.Errorf("%s: %d knots of 10 paths, too few to say anything", r.Name(), knots)
		}
	}
}

// squares returns the squared residuals of a linear model.
func (s *sample) squares(w []float64) []float64 {
	squares := make([]float64, len(s.y))
	for i := range squares {
		r := s.y[i]
		for j, x := range s.row(i) {
			r -= x * w[j]
		}
		squares[i] = r * r
	}
	return squares
}

// TestACSSharesWithoutLosses has most samples of a support vector machine without a loss, or all.
func TestACSSharesWithoutLosses(t *testing.T) {
	t.Parallel()
	for _, outliers := range []float64{0, 0.1} {
		s := clusters(rand.New(rand.NewPCG(1, 2)), 60, 2, outliers)
		for i := range s.x.Data {
			s.x.Data[i] *= 10 // far from the margin
		}
		p := gaga.SVM(s.x, s.y, nil, 1, nil)
		p.Regularizer = gaga.Hard{}
		path, err := baselines.ACSShares(t.Context(), p, []float64{0.5, 0.7, 1}, baselines.ACSOptions{})
		if err != nil || len(path.Knots) == 0 || (path.Passed == 0) != (outliers > 0) {
			t.Fatalf("%g of labels wrong: %+v, %v", outliers, path, err)
		}
		if last := path.Knots[len(path.Knots)-1]; last.Easy != 60 {
			t.Errorf("%g of labels wrong: %d of 60 samples are in at the end", outliers, last.Easy)
		}
	}
}

func TestACSSharesRefuses(t *testing.T) {
	t.Parallel()
	for _, shares := range [][]float64{{0, 1}, {0.5, 0.5}, {0.5, 1.1}, {math.NaN()}} {
		if _, err := baselines.ACSShares(t.Context(), column(gaga.Hard{}), shares, baselines.ACSOptions{}); err == nil || !strings.Contains(err.Error(), "ascending") {
			t.Errorf("shares %v: %v", shares, err)
		}
	}
	if _, err := baselines.ACSShares(t.Context(), column(bounded{}), []float64{0.5, 1}, baselines.ACSOptions{}); err == nil || !strings.Contains(err.Error(), "a share of 0.5 ") {
		t.Errorf("a regularizer that keeps samples out: %v", err)
	}
}

// TestACSSharesOfRounding wants shares whose losses are rounding to be passed, and search at ages of
// the size of rounding to end.
func TestACSSharesOfRounding(t *testing.T) {
	t.Parallel()
	const n, d = 53, 30
	rng := rand.New(rand.NewPCG(7, 1))
	s := newSample(n, d)
	for i := range n {
		common, sum := rng.NormFloat64(), 0.0
		for j := range d {
			s.x.Data[i*d+j] = common + 0.5*rng.NormFloat64()
			if j < 3 {
				sum += s.x.Data[i*d+j]
			}
		}
		if s.y[i] = math.Copysign(1, sum); rng.Float64() < 0.2 {
			s.y[i] = -s.y[i]
		}
	}
	for _, c := range []float64{1, 10} {
		p := gaga.SVM(s.x, s.y, nil, c, nil)
		p.Regularizer = gaga.Linear{}
		path, err := baselines.ACSShares(t.Context(), p, baselines.Shares(0.5, 0.05), baselines.ACSOptions{})
		if err != nil || path.Passed < 5 || path.Alternations > 1000 || path.Unconverged > 0 {
			t.Errorf("C %g: %d shares passed, %d alternations, %d ages without convergence, %v", c, path.Passed, path.Alternations, path.Unconverged, err)
		}
		for _, knot := range path.Knots {
			if knot.Age < 1e-9*c || knot.KKT > 1e-8 {
				t.Errorf("C %g: age %g, KKT %g", c, knot.Age, knot.KKT)
			}
		}
		search, err := baselines.ACS(t.Context(), p, []float64{3e-9}, baselines.ACSOptions{})
		if err != nil || search.Alternations > 10_000 || search.Unconverged > 0 {
			t.Errorf("C %g: %d alternations at an age of rounding, %v", c, search.Alternations, err)
		}
	}
}
