package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// sums keeps the weighted products Σ_i v_i z_ik z_il of the target, with an intercept ones, and the
// working features. Few changed weights exchange their samples' products; many sum again, which
// ends the drift.
type sums struct {
	n         int
	intercept bool
	feature   []int     // of the rows after the head
	rows      []float64 // n each: target, with an intercept ones, features
	weights   []float64
	product   []float64 // lower triangle
	stride    int
	ready     int // rows that product holds
	exchanged int // since the last full sum
	changed   []int
	part      []float64
	z         []float64
}

// exchanges is the number of exchanged samples before a full sum: their rounding
// stays below that of the sum.
const exchanges = 64

func newSums(y []float64, intercept bool, capacity int) sums {
	s := sums{n: len(y), intercept: intercept, weights: make([]float64, len(y)), changed: make([]int, 0, exchanges), part: make([]float64, block)}
	s.rows = append(make([]float64, 0, (s.head()+capacity)*s.n), y...)
	if intercept {
		for range y {
			s.rows = append(s.rows, 1)
		}
	}
	s.stride = s.head() + capacity
	s.product, s.z = make([]float64, s.stride*s.stride), make([]float64, s.stride)
	s.feature = make([]int, 0, capacity)
	return s
}

func (s *sums) head() int {
	if s.intercept {
		return 2
	}
	return 1
}

func (s *sums) size() int { return s.head() + len(s.feature) }

func (s *sums) follow(p *design, features []int) {
	common := 0
	for common < min(len(features), len(s.feature)) && features[common] == s.feature[common] {
		common++
	}
	s.feature = append(s.feature[:common], features[common:]...)
	s.rows = s.rows[:(s.head()+common)*s.n]
	for _, j := range features[common:] {
		s.rows = append(s.rows, p.row(j)...)
	}
	s.ready = min(s.ready, s.head()+common)
}

func (s *sums) set(weights []float64) {
	limit := min(exchanges-s.exchanged, s.n/8)
	s.changed = s.changed[:0]
	for i, v := range weights {
		if v == s.weights[i] {
			continue
		}
		if len(s.changed) >= limit {
			copy(s.weights, weights)
			s.renew()
			return
		}
		s.changed = append(s.changed, i)
	}
	for _, i := range s.changed {
		s.exchange(i, weights[i]-s.weights[i])
		s.weights[i] = weights[i]
	}
	s.exchanged += len(s.changed)
}

func (s *sums) renew() { s.ready, s.exchanged = 0, 0 }

func (s *sums) exchange(i int, change float64) {
	z := s.z[:s.ready]
	for k := range z {
		z[k] = s.rows[k*s.n+i]
	}
	for k, v := range z {
		blas64.Axpy(change*v, vector(z[:k+1]), vector(s.product[k*s.stride:][:k+1]))
	}
}

func (s *sums) multiply() {
	first, size := s.ready, s.size()
	for k := first; k < size; k++ {
		clear(s.product[k*s.stride:][:k+1])
	}
	for from := 0; from < s.n && first < size; from += block {
		to := min(s.n, from+block)
		v := s.weights[from:to]
		part := s.part[:len(v)]
		for k := first; k < size; k++ {
			for i, x := range s.rows[k*s.n+from : k*s.n+to] {
				part[i] = v[i] * x
			}
			others := blas64.General{Rows: k + 1, Cols: len(v), Stride: s.n, Data: s.rows[from:]}
			blas64.Gemv(blas.NoTrans, 1, others, vector(part), 1, vector(s.product[k*s.stride:][:k+1]))
		}
	}
	s.ready = size
}

// total and mean are 0 without an intercept.
func (s *sums) total() float64 {
	if !s.intercept {
		return 0
	}
	return s.product[s.stride+1]
}

func (s *sums) mean(k int) float64 {
	switch {
	case !s.intercept:
		return 0
	case k == 0:
		return s.product[s.stride] / s.total()
	}
	return s.product[k*s.stride+1] / s.total()
}

// centered is the product of rows k >= l after centering, not for the intercept's row.
func (s *sums) centered(k, l int) float64 {
	v := s.product[k*s.stride+l]
	if s.intercept {
		v -= s.mean(k) * s.mean(l) * s.total()
	}
	return v
}

// cancelled is the share of a squared norm that must remain.
const cancelled = 1e-2

// norm is that of the centered row k. ok reports that few digits cancelled.
func (s *sums) norm(k int) (norm float64, ok bool) {
	return root(s.product[k*s.stride+k], s.centered(k, k))
}

func root(whole, left float64) (float64, bool) {
	if whole == 0 {
		return 0, true
	}
	return math.Sqrt(max(0, left)), left >= cancelled*whole && !math.IsInf(whole, 1)
}

// lone is norm for a column x that is not among the rows.
func (s *sums) lone(x []float64) (norm float64, ok bool) {
	var whole, sum float64
	for i, v := range s.weights {
		t := v * x[i]
		whole += t * x[i]
		sum += t
	}
	left := whole
	if s.intercept {
		left -= sum / s.total() * sum
	}
	return root(whole, left)
}

func (s *sums) predict(dst, w []float64, b float64) {
	for i := range dst {
		dst[i] = b
	}
	if len(w) > 0 {
		rows := blas64.General{Rows: len(w), Cols: s.n, Stride: s.n, Data: s.rows[s.head()*s.n:]}
		blas64.Gemv(blas.Trans, 1, rows, vector(w), 1, vector(dst))
	}
}
