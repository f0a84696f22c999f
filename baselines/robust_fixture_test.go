package baselines_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
)

// sample is n rows of d features with their targets.
type sample struct {
	x            blas64.General
	y            []float64
	multiplicity []float64
}

func newSample(n, d int) *sample {
	return &sample{x: blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}, y: make([]float64, n)}
}

func (s *sample) row(i int) []float64 { return s.x.Data[i*s.x.Stride : i*s.x.Stride+s.x.Cols] }

// expanded repeats every row as often as its multiplicity says.
func (s *sample) expanded() *sample {
	e := &sample{x: blas64.General{Cols: s.x.Cols, Stride: s.x.Cols}}
	for i, m := range s.multiplicity {
		for range int(m) {
			e.x.Data = append(e.x.Data, s.row(i)...)
			e.y = append(e.y, s.y[i])
			e.x.Rows++
		}
	}
	return e
}

// plane draws targets x·w + 1 with noise of 0.1, or labels that are their signs
// with 1/2 instead of 1. A share of random outliers gets a target far off, or the
// other label.
func plane(random *rand.Rand, n, d int, labels bool, outliers float64) *sample {
	s := unspoiled(random, n, d, labels)
	s.spoil(random, labels, random.Perm(n)[:int(outliers*float64(n))])
	return s
}

// adversarial is a plane whose wrong labels are those farthest from the boundary.
func adversarial(random *rand.Rand, n, d int, outliers float64) *sample {
	s := unspoiled(random, n, d, true)
	order := random.Perm(n)
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(s.y[j]), math.Abs(s.y[i])) })
	s.spoil(random, true, order[:int(outliers*float64(n))])
	return s
}

func unspoiled(random *rand.Rand, n, d int, labels bool) *sample {
	s := newSample(n, d)
	for i := range n {
		u := 0.1*random.NormFloat64() + 1
		if labels {
			u -= 0.5
		}
		for j := range d {
			v := random.NormFloat64()
			s.x.Data[i*d+j] = v
			u += v * float64(j%3+1)
		}
		s.y[i] = u
	}
	return s
}

// clusters draws two of them, 3 apart, with a share of random wrong labels.
func clusters(random *rand.Rand, n, d int, outliers float64) *sample {
	s := newSample(n, d)
	for i := range n {
		row := s.row(i)
		for j := range row {
			row[j] = random.NormFloat64()
		}
		s.y[i] = float64(2*(i%2) - 1)
		row[0] += 1.5 * s.y[i]
	}
	s.spoil(random, true, random.Perm(n)[:int(outliers*float64(n))])
	return s
}

// wave draws sin(3x₁) + x₂ with noise of 0.1, or its sign where its size exceeds
// 0.4. A share of random outliers gets a target far off, or the other label.
func wave(random *rand.Rand, n int, labels bool, outliers float64) *sample {
	s := newSample(n, 2)
	for i := 0; i < n; i++ {
		row := s.row(i)
		row[0], row[1] = 4*random.Float64()-2, 2*random.Float64()-1
		s.y[i] = math.Sin(3*row[0]) + row[1] + 0.1*random.NormFloat64()
		if labels && math.Abs(s.y[i]) < 0.4 {
			i-- // draw it again
		}
	}
	s.spoil(random, labels, random.Perm(n)[:int(outliers*float64(n))])
	return s
}

// spoil makes labels of the targets where asked, and outliers of the rows.
func (s *sample) spoil(random *rand.Rand, labels bool, rows []int) {
	if labels {
		for i, u := range s.y {
			s.y[i] = math.Copysign(1, u)
		}
	}
	for _, i := range rows {
		if labels {
			s.y[i] = -s.y[i]
		} else {
			s.y[i] += 10 + 5*random.NormFloat64()
		}
	}
}

// gram is the kernel matrix by its definition.
func gram(x blas64.General, kernel gaga.Kernel) *mat.SymDense {
	k := mat.NewSymDense(x.Rows, nil)
	for i := range x.Rows {
		for j := range i + 1 {
			dot, distance := 0.0, 0.0
			for l := range x.Cols {
				a, b := x.Data[i*x.Stride+l], x.Data[j*x.Stride+l]
				dot += a * b
				distance += (a - b) * (a - b)
			}
			if rbf, ok := kernel.(gaga.RBF); ok {
				dot = math.Exp(-rbf.Gamma * distance)
			}
			k.SetSym(i, j, dot)
		}
	}
	return k
}

// reference solves the weighted least squares support vector machine by the
// indefinite system of Suykens and Vandewalle over the samples with weight,
// and returns the residuals and ½‖w‖² + (C/2) Σ a e².
func reference(t testing.TB, s *sample, kernel gaga.Kernel, c float64, a []float64) (residual []float64, objective float64) {
	t.Helper()
	k := gram(s.x, kernel)
	var active []int
	for i, v := range a {
		if v > 0 {
			active = append(active, i)
		}
	}
	m := len(active)
	system, right := mat.NewDense(m+1, m+1, nil), mat.NewVecDense(m+1, nil)
	for p, i := range active {
		for q, j := range active {
			system.Set(p, q, k.At(i, j))
		}
		system.Set(p, p, k.At(i, i)+1/(c*a[i]))
		system.Set(p, m, 1)
		system.Set(m, p, 1)
		right.SetVec(p, s.y[i])
	}
	var solution mat.VecDense
	if err := solution.SolveVec(system, right); err != nil {
		t.Fatal(err)
	}
	residual = make([]float64, len(s.y))
	for i := range residual {
		u := solution.AtVec(m)
		for p, j := range active {
			u += solution.AtVec(p) * k.At(i, j)
		}
		residual[i] = s.y[i] - u
	}
	for p, i := range active {
		objective += (solution.AtVec(p)*(s.y[i]-residual[i]-solution.AtVec(m)) + c*a[i]*residual[i]*residual[i]) / 2
	}
	return residual, objective
}

// predictions are what a fit says of the rows of x.
func predictions(t testing.TB, p *gaga.Problem, theta []float64, x blas64.General) []float64 {
	t.Helper()
	predictor, err := gaga.NewPredictor(p, x)
	if err != nil {
		t.Fatal(err)
	}
	u := make([]float64, x.Rows)
	predictor.Predict(u, theta)
	return u
}

// ones are n weights.
func ones(n int) []float64 {
	a := make([]float64, n)
	for i := range a {
		a[i] = 1
	}
	return a
}

// near compares residuals with predictions.
func near(t *testing.T, what string, s *sample, u, residual []float64, tolerance float64) {
	t.Helper()
	for i := range u {
		if d := math.Abs(s.y[i] - residual[i] - u[i]); !(d <= tolerance) {
			t.Errorf("%s: row %d is predicted %v, want %v", what, i, u[i], s.y[i]-residual[i])
		}
	}
}

var kernels = []struct {
	name   string
	kernel gaga.Kernel
}{{"linear", nil}, {"rbf", gaga.RBF{Gamma: 0.5}}}

// plain is the least squares support vector machine itself.
func plain(t testing.TB, p *gaga.Problem) *baselines.Fit {
	t.Helper()
	fit, err := baselines.ReLSSVM(t.Context(), p, math.Inf(1))
	if err != nil {
		t.Fatal(err)
	}
	return fit
}

// asExpanded wants the fit to merged rows to be that to each of their samples apart.
func asExpanded(t *testing.T, name string, s *sample, merged, apart *gaga.Problem, within float64, fit func(p *gaga.Problem) (*baselines.Fit, error)) {
	t.Helper()
	one, err := fit(merged)
	if err != nil {
		t.Fatal(err)
	}
	two, err := fit(apart)
	if err != nil {
		t.Fatal(err)
	}
	u, v := predictions(t, merged, one.Theta, s.x), predictions(t, apart, two.Theta, s.x)
	for i := range u {
		if math.Abs(u[i]-v[i]) > within {
			t.Errorf("%s: row %d is predicted %v, expanded %v", name, i, u[i], v[i])
		}
	}
	if math.Abs(one.Objective-two.Objective) > within*one.Objective {
		t.Errorf("%s: objective %v, expanded %v", name, one.Objective, two.Objective)
	}
}
