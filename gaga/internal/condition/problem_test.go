package condition

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/internal/convex"
)

// The losses and regularizers of these tests are their own: package gaga is above.

// squaredLoss is (u - y)².
type squaredLoss struct{}

func (squaredLoss) Eval(u, y float64) (loss, slope, curvature float64) {
	return (u - y) * (u - y), 2 * (u - y), 2
}

// hingeLoss is C max(0, 1 - yu).
type hingeLoss struct{ C float64 }

func (h hingeLoss) Eval(u, y float64) (loss, slope, curvature float64) {
	if y*u >= 1 {
		return 0, 0, 0
	}
	return h.C * (1 - y*u), -h.C * y, 0
}

// mixture has the weight 1 up to the loss cut·λ, which then falls linearly to 0 at λ.
type mixture struct{ cut float64 }

func (r mixture) zones() []model.Zone {
	return []model.Zone{{Name: "full"}, {Name: "partial"}, {Name: "discarded"}}
}

func (r mixture) Threshold(k int, age float64) (loss, slope float64) {
	if k == 0 {
		return r.cut * age, r.cut
	}
	return age, 1
}

func (r mixture) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	switch k {
	case 0:
		return 1, 0, 0
	case 1:
		unit := (1 - r.cut) * age
		return (age - loss) / unit, -1 / unit, loss / (unit * age)
	}
	return 0, 0, 0
}

func (r mixture) Integral(loss, age float64) float64 {
	zone := 0
	for zone < 2 {
		if top, _ := r.Threshold(zone, age); loss <= top {
			break
		}
		zone++
	}
	f := r.series(zone, age).F
	return f[0] + f[2]*loss + f[3]*loss*loss
}

func (r mixture) series(zone int, age float64) model.Series {
	c := r.cut
	constant := c - c/(1-c) + c*c/(2*(1-c))
	switch zone {
	case 0:
		return model.Series{F: [4]float64{0, 0, 1, 0}}
	case 1:
		square := -1 / (2 * (1 - c) * age)
		return model.Series{F: [4]float64{constant * age, 0, 1 / (1 - c), square}, Rate: [4]float64{constant, 0, 0, -square / age}}
	}
	full := constant + 1/(1-c) - 1/(2*(1-c))
	return model.Series{F: [4]float64{full * age, 0, 0, 0}, Rate: [4]float64{full, 0, 0, 0}}
}

// hard has the weight 1 up to the loss λ.
type hard struct{}

func (hard) zones() []model.Zone {
	return []model.Zone{{Name: "full", Break: true}, {Name: "discarded"}}
}

func (hard) Threshold(_ int, age float64) (loss, slope float64) { return age, 1 }

func (hard) Weight(k int, _, _ float64) (v, dloss, dage float64) { return float64(1 - k), 0, 0 }

func (hard) Integral(loss, age float64) float64 { return min(loss, age) }

func (hard) series(zone int, age float64) model.Series {
	if zone == 0 {
		return model.Series{F: [4]float64{0, 0, 1, 0}}
	}
	return model.Series{F: [4]float64{age, 0, 0, 0}, Rate: [4]float64{1, 0, 0, 0}}
}

// power has the weight (1 - l/λ)² up to the loss λ, and no series.
type power struct{}

func (power) zones() []model.Zone { return []model.Zone{{Name: "partial"}, {Name: "discarded"}} }

func (power) Threshold(_ int, age float64) (loss, slope float64) { return age, 1 }

func (power) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k == 1 {
		return 0, 0, 0
	}
	x := 1 - loss/age
	return x * x, -2 * x / age, 2 * x * loss / (age * age)
}

func (power) Integral(loss, age float64) float64 {
	x := max(0, 1-loss/age)
	return age / 3 * (1 - x*x*x)
}

type regularizer interface {
	model.Regularizer
	zones() []model.Zone
}

// setting is a kind of problem.
type setting struct {
	n, d        int
	loss        model.Loss
	cost        float64 // of a loss with a kink
	regularizer regularizer
	series      bool // the regularizer's series are known
	l1, l2      float64
	intercept   bool
	kernel      convex.Kernel
}

// problem draws data: gaussian features and, now and then, a column of zeros, with
// targets and multiplicities.
func (s setting) problem(random *rand.Rand) *model.Problem {
	x, rows := make([]float64, s.n*s.d), []float64(nil)
	p := s.d
	if s.intercept {
		p++
	}
	y, m := make([]float64, s.n), make([]float64, s.n)
	empty := -1
	if random.IntN(3) == 0 {
		empty = random.IntN(s.d)
	}
	var total float64
	for i := range s.n {
		row := x[i*s.d : (i+1)*s.d]
		for j := range row {
			if row[j] = random.NormFloat64(); j == empty {
				row[j] = 0
			}
		}
		if y[i] = random.NormFloat64(); s.cost > 0 {
			y[i] = float64(1 - 2*random.IntN(2))
		}
		m[i] = float64(1 + random.IntN(3))
		total += m[i]
		if rows = append(rows, row...); s.intercept {
			rows = append(rows, 1)
		}
	}
	if s.kernel != nil {
		p, rows = s.n+1, nil
	}
	penalty := model.Penalty{L1: make([]float64, p), L2: make([]float64, p)}
	for j := range p {
		if j < p-1 || !s.intercept {
			penalty.L1[j], penalty.L2[j] = s.l1, s.l2
		}
	}
	var series func(int, float64) model.Series
	if s.series {
		series = s.regularizer.(interface {
			series(zone int, age float64) model.Series
		}).series
	}
	_, squared := s.loss.(squaredLoss)
	return &model.Problem{
		Samples: model.Samples{
			N: s.n, P: p, X: blas64.General{Rows: s.n, Cols: s.d, Stride: s.d, Data: x}, Rows: rows,
			Y: y, M: m, Total: total, Kernel: s.kernel, Intercept: s.intercept,
		},
		Penalty:   penalty,
		Criterion: model.Criterion{Loss: s.loss, Squared: squared, Cost: s.cost},
		Zoning:    model.NewZoning(s.regularizer, s.regularizer.zones(), series, s.cost > 0),
	}
}

// condition draws a problem with its condition.
func (s setting) condition(random *rand.Rand) Condition {
	p := s.problem(random)
	if s.kernel != nil {
		return NewKernel(p, convex.NewKernelRows(p.X, s.kernel, 0))
	}
	return NewPrimal(p)
}

// eliminate solves A x = b, A of n rows, by Gaussian elimination with pivots.
func eliminate(a [][]float64, b []float64) []float64 {
	n := len(b)
	rows := make([][]float64, n)
	for r := range rows {
		rows[r] = append(append([]float64(nil), a[r]...), b[r])
	}
	for c := range n {
		best := c
		for r := c + 1; r < n; r++ {
			if math.Abs(rows[r][c]) > math.Abs(rows[best][c]) {
				best = r
			}
		}
		rows[c], rows[best] = rows[best], rows[c]
		for r := range n {
			if r != c {
				f := rows[r][c] / rows[c][c]
				for q := c; q <= n; q++ {
					rows[r][q] -= f * rows[c][q]
				}
			}
		}
	}
	x := make([]float64, n)
	for r := range x {
		x[r] = rows[r][n] / rows[r][r]
	}
	return x
}

// dot returns a·b.
func dot(a, b []float64) (sum float64) {
	for r, x := range a {
		sum += x * b[r]
	}
	return sum
}

// off returns the largest difference of a and b, relative to the larger of their largest
// entries and 1.
func off(a, b []float64) float64 {
	worst, size := 0.0, 1.0
	for r := range a {
		if math.IsNaN(a[r]) || math.IsNaN(b[r]) {
			return math.Inf(1)
		}
		worst = max(worst, math.Abs(a[r]-b[r]))
		size = max(size, math.Abs(a[r]), math.Abs(b[r]))
	}
	return worst / size
}
