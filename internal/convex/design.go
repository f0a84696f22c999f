package convex

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// design holds samples feature by feature; see [rows.columns].
type design struct {
	n, d   int
	column blas64.General // d x n, feature j minus origin[j]
	origin []float64
}

// typical returns the median of at most 201 values: exact for a constant x and robust to outliers.
func typical(x []float64) float64 {
	step := max(1, len(x)/101)
	some := make([]float64, 0, 202)
	for i := 0; i < len(x); i += step {
		some = append(some, x[i])
	}
	if len(some) == 0 {
		return 0
	}
	slices.Sort(some)
	return some[len(some)/2]
}

func (p *design) row(j int) []float64 {
	return p.column.Data[j*p.column.Stride:][:p.n]
}

func (p *design) samples() blas64.General {
	x := blas64.General{Rows: p.n, Cols: p.d, Stride: max(1, p.d), Data: make([]float64, p.n*p.d)}
	for j := range p.d {
		for i, v := range p.row(j) {
			x.Data[i*x.Stride+j] = v
		}
	}
	return x
}

func (p *design) offset(w []float64) float64 {
	return kernel.Dot(p.origin, w)
}

func (p *design) predict(dst, w []float64, b float64) {
	for i := range dst {
		dst[i] = b
	}
	for j, v := range w {
		if v != 0 {
			kernel.Axpy(v, p.row(j), dst)
		}
	}
}

// correlate sets dst to Xᵀq.
func (p *design) correlate(dst, q []float64) {
	kernel.MulVec(dst, p.column.Data, p.column.Stride, q)
}

// scaled is a design, centered if there is an intercept, of samples of positive weight times the
// roots of their weights: weighted least squares becomes plain least squares.
type scaled struct {
	sample []int // the m of positive weight
	root   []float64
	total  float64
	column blas64.General
	mean   []float64 // d, weighted, of the shifted features; 0 without an intercept
	norm   []float64
}

func newScaled(p *design) scaled {
	return scaled{
		sample: make([]int, 0, p.n), root: make([]float64, 0, p.n),
		column: blas64.General{Rows: p.d, Stride: max(1, p.n), Data: make([]float64, p.n*p.d)},
		mean:   make([]float64, p.d), norm: make([]float64, p.d),
	}
}

func (s *scaled) row(j int) []float64 {
	return s.column.Data[j*s.column.Stride:][:len(s.sample)]
}

// constant is the relative standard deviation below which a feature is constant.
const constant = 64 * 0x1p-52

func (s *scaled) weigh(weights []float64, unit float64) {
	s.sample, s.root, s.total = s.sample[:0], s.root[:0], 0
	for i, v := range weights {
		v /= unit
		if root := math.Sqrt(v); root > 0 {
			s.sample = append(s.sample, i)
			s.root = append(s.root, root)
			s.total += v
		}
	}
	s.column.Cols = len(s.sample)
}

func (s *scaled) setColumn(j int, x []float64, intercept bool) {
	s.mean[j], s.norm[j] = s.fill(s.row(j), x, intercept)
}

func (s *scaled) fill(a, x []float64, intercept bool) (mean, norm float64) {
	for k, i := range s.sample {
		a[k] = s.root[k] * x[i]
	}
	if intercept {
		mean = s.centerScaled(a)
	}
	norm = blas64.Nrm2(vector(a))
	if norm <= constant*math.Abs(mean)*math.Sqrt(s.total) {
		norm = 0
		clear(a)
	}
	return mean, norm
}

// centerScaled subtracts the weighted mean; the second pass removes the rounding of the first.
func (s *scaled) centerScaled(a []float64) float64 {
	mean := 0.0
	for range 2 {
		m := kernel.Dot(s.root, a) / s.total
		kernel.Axpy(-m, s.root, a)
		mean += m
	}
	return mean
}

// block samples of all columns fit the cache.
const block = 512

func largestWeight(weights []float64, n int) (float64, error) {
	if len(weights) != n {
		panic(fmt.Sprintf("convex: %d weights for %d samples", len(weights), n))
	}
	largest := 0.0
	for i, v := range weights {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return 0, fmt.Errorf("weight %d is %v, want a finite number >= 0", i, v)
		}
		if v > largest {
			largest = v
		}
	}
	return largest, nil
}
