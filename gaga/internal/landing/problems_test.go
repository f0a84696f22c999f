package landing

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/newton"
	"github.com/agepath/agepath/gaga/internal/search"
	"github.com/agepath/agepath/gaga/internal/window"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/kernel"
)

// The losses and regularizers of these tests are their own: package gaga is above.

type squared struct{}

func (squared) Eval(u, y float64) (loss, slope, curvature float64) {
	return (u - y) * (u - y), 2 * (u - y), 2
}

type hinge struct{ cost float64 }

func (h hinge) Eval(u, y float64) (loss, slope, curvature float64) {
	if y*u < 1 {
		return h.cost * (1 - y*u), -h.cost * y, 0
	}
	return 0, 0, 0
}

type logistic struct{}

func (l logistic) Eval(u, y float64) (loss, slope, curvature float64) {
	var out [3][1]float64
	l.EvalAll([]float64{u}, []float64{y}, out[0][:], out[1][:], out[2][:])
	return out[0][0], out[1][0], out[2][0]
}

func (logistic) EvalAll(u, y, loss, slope, curvature []float64) {
	kernel.Logistic(u, y, loss, slope, curvature)
}

// regularizer is one with its zones; series is nil where it has none.
type regularizer struct {
	name string
	model.Regularizer
	zones  []model.Zone
	series func(zone int, age float64) model.Series
}

var (
	hardly     = regularizer{"hard", hard{}, []model.Zone{{Name: "easy", Break: true}, {Name: "discarded"}}, hard{}.series}
	linearly   = regularizer{"linear", linear{}, []model.Zone{{Name: "easy"}, {Name: "discarded"}}, linear{}.series}
	powerfully = regularizer{"power", power{}, []model.Zone{{Name: "easy"}, {Name: "discarded"}}, nil}
	partially  = regularizer{"mixture", mixture{0.5}, []model.Zone{{Name: "easy", Closed: true}, {Name: "middle"}, {Name: "discarded"}}, nil}
	slowly     = regularizer{"log", slow{}, []model.Zone{{Name: "easy", Closed: true}, {Name: "discarded"}}, nil}
	everyone   = []regularizer{hardly, linearly, powerfully, partially, slowly}
)

// atAge has its threshold at the age.
type atAge struct{}

func (atAge) Threshold(_ int, age float64) (loss, slope float64) { return age, 1 }

type hard struct{ atAge }

func (hard) Weight(k int, _, _ float64) (v, dloss, dage float64) { return float64(1 - k), 0, 0 }
func (hard) Integral(loss, age float64) float64                  { return math.Min(loss, age) }

func (hard) series(zone int, age float64) model.Series {
	if zone == 0 {
		return model.Series{F: [4]float64{2: 1}}
	}
	return model.Series{F: [4]float64{age}, Rate: [4]float64{1}}
}

type linear struct{ atAge }

func (linear) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k == 1 {
		return 0, 0, 0
	}
	return 1 - loss/age, -1 / age, loss / (age * age)
}

func (linear) Integral(loss, age float64) float64 {
	loss = math.Min(loss, age)
	return loss - loss*loss/(2*age)
}

func (linear) series(zone int, age float64) model.Series {
	if zone == 0 {
		return model.Series{F: [4]float64{2: 1, 3: -1 / (2 * age)}, Rate: [4]float64{3: 1 / (2 * age * age)}}
	}
	return model.Series{F: [4]float64{age / 2}, Rate: [4]float64{0.5}}
}

// power has the weight (1 - l/λ)².
type power struct{ atAge }

func (power) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k == 1 {
		return 0, 0, 0
	}
	x := 1 - loss/age
	return x * x, -2 * x / age, 2 * x * loss / (age * age)
}

func (power) Integral(loss, age float64) float64 {
	x := math.Max(0, 1-loss/age)
	return age / 3 * (1 - x*x*x)
}

// mixture has the weight 1 up to a first threshold and γ(1/√l - 1/λ) up to λ².
type mixture struct{ gamma float64 }

func (m mixture) Threshold(k int, age float64) (loss, slope float64) {
	if k == 1 {
		return age * age, 2 * age
	}
	ratio := m.gamma / (age + m.gamma)
	return age * ratio * age * ratio, 2 * age * ratio * ratio * ratio
}

func (m mixture) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	switch k {
	case 0:
		return 1, 0, 0
	case 1:
		root := math.Sqrt(loss)
		return m.gamma * (1/root - 1/age), -m.gamma / (2 * loss * root), m.gamma / (age * age)
	}
	return 0, 0, 0
}

func (m mixture) Integral(loss, age float64) float64 {
	low, _ := m.Threshold(0, age)
	if loss <= low {
		return loss
	}
	top := math.Min(loss, age*age)
	return low + m.gamma*(2*(math.Sqrt(top)-math.Sqrt(low))-(top-low)/age)
}

// slow has the weight 1 up to the age and (1+λ)/(1+l) beyond.
type slow struct{ atAge }

func (slow) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k == 0 {
		return 1, 0, 0
	}
	v = (1 + age) / (1 + loss)
	return v, -v / (1 + loss), 1 / (1 + loss)
}

func (slow) Integral(loss, age float64) float64 {
	return math.Min(loss, age) + (1+age)*math.Log((1+math.Max(loss, age))/(1+age))
}

// data are rows with targets and multiplicities.
type data struct {
	n, d    int
	x, y, m []float64
}

// problem returns that of the data, with a penalty on the features.
func (s data) problem(loss model.Loss, r regularizer, l1, l2 float64, intercept bool) *model.Problem {
	p := &model.Problem{
		Samples:   model.Samples{N: s.n, P: s.d, X: blas64.General{Rows: s.n, Cols: s.d, Stride: s.d, Data: s.x}, Y: s.y, M: s.m, Intercept: intercept},
		Criterion: model.Criterion{Loss: loss},
	}
	if intercept {
		p.P++
	}
	p.L1, p.L2 = make([]float64, p.P), make([]float64, p.P)
	for j := range s.d {
		p.L1[j], p.L2[j] = l1, l2
	}
	for i := range s.n {
		p.Total += s.m[i]
		if p.Rows = append(p.Rows, s.x[i*s.d:(i+1)*s.d]...); intercept {
			p.Rows = append(p.Rows, 1)
		}
	}
	switch l := loss.(type) {
	case squared:
		p.Squared = true
	case hinge:
		p.Cost = l.cost
	case logistic:
		p.OneSided = true
	}
	p.Zoning = model.NewZoning(r, r.zones, r.series, p.Cost > 0)
	return p
}

// solver returns one of the weighted problems.
func solverOf(p *model.Problem) convex.Solver {
	switch {
	case p.Squared:
		return convex.NewLasso(p.X, p.Y, p.L1[0]/(2*p.Total), p.Total, p.Intercept)
	case p.Kinked():
		s, err := convex.NewLinearSVM(p.X, p.Y, p.Cost/p.L2[0], p.Intercept)
		if err != nil {
			panic(err)
		}
		return s
	}
	return convex.NewLogistic(p.X, p.Y, 1/p.L2[0], p.Intercept)
}

// landerOf returns one of a problem, with every step checked.
func landerOf(p *model.Problem, o Options) (*Lander, *condition.Primal) {
	c := condition.NewPrimal(p)
	o.Last, o.Verify = 20, true
	return New(c, newton.New(c), search.New(p, solverOf(p)), window.New(c, o.Last), o), c
}

// twoPopulations are rows of which a third follow another coefficient vector, so that a
// path of the squared loss jumps.
func twoPopulations(random *rand.Rand, n, d int) data {
	s := data{n, d, make([]float64, n*d), make([]float64, n), ones(n)}
	one, other := make([]float64, d), make([]float64, d)
	for j := range d {
		one[j], other[j] = random.NormFloat64(), random.NormFloat64()
	}
	for i := range n {
		w := one
		if i%3 == 0 {
			w = other
		}
		s.y[i] = 0.1 * random.NormFloat64()
		for j := range d {
			s.x[i*d+j] = random.NormFloat64()
			s.y[i] += w[j] * s.x[i*d+j]
		}
	}
	return s
}

func ones(n int) []float64 {
	m := make([]float64, n)
	for i := range m {
		m[i] = 1
	}
	return m
}

// overlapping are two classes that overlap, of which some rows come twice.
func overlapping(random *rand.Rand, n, d int) data {
	s := data{n, d, make([]float64, n*d), make([]float64, n), ones(n)}
	for i := range n {
		s.y[i] = float64(2*(i%2) - 1)
		for j := range d {
			s.x[i*d+j] = 0.4*s.y[i] + random.NormFloat64()
		}
		if i > 0 && random.IntN(20) == 0 {
			copy(s.x[i*d:(i+1)*d], s.x[(i-1)*d:i*d])
		}
	}
	if random.IntN(2) == 0 {
		for i := range s.m {
			s.m[i] = float64(1 + random.IntN(3))
		}
	}
	return s
}

// outliers makes some rows a hundred times as long, whose predictors are sums of large
// terms, and others hardly different from the rows before them.
func outliers(random *rand.Rand, s data) {
	row := func(i int) []float64 { return s.x[i*s.d : (i+1)*s.d] }
	for i := 1; i < s.n; i++ {
		switch random.IntN(20) {
		case 0:
			for j := range row(i) {
				row(i)[j] *= 100
			}
		case 1:
			for j, x := range row(i - 1) {
				row(i)[j] = x + 1e-6*random.NormFloat64()
			}
		}
	}
}

// far returns the distance of two vectors relative to the larger.
func far(a, b []float64) float64 {
	off, size := 0.0, 0.0
	for j := range a {
		off = math.Max(off, math.Abs(a[j]-b[j]))
		size = math.Max(size, math.Max(math.Abs(a[j]), math.Abs(b[j])))
	}
	if size == 0 {
		return 0
	}
	return off / size
}
