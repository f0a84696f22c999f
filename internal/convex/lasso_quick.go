package convex

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// quick is the Lasso in sums kept between solves, which only lead to a solution; certificates come
// from the samples.
type quick struct {
	p        *Lasso
	sums     sums
	idle     []int   // solves since the working feature was last nonzero
	b        float64 // for the shifted features and target
	best     float64
	coef     []float64
	u        []float64 // predictors at p.w and b
	weighted []float64
	sum      float64
	rounds   int
	spoiled  bool // a norm cancelled: too inaccurate
	kept     bool // u belongs to p.best
	current  bool // u belongs to p.theta
}

func newQuick(p *Lasso) *quick {
	n, d, capacity := p.design.n, p.design.d, p.working.capacity
	return &quick{
		p: p, sums: newSums(p.y, p.intercept, capacity), idle: make([]int, d), coef: make([]float64, capacity),
		u: make([]float64, n), weighted: make([]float64, n),
	}
}

// prepare moves p.w to the minimum for weights, at most top, on the working set. It reports whether
// the sums are accurate enough.
func (q *quick) prepare(ctx context.Context, weights []float64, top float64) bool {
	const least, most = 1e-100, 1e100 // squares must not overflow or underflow
	if !(top >= least && top <= most) {
		return false
	}
	p, s := q.p, &q.sums
	q.rounds = 0
	q.takeSupport()
	s.follow(&p.design, p.working.feature)
	s.set(weights)
	ok := false
	if s.multiply(); p.intercept && !(s.total() > 0) {
		return false
	}
	if p.norm, ok = s.norm(0); !ok || !q.measure() {
		p.working.reset()
		return false
	}
	q.spoiled = false
	q.b = s.mean(0)
	for k, j := range s.feature {
		q.b -= s.mean(s.head()+k) * p.w[j]
	}
	return len(s.feature) == 0 || q.lead(ctx)
}

// takeSupport adds the nonzero coefficients of p.w to the working set. Features idle for long
// leave, or all zero ones if there is no room.
func (q *quick) takeSupport() {
	const patience = 8
	p, a := q.p, &q.p.working
	size, drop := a.size(), false
	for j, w := range p.w {
		switch {
		case w != 0:
			q.idle[j] = 0
			if !a.member[j] {
				size++
			}
		case a.member[j]:
			q.idle[j]++
			drop = drop || q.idle[j] > patience
		}
	}
	if full := size > a.capacity; full || drop {
		a.feature = slices.DeleteFunc(a.feature, func(j int) bool {
			if a.member[j] = p.w[j] != 0 || !full && q.idle[j] <= patience; !a.member[j] {
				q.idle[j] = 0
			}
			return !a.member[j]
		})
		a.ready = 0
	}
	for j, w := range p.w {
		if w != 0 && !a.member[j] {
			a.add(j)
		}
	}
}

// measure reports whether few digits of the working norms cancel.
func (q *quick) measure() bool {
	p, s, a := q.p, &q.sums, &q.p.working
	h := s.head()
	for k, j := range s.feature {
		norm, ok := s.norm(h + k)
		if !ok || norm == 0 {
			return false
		}
		p.norms[j] = norm
		row := a.row(k)
		for l, i := range s.feature[:k] {
			row[l] = s.centered(h+k, h+l) / norm / p.norms[i]
		}
		row[k] = 1
	}
	a.ready = len(s.feature)
	a.mirror(0)
	return true
}

func (q *quick) lead(ctx context.Context) bool {
	p, s, a := q.p, &q.sums, &q.p.working
	h := s.head()
	square := 0.0
	for k, j := range s.feature {
		q.coef[k] = p.w[j] * p.norms[j]
	}
	beta := vector(q.coef[:len(s.feature)])
	for k, j := range s.feature {
		fit := blas64.Dot(vector(a.row(k)), beta)
		square += fit * q.coef[k]
		p.gradient[j] = s.centered(h+k, 0) - fit*p.norms[j]
	}
	a.begin(p.norms, p.w, p.gradient, p.penalty, p.norm+math.Sqrt(max(0, square)))
	q.sum = 0
	_, err := a.minimize(ctx, false)
	q.store()
	return err == nil
}

func (q *quick) keep() {
	copy(q.p.best, q.p.w)
	q.best, q.kept = q.b, true
}

func (q *quick) finish() {
	p := q.p
	copy(p.theta, p.best)
	if p.intercept {
		p.theta[p.design.d] = p.yOrigin + q.best - p.design.offset(p.best)
	}
	q.current = q.kept
}

func (q *quick) scores(dst []float64) {
	for i, u := range q.u {
		dst[i] = u + q.p.yOrigin
	}
}

func (q *quick) evaluate() (Certificate, float64) {
	p, s := q.p, &q.sums
	q.kept = false
	q.rounds++
	coef := q.coef[:len(s.feature)]
	for k, j := range s.feature {
		coef[k] = p.w[j]
	}
	s.predict(q.u, coef, q.b)
	var squares, product, sum float64
	for i, y := range p.y {
		r := y - q.u[i]
		t := s.weights[i] * r
		q.weighted[i] = t
		squares += t * r
		product += t * y
		sum += t
	}
	q.sum = sum
	clear(p.gradient)
	p.design.correlate(p.gradient, q.weighted)
	for j, g := range p.gradient {
		if math.Abs(g) > p.penalty && !p.working.member[j] {
			norm, ok := s.lone(p.design.row(j))
			if p.norms[j] = norm; !ok {
				q.spoiled = true
				return Certificate{KKT: math.NaN()}, 0
			}
		}
	}
	// ‖u‖² = ‖y‖² - 2 y·(y-u) + ‖y-u‖², all centered.
	square := p.norm*p.norm - 2*(product-s.mean(0)*sum) + squares
	if p.intercept {
		square -= sum * sum / s.total()
	}
	unit := p.norm + math.Sqrt(max(0, square))
	certificate := p.certify(squares, unit)
	if p.intercept && sum != 0 {
		certificate.KKT = max(certificate.KKT, math.Abs(sum)/(math.Sqrt(s.total())*unit))
	}
	return certificate, unit
}

func (q *quick) load(unit float64) {
	p, s := q.p, &q.sums
	const patience = 3 // rounds after which the exchanges' rounding is suspected
	if q.rounds == patience && s.exchanged > 0 {
		s.renew()
	}
	s.follow(&p.design, p.working.feature)
	if s.ready < s.size() || p.working.ready < len(s.feature) {
		s.multiply()
		q.spoiled = !q.measure() || q.spoiled
	}
	for k, j := range s.feature {
		p.gradient[j] -= s.mean(s.head()+k) * q.sum
	}
	p.working.begin(p.norms, p.w, p.gradient, p.penalty, unit)
}

func (q *quick) store() {
	p, s, a := q.p, &q.sums, &q.p.working
	if p.intercept {
		q.b += q.sum / s.total()
	}
	for k, j := range s.feature {
		w := a.beta[k] / p.norms[j]
		q.b -= s.mean(s.head()+k) * (w - p.w[j])
		p.w[j] = w
	}
}
