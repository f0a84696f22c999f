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

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
)

// front runs MOSPL and checks what every front promises.
func front(t testing.TB, p *gaga.Problem, o baselines.MOSPLOptions) *baselines.MOSPLFront {
	t.Helper()
	f, err := baselines.MOSPL(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	predictor, err := gaga.NewPredictor(p, p.X)
	if err != nil {
		t.Fatal(err)
	}
	u := make([]float64, p.X.Rows)
	last := 0.0
	for k, m := range f.Members {
		predictor.Predict(u, m.Knot.Theta)
		if loss, penalty := objectives(p, o.Order, m.Weights, u); !agree(loss, m.Loss) || !agree(penalty, m.Penalty) {
			t.Errorf("member %d has the objectives %v, %v, says %v, %v", k, loss, penalty, m.Loss, m.Penalty)
		}
		if r := stationarity(p, m.Weights, u, m.Knot.Theta); !(r <= 1e-8) || !(m.Knot.KKT <= 1e-8) {
			t.Errorf("member %d: KKT residual %v, its knot says %v", k, r, m.Knot.KKT)
		}
		for j, other := range f.Members[:k] {
			if other.Loss <= m.Loss && other.Penalty <= m.Penalty || m.Loss <= other.Loss && m.Penalty <= other.Penalty {
				t.Errorf("members %d and %d: one dominates the other: %v, %v and %v, %v", j, k, other.Loss, other.Penalty, m.Loss, m.Penalty)
			}
			if slices.Equal(other.Weights, m.Weights) {
				t.Errorf("members %d and %d have the same weights", j, k)
			}
		}
		if k > 0 && !(m.Penalty < f.Members[k-1].Penalty) || !(m.Knot.Age >= last) || !(m.Age > 0) {
			t.Errorf("member %d: second objective %v, age %v, implied %v", k, m.Penalty, m.Knot.Age, m.Age)
		}
		last = m.Knot.Age
	}
	if o.Population == 0 {
		o.Population = baselines.MOSPLPopulation
	}
	if n := len(f.Members) + f.Dominated + f.OneClass + f.Discarded; n != o.Population {
		t.Errorf("%d members, %d dominated, %d of one class, of %d", len(f.Members), f.Dominated, f.OneClass, o.Population)
	}
	return f
}

func agree(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

// objectives computes both from weights and predictors, after the papers.
func objectives(p *gaga.Problem, order float64, v, u []float64) (loss, penalty float64) {
	if order == 0 {
		order = baselines.MOSPLOrder
	}
	for i, w := range v {
		m := 1.0
		if p.Multiplicity != nil {
			m = p.Multiplicity[i]
		}
		l, _, _ := p.Loss.Eval(u[i], p.Y[i])
		loss += m * w * l
		switch r := p.Regularizer.(type) {
		case gaga.Hard:
			penalty -= m * w
		case gaga.Linear:
			penalty += m * (w*w/2 - w)
		case gaga.Polynomial:
			penalty += m * (math.Pow(w, r.Order)/r.Order - w)
		case gaga.Mixture:
			penalty += m * (math.Pow(w, order)/order - w)
		}
	}
	return loss, penalty
}

// stationarity is the relative violation of the optimality condition of the
// fit weighted with v: of multipliers and margins with a kernel, else of the
// gradient. It is 0 for the linear support vector machine, whose multipliers are not in θ.
func stationarity(p *gaga.Problem, v, u, theta []float64) float64 {
	multiplicity := func(i int) float64 {
		if p.Multiplicity == nil {
			return 1
		}
		return p.Multiplicity[i]
	}
	worst, last := 0.0, len(theta)-1
	if hinge, ok := p.Loss.(gaga.Hinge); ok {
		if p.Kernel == nil {
			return 0
		}
		var sum, all float64
		for i, alpha := range theta[:last] {
			top, margin := hinge.C*multiplicity(i)*v[i], p.Y[i]*u[i]
			worst = max(worst, -alpha, alpha-top)
			if top > 0 && alpha > 1e-10*top {
				worst = max(worst, margin-1)
			}
			if top > 0 && alpha < (1-1e-10)*top {
				worst = max(worst, 1-margin)
			}
			sum, all = sum+alpha*p.Y[i], all+alpha
		}
		return max(worst, math.Abs(sum)/(1+all))
	}
	gradient, scale := make([]float64, len(theta)), make([]float64, len(theta))
	for i, w := range v {
		_, slope, curvature := p.Loss.Eval(u[i], p.Y[i])
		slope, terms := w*multiplicity(i)*slope, w*multiplicity(i)*(math.Abs(slope)+curvature*math.Abs(u[i]))
		for j := range theta {
			x := 1.0
			if j < last {
				x = p.X.Data[i*p.X.Stride+j]
			}
			gradient[j] += slope * x
			scale[j] += terms * math.Abs(x)
		}
	}
	for j, w := range theta {
		l1, l2 := p.Penalty.L1, p.Penalty.L2
		if j == last {
			l1, l2 = 0, 0
			if !p.Intercept {
				continue
			}
		}
		off := max(0, math.Abs(gradient[j]+l2*w)-l1)
		if w != 0 {
			off = math.Abs(gradient[j] + l2*w + math.Copysign(l1, w))
		}
		if off > 0 {
			worst = max(worst, off/(scale[j]+l1+l2*math.Abs(w)))
		}
	}
	return worst
}

// blobs are labelled points of two clusters in the plane with some labels wrong;
// rows are there more than once where multiplicity is set.
func blobs(n int, multiplicity bool) (x blas64.General, y, m []float64) {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	x = blas64.General{Rows: n, Cols: 2, Stride: 2, Data: make([]float64, 2*n)}
	y = make([]float64, n)
	for i := range n {
		y[i] = float64(1 - 2*(i%2))
		x.Data[2*i], x.Data[2*i+1] = y[i]+rng.NormFloat64(), rng.NormFloat64()
		if i%7 == 0 {
			y[i] = -y[i]
		}
		if multiplicity {
			m = append(m, float64(1+i%3))
		}
	}
	return x, y, m
}

var small = baselines.MOSPLOptions{Population: 21, Generations: 45, Refit: 20, Seed: 7}

func TestMOSPLModels(t *testing.T) {
	t.Parallel()
	regularizers := []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.5}, gaga.Mixture{Gamma: 0.5}}
	for _, multiplicity := range []bool{false, true} {
		x, y, m := blobs(60, multiplicity)
		elastic := gaga.ElasticNet(x, y, m, 0.01, 0.5)
		elastic.Intercept = true
		for name, p := range map[string]*gaga.Problem{
			"lasso": gaga.Lasso(x, y, m, 0.01), "elastic net": elastic, "ridge": gaga.Ridge(x, y, m, 0.1),
			"logistic": gaga.LogisticRegression(x, y, m, 1), "linear svm": gaga.SVM(x, y, m, 1, nil), "rbf svm": gaga.SVM(x, y, m, 1, gaga.RBF{Gamma: 0.5}),
		} {
			for _, r := range regularizers {
				t.Run(fmt.Sprintf("%s, %s, multiplicity %v", name, r.Name(), multiplicity), func(t *testing.T) {
					t.Parallel()
					problem := *p
					problem.Regularizer = r
					o := small
					o.Order = 1.2
					f := front(t, &problem, o)
					if len(f.Members) < 8 {
						t.Errorf("%d members", len(f.Members))
					}
					// The fit to all, those that make four fifths of the first population,
					// and all of it before the first generation, after 20, 40 and 45.
					if want := 1 + 17 + 4*o.Population; f.Fits != want {
						t.Errorf("%d fits, want %d", f.Fits, want)
					}
					knots := f.Knots()
					if first, last := knots[0], knots[len(knots)-1]; first.Kind != gaga.Start || last.Kind != gaga.End || !(first.Age < last.Age) {
						t.Errorf("knots from %v at age %v to %v at age %v", first.Kind, first.Age, last.Kind, last.Age)
					}
				})
			}
		}
	}
}

func TestMOSPLDeterministic(t *testing.T) {
	t.Parallel()
	x, y, m := blobs(40, false)
	p := gaga.SVM(x, y, m, 1, nil)
	p.Regularizer = gaga.Linear{}
	run := func(seed uint64) []float64 {
		o := small
		o.Seed = seed
		var all []float64
		for _, member := range front(t, p, o).Members {
			all = append(append(all, member.Weights...), member.Knot.Theta...)
		}
		return all
	}
	if first := run(1); !slices.Equal(first, run(1)) {
		t.Error("the same seed gave other numbers")
	} else if slices.Equal(first, run(2)) {
		t.Error("another seed gave the same numbers")
	}
}

// TestMOSPLOneClass has one sample of a class, without which there is no fit.
func TestMOSPLOneClass(t *testing.T) {
	t.Parallel()
	x := blas64.General{Rows: 6, Cols: 1, Stride: 1, Data: []float64{0, 0.1, 0.2, 0, 0.1, 0.2}}
	p := gaga.LogisticRegression(x, []float64{1, 1, 1, 1, 1, -1}, nil, 10)
	p.Regularizer = gaga.Hard{}
	f := front(t, p, baselines.MOSPLOptions{Generations: 1}) // later ones have tiny weights instead of none
	if f.OneClass == 0 {
		t.Error("no individual dropped the only sample of its class")
	}
	for k, m := range f.Members {
		if m.Weights[5] == 0 && slices.Max(m.Weights) > 0 {
			t.Errorf("member %d has weights on one class only: %v", k, m.Weights)
		}
	}
}

// TestMOSPLDiscards wants every member to keep a sample at its implied age.
func TestMOSPLDiscards(t *testing.T) {
	t.Parallel()
	x, y, _ := blobs(20, false)
	for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.5}} {
		p := gaga.Lasso(x, y, nil, 0.01)
		p.Regularizer = r
		f := front(t, p, baselines.MOSPLOptions{Population: 40, Generations: 1})
		if f.Discarded == 0 {
			t.Errorf("%s: no individual is discarded, not even one without weights", r.Name())
		}
		for k, m := range f.Members {
			if m.Knot.Easy+m.Knot.Middle == 0 || slices.Max(m.Weights) == 0 {
				t.Errorf("%s: member %d of age %v keeps no sample", r.Name(), k, m.Age)
			}
		}
	}
}

func TestMOSPLRefuses(t *testing.T) {
	t.Parallel()
	x, y, m := blobs(10, false)
	for want, o := range map[string]baselines.MOSPLOptions{
		"Population is 3":   {Population: 3},
		"Generations is -1": {Generations: -1},
		"Refit is -5":       {Refit: -5},
		"Order is 1, need":  {Order: 1},
		"Order is NaN":      {Order: math.NaN()},
	} {
		p := gaga.Lasso(x, y, m, 0.1)
		p.Regularizer = gaga.Mixture{Gamma: 1}
		if _, err := baselines.MOSPL(t.Context(), p, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	for want, spoil := range map[string]func(p *gaga.Problem){
		"which log has not": func(p *gaga.Problem) { p.Regularizer = gaga.LOG{A: 1} },
		"needs a":           func(p *gaga.Problem) { p.Regularizer = nil },
		"Y has 9 targets":   func(p *gaga.Problem) { p.Y = p.Y[:9] },
	} {
		p := gaga.Lasso(x, y, m, 0.1)
		p.Regularizer = gaga.Linear{}
		spoil(p)
		if _, err := baselines.MOSPL(t.Context(), p, small); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := gaga.Lasso(x, y, m, 0.1)
	p.Regularizer = gaga.Linear{}
	if _, err := baselines.MOSPL(ctx, p, small); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search returned %v", err)
	}
}

func ExampleMOSPL() {
	p := column(gaga.Linear{})
	front, err := baselines.MOSPL(context.Background(), p, baselines.MOSPLOptions{Population: 20, Generations: 100, Refit: 20})
	if err != nil {
		log.Fatal(err)
	}
	least := front.Members[0].Weights[3]
	for _, m := range front.Members {
		least = min(least, m.Weights[3])
	}
	fmt.Printf("the outlier's least weight is %.1f\n", least)
	// Output:
	// the outlier's least weight is 0.0
}
