package baselines_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
)

// rival is a problem of testdata/golden_rivals.json with the coefficients by other programs: ridge
// regression, or logistic regression for classes. Of paths they are a list, null where there is no fit.
type rival struct {
	X        [][]float64
	Y        []float64
	Strength float64
	Classes  bool
	Group    []int
	Ages     []float64
	Want     map[string][][]float64
}

func (r *rival) problem() *gaga.Problem {
	x := blas64.General{Rows: len(r.X), Cols: len(r.X[0]), Stride: len(r.X[0]), Data: slices.Concat(r.X...)}
	if r.Classes {
		return gaga.LogisticRegression(x, r.Y, nil, r.Strength)
	}
	p := gaga.Ridge(x, r.Y, nil, r.Strength)
	p.Intercept = true
	return p
}

// TestRivals compares robust methods with independent programs on 40 problems each.
func TestRivals(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/golden_rivals.json")
	if err != nil {
		t.Fatal(err)
	}
	var rivals []rival
	if err := json.Unmarshal(data, &rivals); err != nil {
		t.Fatal(err)
	}
	worst, count := map[string]float64{}, map[string]int{}
	for k := range rivals {
		r := &rivals[k]
		p := r.problem()
		near := func(name string, got, want []float64) {
			t.Helper()
			if len(got) != len(want) {
				t.Errorf("problem %d, %s: %v, want %v", k, name, got, want)
				return
			}
			for j := range want {
				difference := math.Abs(got[j]-want[j]) / max(1, math.Abs(want[j]))
				worst[name] = max(worst[name], difference)
				if !(difference <= 1e-6) {
					t.Errorf("problem %d, %s: %v, want %v", k, name, got, want)
					return
				}
			}
			count[name]++
		}
		one := func(name string, fit *baselines.Fit, err error) {
			t.Helper()
			if err != nil {
				t.Errorf("problem %d, %s: %v", k, name, err)
				return
			}
			near(name, fit.Theta, r.Want[name][0])
		}
		path := func(name string, fits []*baselines.Fit, err error) {
			t.Helper()
			want := slices.DeleteFunc(slices.Clone(r.Want[name]), func(theta []float64) bool { return theta == nil })
			if err != nil || len(fits) != len(want) {
				t.Errorf("problem %d, %s: %d fits (%v), want %d", k, name, len(fits), err, len(want))
				return
			}
			for i := range fits {
				near(name, fits[i].Theta, want[i])
			}
		}
		ctx := t.Context()
		fit, err := baselines.TrimmedLoss(ctx, p, baselines.TrimOptions{})
		one("trimmed", fit, err)
		fits, err := baselines.Graduated(ctx, p, r.Ages)
		path("graduated", fits, err)
		fits, err = baselines.Diverse(ctx, p, []float64{0.5, 0.7, 0.9, 1}, r.Group, 0.8)
		path("diverse", fits, err)
		if r.Classes {
			fit, err = baselines.CrossEntropy(ctx, p, 0.7)
			one("gce", fit, err)
			fit, err = baselines.Forward(ctx, p, baselines.FlipRates{Negative: 0.1, Positive: 0.25}, 0)
			one("forward", fit, err)
			if fit, err = baselines.Forward(ctx, p, baselines.FlipRates{}, 0.9); err != nil {
				t.Fatal(err)
			}
			near("rates", []float64{fit.Rates.Negative, fit.Rates.Positive}, r.Want["rates"][0])
			continue
		}
		fit, err = baselines.HuberLasso(ctx, p, 0.4)
		one("huber", fit, err)
		fit, err = baselines.SparseLTS(ctx, p, baselines.TrimOptions{Raw: true})
		one("lts", fit, err)
		fit, err = baselines.MM(ctx, p, baselines.TrimOptions{})
		one("mm", fit, err)
		if fit != nil {
			near("s", []float64{fit.Trimmed}, r.Want["s"][0])
		}
		// R's programs have no penalty.
		bare := gaga.LeastSquares(p.X, p.Y, nil)
		bare.Intercept = true
		if fit, err = baselines.MM(ctx, bare, baselines.TrimOptions{}); err != nil {
			t.Fatal(err)
		}
		near("lmrob", append(fit.Theta, fit.Scale), r.Want["lmrob"][0])
		quan := r.Want["ltsReg"][0]
		kept := quan[len(quan)-1]
		fit, err = baselines.SparseLTS(ctx, bare, baselines.TrimOptions{Raw: true, Coverage: (kept + 0.5) / float64(len(p.Y)+1), Random: rand.New(rand.NewPCG(1, 1))})
		if err != nil {
			t.Fatal(err)
		}
		near("ltsReg", fit.Theta, quan[:len(quan)-1])
	}
	t.Logf("largest differences %v of %v", worst, count)
}

// TestRivalsLimits wants rivals whose settings leave nothing to do to be the plain fit or the curriculum.
func TestRivalsLimits(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 1))
	s := plane(rng, 40, 2, true, 0.2)
	for i := range s.y {
		s.multiplicity = append(s.multiplicity, float64(1+i%3))
	}
	ctx, logistic := t.Context(), gaga.LogisticRegression(s.x, s.y, s.multiplicity, 2)
	for name, p := range map[string]*gaga.Problem{
		"logistic": logistic, "svm": gaga.SVM(s.x, s.y, s.multiplicity, 2, nil), "rbf": gaga.SVM(s.x, s.y, s.multiplicity, 2, gaga.RBF{Gamma: 0.5}),
		"lasso": gaga.Lasso(s.x, s.y, s.multiplicity, 0.01), "elastic net": gaga.ElasticNet(s.x, s.y, s.multiplicity, 0.01, 0.5),
	} {
		theta, _, err := baselines.Original(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		want := predictions(t, p, theta, s.x)
		plain := func(what string, fit *baselines.Fit, err error) {
			t.Helper()
			if err != nil || !allWithin(predictions(t, p, fit.Theta, s.x), want, 1e-7) {
				t.Errorf("%s, %s: %+v (%v), the plain fit is %v", name, what, fit, err, theta)
			}
		}
		fit, err := baselines.TrimmedLoss(ctx, p, baselines.TrimOptions{Coverage: 1})
		plain("trimmed loss", fit, err)
		fits, err := baselines.Graduated(ctx, p, []float64{1e6})
		plain("graduated", fits[0], err)
		if p.Loss.Name() == "squared" {
			fit, err = baselines.HuberLasso(ctx, p, 1e3)
			plain("Huber", fit, err)
			fit, err = baselines.SparseLTS(ctx, p, baselines.TrimOptions{Coverage: 1, Raw: true, Starts: 2})
			plain("sparse LTS", fit, err)
		}
		q := *p
		q.Regularizer = gaga.Hard{}
		shares := baselines.Shares(0.5, 0.25)
		curriculum, err := baselines.ACSShares(ctx, &q, shares, baselines.ACSOptions{})
		if err != nil {
			t.Fatal(err)
		}
		fits, err = baselines.Diverse(ctx, p, shares, make([]int, 40), 0)
		if err != nil || len(fits) != len(curriculum.Knots) {
			t.Errorf("%s: %d fits without diversity (%v), %d by shares", name, len(fits), err, len(curriculum.Knots))
			continue
		}
		for k, knot := range curriculum.Knots {
			if got, want := predictions(t, p, fits[k].Theta, s.x), predictions(t, p, knot.Theta, s.x); !allWithin(got, want, 1e-6) || math.Abs(fits[k].Age-knot.Age) > 1e-9*knot.Age {
				t.Errorf("%s: without diversity %v at age %v, by shares %v at %v", name, got, fits[k].Age, want, knot.Age)
			}
		}
	}
	theta, _, err := baselines.Original(ctx, logistic)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := baselines.Forward(ctx, logistic, baselines.FlipRates{}, 0)
	if err != nil || !allWithin(fit.Theta, theta, 1e-7) {
		t.Errorf("forward without flips %+v (%v), the plain fit is %v", fit, err, theta)
	}
	fit, err = baselines.CrossEntropy(ctx, logistic, 1e-9)
	if err != nil || !allWithin(fit.Theta, theta, 1e-6) {
		t.Errorf("cross entropy near the logarithmic loss %+v (%v), the plain fit is %v", fit, err, theta)
	}
}

// TestRivalsExpanded wants the fit to merged rows to be that to each of their samples apart.
func TestRivalsExpanded(t *testing.T) {
	t.Parallel()
	for _, labels := range []bool{false, true} {
		s := plane(rand.New(rand.NewPCG(5, 1)), 40, 2, labels, 0.2)
		for i := range s.y {
			s.multiplicity = append(s.multiplicity, float64(1+i%3))
		}
		of := func(s *sample) *gaga.Problem {
			if labels {
				return gaga.LogisticRegression(s.x, s.y, s.multiplicity, 1)
			}
			return gaga.Ridge(s.x, s.y, s.multiplicity, 1)
		}
		methods := map[string]func(p *gaga.Problem) (*baselines.Fit, error){
			"trimmed loss": func(p *gaga.Problem) (*baselines.Fit, error) {
				return baselines.TrimmedLoss(t.Context(), p, baselines.TrimOptions{})
			},
			"graduated": func(p *gaga.Problem) (*baselines.Fit, error) {
				fits, err := baselines.Graduated(t.Context(), p, []float64{1})
				return fits[0], err
			},
			"MM": func(p *gaga.Problem) (*baselines.Fit, error) {
				return baselines.MM(t.Context(), p, baselines.TrimOptions{})
			},
		}
		if labels {
			delete(methods, "MM")
			methods["cross entropy"] = func(p *gaga.Problem) (*baselines.Fit, error) { return baselines.CrossEntropy(t.Context(), p, 0.7) }
			methods["forward"] = func(p *gaga.Problem) (*baselines.Fit, error) {
				return baselines.Forward(t.Context(), p, baselines.FlipRates{}, 0.97)
			}
		}
		for name, fit := range methods {
			asExpanded(t, name, s, of(s), of(s.expanded()), 1e-6, fit)
		}
	}
}

// TestRivalsExactFit wants the plane of most rows where they are on it, also by all rows.
func TestRivalsExactFit(t *testing.T) {
	t.Parallel()
	for _, outliers := range []int{0, 8} {
		rng := rand.New(rand.NewPCG(4, 1))
		s := plane(rng, 24, 2, false, 0)
		for i := range s.y {
			if s.y[i] = 1 + s.row(i)[0] + 2*s.row(i)[1]; i < outliers {
				s.y[i] += 5 + rng.Float64()
			}
		}
		p := gaga.LeastSquares(s.x, s.y, nil)
		p.Intercept = true
		of := func(name string, fit *baselines.Fit, err error) {
			t.Helper()
			if err != nil || !allWithin(fit.Theta, []float64{1, 2, 1}, 1e-7) {
				t.Errorf("%d outliers, %s: %+v (%v), want 1, 2, 1", outliers, name, fit, err)
			}
		}
		fit, err := baselines.MM(t.Context(), p, baselines.TrimOptions{})
		of("MM", fit, err)
		fit, err = baselines.SparseLTS(t.Context(), p, baselines.TrimOptions{Coverage: 0.6})
		of("LTS", fit, err)
		fits, err := baselines.Diverse(t.Context(), p, []float64{0.6}, make([]int, 24), 1)
		if outliers == 0 {
			of("SPLD", fits[0], err)
		}
		fits, err = baselines.Graduated(t.Context(), p, []float64{0.01})
		of("GNC", fits[0], err)
	}
}

// TestClusters finds three clusters far apart, and wants rows at the nearest mean.
func TestClusters(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 1))
	s := plane(rng, 90, 3, false, 0)
	for i := range 90 {
		s.row(i)[i%3] += 30
	}
	group := baselines.Clusters(s.x, 3, rng)
	for i := range group {
		if group[i] != group[i%3] || i < 3 && slices.Contains(group[:i], group[i]) {
			t.Fatalf("clusters %v", group)
		}
	}
	if group = baselines.Clusters(blas64.General{Rows: 5, Cols: 1, Stride: 1, Data: []float64{2, 2, 1, 1, 2}}, 4, rng); group[0] != group[1] || group[0] == group[2] {
		t.Errorf("clusters of two values: %v", group)
	}
}

func TestRivalsRefuse(t *testing.T) {
	t.Parallel()
	s := plane(rand.New(rand.NewPCG(2, 1)), 10, 1, true, 0)
	ridge, logistic := gaga.Ridge(s.x, s.y, nil, 1), gaga.LogisticRegression(s.x, s.y, nil, 1)
	for want, call := range map[string]func() (any, error){
		"not least squares":   func() (any, error) { return baselines.MM(t.Context(), logistic, baselines.TrimOptions{}) },
		"logistic regression": func() (any, error) { return baselines.CrossEntropy(t.Context(), ridge, 0.7) },
		"at most 1":           func() (any, error) { return baselines.CrossEntropy(t.Context(), logistic, 1.1) },
		"sum below 1": func() (any, error) {
			return baselines.Forward(t.Context(), logistic, baselines.FlipRates{Negative: 0.5, Positive: 0.5}, 0)
		},
		"coverage": func() (any, error) {
			return baselines.TrimmedLoss(t.Context(), ridge, baselines.TrimOptions{Coverage: 0.4})
		},
		"0 groups for 10 rows": func() (any, error) {
			return baselines.Diverse(t.Context(), ridge, []float64{1}, nil, 1)
		},
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error that says %q: %v", want, err)
		}
	}
}
