package baselines_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/baselines"
	"github.com/agepath/agepath/gaga"
)

var (
	tinySeed     = flag.Uint64("tiny-seed", 0, "first seed of TestTiny")
	tinyProblems = flag.Int("tiny-problems", 300, "problems of TestTiny")
)

// tiny draws up to 12 rows that determine little: of constant, tied and repeated values, of any
// size, with one class or one target.
func tiny(r *rand.Rand, labels bool) *sample {
	n, d := 1+r.IntN(12), 1+r.IntN(4)
	s := newSample(n, d)
	sizes := []float64{0, 1e-8, 1, 1, 1, 1e4, 1e8}
	for j := range d {
		size, kind := sizes[r.IntN(len(sizes))], r.IntN(3)
		level := r.NormFloat64()
		for i := range n {
			s.row(i)[j] = size * []float64{level, float64(r.IntN(3)), r.NormFloat64()}[kind]
		}
	}
	size, kind := sizes[1+r.IntN(len(sizes)-1)], r.IntN(3)
	for i := range s.y {
		s.y[i] = []float64{1, float64(r.IntN(3)), r.NormFloat64()}[kind]
		if labels {
			s.y[i] = []float64{1, math.Copysign(1, s.y[i]-0.5), float64(2*(i%2) - 1)}[kind]
		} else {
			s.y[i] *= size
		}
	}
	for i := range n - 1 {
		if r.IntN(6) == 0 {
			copy(s.row(i+1), s.row(i))
		}
	}
	if r.IntN(3) == 0 {
		s.multiplicity = make([]float64, n)
		for i := range s.multiplicity {
			s.multiplicity[i] = float64(1 + r.IntN(3))
		}
	}
	return s
}

// fault returns what is wrong with a solution, "" for nothing: numbers that are none, an objective
// claimed below what it is, or weights that are all zero.
func (s *sample) fault(t *testing.T, p *gaga.Problem, theta, weights []float64, claimed, kkt, tolerance float64, objective func(u []float64) (value, terms float64)) string {
	t.Helper()
	u := predictions(t, p, theta, s.x)
	sum := 0.0
	for i, v := range weights {
		if sum += v; !(v >= 0 && v <= 1) {
			return fmt.Sprintf("weight %v of row %d", v, i)
		}
	}
	for i, v := range u {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprintf("row %d is predicted %v", i, v)
		}
	}
	switch value, terms := objective(u); {
	case !(sum > 0):
		return "all weights are 0"
	case !(kkt >= 0 && kkt <= tolerance):
		return fmt.Sprintf("residual %v", kkt)
	case !(claimed >= value-1e-9*terms-math.SmallestNonzeroFloat32):
		return fmt.Sprintf("objective %v is claimed, it is %v", claimed, value)
	}
	return ""
}

// m returns the multiplicity of a row.
func (s *sample) m(i int) float64 {
	if s.multiplicity == nil {
		return 1
	}
	return s.multiplicity[i]
}

// terms returns the size of the terms of a row's residual.
func (s *sample) terms(kernel gaga.Kernel, theta []float64, i int) float64 {
	k, sum := gram(s.x, kernel), math.Abs(s.y[i])+math.Abs(theta[len(theta)-1])
	for j, w := range theta[:len(theta)-1] {
		if kernel != nil {
			sum += math.Abs(w * k.At(i, j))
		} else {
			sum += math.Abs(w * s.row(i)[j])
		}
	}
	return sum
}

// squaredNorm returns ‖w‖², and the size of its terms.
func (s *sample) squaredNorm(kernel gaga.Kernel, theta []float64) (sum, size float64) {
	if kernel == nil {
		for _, w := range theta[:s.x.Cols] {
			sum += w * w
		}
		return sum, sum
	}
	k := gram(s.x, kernel)
	for i := range s.y {
		for j := range s.y {
			term := theta[i] * theta[j] * k.At(i, j)
			sum, size = sum+term, size+math.Abs(term)
		}
	}
	return sum, size
}

// leastSquares returns ½‖w‖² + (C/2) Σ m loss(i, e²) by predictors, and the size of its terms.
func (s *sample) leastSquares(kernel gaga.Kernel, c float64, theta []float64, loss func(i int, square float64) float64) func(u []float64) (float64, float64) {
	return func(u []float64) (float64, float64) {
		sum, size := s.squaredNorm(kernel, theta)
		for i, v := range u {
			e, terms := s.y[i]-v, s.terms(kernel, theta, i)
			sum += c * s.m(i) * loss(i, e*e)
			size += c * s.m(i) * (e*e + 1e-4*math.Abs(e)*terms + 1e-19*terms*terms)
		}
		return sum / 2, size / 2
	}
}

// TestTiny runs every competitor on data that determine little: each ends with an error or with a
// solution of finite numbers and samples of weight whose objective is not below what it is.
func TestTiny(t *testing.T) {
	t.Parallel()
	solved, failed := map[string]int{}, map[string]int{}
	for seed := *tinySeed; seed < *tinySeed+uint64(*tinyProblems); seed++ {
		r := rand.New(rand.NewPCG(seed, 38))
		labels := r.IntN(2) == 0
		s := tiny(r, labels)
		c := math.Pow(10, float64(r.IntN(7)-3))
		kernel := kernels[r.IntN(len(kernels))].kernel
		record := func(method string, err error, fault string) {
			switch {
			case err != nil && err.Error() != "":
				failed[method]++
			case fault != "":
				t.Errorf("seed %d, %s: %s", seed, method, fault)
			default:
				solved[method]++
			}
		}
		ls := baselines.LSSVM(s.x, s.y, s.multiplicity, c, kernel)
		trimmed, err := baselines.RLSSVM(t.Context(), ls, baselines.TrimOptions{Starts: 3})
		fault := ""
		if err == nil {
			fault = s.fault(t, ls, trimmed.Theta, trimmed.Weights, trimmed.Objective, trimmed.KKT, 1e-8,
				s.leastSquares(kernel, c, trimmed.Theta, func(i int, square float64) float64 { return trimmed.Weights[i] * square }))
		}
		record("rlssvm", err, fault)
		bound := math.Pow(10, float64(r.IntN(3)-1))
		truncated, err := baselines.ReLSSVM(t.Context(), ls, bound)
		if fault = ""; err == nil {
			fault = s.fault(t, ls, truncated.Theta, truncated.Weights, truncated.Objective, truncated.KKT, 1e-8,
				s.leastSquares(kernel, c, truncated.Theta, func(_ int, square float64) float64 { return math.Min(square, bound*bound) }))
		}
		record("relssvm", err, fault)
		s.tinyHuber(t, r, record)
		if labels {
			p := gaga.SVM(s.x, s.y, s.multiplicity, c, kernel)
			p.Intercept = true
			fit, err := baselines.RobustSVM(t.Context(), p, 0.1)
			if fault = ""; err == nil { // 0 is feasible in the dual, whose maximum it is
				fault = s.fault(t, p, fit.Theta, fit.Weights, fit.Objective, fit.KKT, 1e-8, func([]float64) (float64, float64) { return 0, 0 })
			}
			record("robust-svm", err, fault)
		}
		s.tinySelfPaced(t, r, labels, kernel, c, record)
	}
	t.Logf("solved %v, errors %v", solved, failed)
	for _, method := range []string{"rlssvm", "relssvm", "huber", "robust-svm", "acs", "acs-once", "mospl"} {
		if solved[method] < *tinyProblems/10 {
			t.Errorf("%s solved %d of %d problems", method, solved[method], *tinyProblems)
		}
	}
}

func (s *sample) tinyHuber(t *testing.T, r *rand.Rand, record func(string, error, string)) {
	t.Helper()
	alpha, delta := math.Pow(10, float64(r.IntN(5)-3)), math.Pow(10, float64(r.IntN(3)-1))
	p := gaga.Lasso(s.x, s.y, s.multiplicity, alpha)
	p.Intercept = r.IntN(2) == 0
	fit, err := baselines.HuberLasso(t.Context(), p, delta)
	if err != nil {
		record("huber", err, "")
		return
	}
	record("huber", nil, s.fault(t, p, fit.Theta, ones(len(s.y)), fit.Objective, fit.KKT, 1e-8, func(u []float64) (sum, size float64) {
		total := 0.0
		for i := range s.y {
			total += s.m(i)
		}
		for i, v := range u {
			e := math.Abs(s.y[i] - v)
			loss := e * e / 2
			if e > delta {
				loss = delta*e - delta*delta/2
			}
			sum += s.m(i) * loss / total
			size += s.m(i) * (loss + delta*1e-5*s.terms(nil, fit.Theta, i)) / total
		}
		for _, w := range fit.Theta[:s.x.Cols] {
			sum += alpha * math.Abs(w)
			size += alpha * math.Abs(w)
		}
		return sum, size
	}))
}

// tinySelfPaced runs the searches of self-paced learning.
func (s *sample) tinySelfPaced(t *testing.T, r *rand.Rand, labels bool, kernel gaga.Kernel, c float64, record func(string, error, string)) {
	t.Helper()
	var p *gaga.Problem
	switch {
	case labels && r.IntN(2) == 0:
		p = gaga.SVM(s.x, s.y, s.multiplicity, c, kernel)
	case labels:
		p = gaga.LogisticRegression(s.x, s.y, s.multiplicity, c)
	case r.IntN(2) == 0:
		p = gaga.Ridge(s.x, s.y, s.multiplicity, 1/c)
	default:
		p = gaga.Lasso(s.x, s.y, s.multiplicity, 1/c)
	}
	p.Intercept = r.IntN(3) > 0
	p.Regularizer = []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.5}}[r.IntN(3)]
	unit := 1.0
	if svm, ok := p.Loss.(gaga.Hinge); ok {
		unit = svm.C
	}
	ages := []float64{0.01 * unit, 0.3 * unit, unit, 3 * unit, 100 * unit, 1e6 * unit}
	knots := func(method string, err error, list []gaga.Knot, most float64, weights func(k int, u []float64) []float64) {
		for k := range list {
			knot := &list[k]
			u := predictions(t, p, knot.Theta, s.x)
			if fault := s.fault(t, p, knot.Theta, weights(k, u), knot.Objective, knot.KKT, most, func([]float64) (float64, float64) { return s.implicit(p, knot, u) }); fault != "" {
				record(method, nil, fmt.Sprintf("%s, age %v: %s", p.Regularizer.Name(), knot.Age, fault))
				return
			}
		}
		if err == nil && len(list) == 0 {
			record(method, nil, "no knot, and no error")
			return
		}
		record(method, err, "")
	}
	own := func(list []gaga.Knot) func(k int, u []float64) []float64 {
		return func(k int, u []float64) []float64 {
			v := make([]float64, len(u))
			for i := range u {
				loss, _, _ := p.Loss.Eval(u[i], s.y[i])
				v[i] = weight(p.Regularizer, loss, list[k].Age)
			}
			return v
		}
	}
	for _, method := range []string{"acs", "acs-once"} {
		o, most := baselines.ACSOptions{Limit: 2000}, 1e-6
		if method == "acs-once" {
			o, most = baselines.ACSOptions{Tolerance: math.Inf(1)}, math.MaxFloat64 // its residuals are of the order 1
		}
		path, err := baselines.ACS(t.Context(), p, ages, o)
		if path.Unconverged > 0 {
			most = math.MaxFloat64
		}
		knots(method, err, path.Knots, most, own(path.Knots))
	}
	f, err := baselines.MOSPL(t.Context(), p, baselines.MOSPLOptions{Population: 6, Generations: 6, Refit: 3})
	if err != nil {
		record("mospl", err, "")
		return
	}
	for k := range f.Members {
		f.Members[k].Knot.Age = f.Members[k].Age // its objective is that of the implied one
	}
	knots("mospl", nil, f.Knots(), 1e-8, func(k int, _ []float64) []float64 { return f.Members[k].Weights })
}

// implicit returns the implicit objective at a knot, and the size of its terms.
func (s *sample) implicit(p *gaga.Problem, knot *gaga.Knot, u []float64) (sum, size float64) {
	if p.Kernel != nil {
		n := len(s.y)
		signed := blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)}
		for i, a := range knot.Theta[:n] {
			signed.Data[i] = a * s.y[i]
		}
		sum, size = s.squaredNorm(p.Kernel, signed.Data)
		sum, size = sum*p.Penalty.L2/2, size*p.Penalty.L2/2
	} else {
		for _, w := range knot.Theta[:s.x.Cols] {
			sum += p.Penalty.L2*w*w/2 + p.Penalty.L1*math.Abs(w)
		}
		size = sum
	}
	age := knot.Age
	for i, v := range u {
		loss, slope, _ := p.Loss.Eval(v, s.y[i])
		least := math.Min(loss, age)
		switch r := p.Regularizer.(type) {
		case gaga.Linear:
			least -= least * least / (2 * age)
		case gaga.Polynomial:
			q := r.Order / (r.Order - 1)
			least = -age / q * math.Expm1(q*math.Log1p(-least/age))
		}
		sum += s.m(i) * least
		terms := s.terms(p.Kernel, knot.Theta, i)
		if svm, ok := p.Loss.(gaga.Hinge); ok { // its scores are resolved to 1e-7
			slope = 1e7 * svm.C / terms
		}
		size += s.m(i) * (least + math.Min(1e9*age, 1e-5*math.Abs(slope)*terms) + 1e-21*terms*terms)
	}
	return sum, size
}
