package convex

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// place says where a signed multiplier stands in its box.
type place uint8

const (
	atLow  place = iota // β_i = low_i
	atHigh              // β_i = high_i
	inside              // a free support vector
)

// dual is the dual problem in the signed multipliers β_i = y_i α_i,
//
//	min ½βᵀKβ - yᵀβ   subject to   low <= β <= high and, with a free bias, 1ᵀβ = 0,
//
// with low_i = min(0, y_i C v_i) and high_i = max(0, y_i C v_i). At the optimum
// the gradient g_i = f_i - y_i, f = Kβ, has g_i + b >= 0 where β_i can only
// grow, <= 0 where it can only fall, and = 0 inside the box.
type dual struct {
	gram      *gram
	y         []float64
	intercept bool
	low, high []float64
	beta      []float64
	f         []float64
	place     []place
	b         float64
	stale     bool    // f is not Kβ
	updates   int     // sums added to f since it was last computed anew
	objective float64 // of the last solution, 0 before the first

	factor *factor
	step   []float64 // n, work: a step of the free multipliers
	column []float64 // n, work: a projected column
	list   []int     // n, work: samples of a sparse sum
	coef   []float64 // n, work: its coefficients
	active []int     // samples in the working-set selection
}

func newDual(g *gram, y []float64, intercept bool, bytes int64) *dual {
	n := g.n
	shift := 0.0
	if intercept {
		for _, k := range g.diagonal {
			shift += k / float64(n)
		}
		if shift == 0 {
			shift = 1
		}
	}
	return &dual{
		gram: g, y: y, intercept: intercept,
		low: make([]float64, n), high: make([]float64, n),
		beta: make([]float64, n), f: make([]float64, n), place: make([]place, n),
		factor: newFactor(n, shift, bytes),
		step:   make([]float64, n), column: make([]float64, n),
		list: make([]int, 0, n), coef: make([]float64, 0, n),
		active: make([]int, 0, n),
	}
}

// setBox sets the bounds for the upper bounds u of α. Multipliers at a bound
// move with it; free ones are clipped but stay free until their next step, for
// it may lead back inside. f follows: by the changes where these are few, else
// anew, which also ends the drift of many small changes.
func (q *dual) setBox(u []float64) {
	q.begin()
	support := 0
	for i, y := range q.y {
		q.low[i], q.high[i] = min(0, y*u[i]), max(0, y*u[i])
		switch {
		case q.place[i] == inside && u[i] > 0:
			q.move(i, q.clip(i, q.beta[i]))
		case q.place[i] == atHigh:
			q.move(i, q.high[i])
		case q.place[i] == atLow:
			q.move(i, q.low[i])
		default: // free without room
			q.place[i] = q.zero(i)
			q.move(i, 0)
		}
		if q.beta[i] != 0 {
			support++
		}
	}
	const drift = 64 // sums after which their rounding shows
	if !q.stale && q.updates < drift && 2*len(q.list) < support {
		q.apply()
	} else {
		q.evaluate()
	}
}

// zero and full are the places of α_i = 0 and of α_i at its upper bound.
func (q *dual) zero(i int) place {
	if q.y[i] > 0 {
		return atLow
	}
	return atHigh
}

func (q *dual) full(i int) place { return atLow + atHigh - q.zero(i) }

// settle clips β_i to its box and records where it stands.
func (q *dual) settle(i int) {
	switch {
	case q.low[i] == q.high[i]:
		q.beta[i], q.place[i] = 0, q.zero(i)
	case q.beta[i] <= q.low[i]:
		q.beta[i], q.place[i] = q.low[i], atLow
	case q.beta[i] >= q.high[i]:
		q.beta[i], q.place[i] = q.high[i], atHigh
	default:
		q.place[i] = inside
	}
}

// reset makes the solution β = 0 with its bias for the upper bounds u of α.
func (q *dual) reset(u []float64) {
	for i := range q.place {
		q.place[i] = q.zero(i)
	}
	q.setBox(u)
	q.bias()
}

// evaluate recomputes f = Kβ.
func (q *dual) evaluate() {
	clear(q.f)
	q.collect()
	q.apply()
	q.stale, q.updates = false, 0
}

// collect notes all of β as a sparse sum.
func (q *dual) collect() {
	q.begin()
	for i, v := range q.beta {
		if v != 0 {
			q.add(i, v)
		}
	}
}

// begin, add and the gram's accumulate build a sparse sum of rows of K.
func (q *dual) begin() { q.list, q.coef = q.list[:0], q.coef[:0] }

func (q *dual) add(i int, coefficient float64) {
	q.list = append(q.list, i)
	q.coef = append(q.coef, coefficient)
}

// move notes the change of β_i to value for the sum that follows.
func (q *dual) move(i int, value float64) {
	if value != q.beta[i] {
		q.add(i, value-q.beta[i])
		q.beta[i] = value
	}
}

// apply adds K times the noted changes to f.
func (q *dual) apply() {
	if len(q.list) > 0 {
		q.gram.accumulate(q.f, q.list, q.coef)
		q.updates++
		q.begin()
	}
}

// balance restores 1ᵀβ = 0 inside the box: first the free multipliers move, each
// in proportion to its room, then those at bounds, in their order. It keeps f
// current. It always succeeds, for β = 0 is feasible.
func (q *dual) balance() {
	if !q.intercept {
		return
	}
	excess := kernel.Sum(q.beta)
	if math.Abs(excess) <= 1e-15*absoluteSum(q.beta) {
		return
	}
	room := func(i int) float64 {
		if excess > 0 {
			return q.beta[i] - q.low[i]
		}
		return q.high[i] - q.beta[i]
	}
	total := 0.0
	for _, i := range q.factor.members {
		total += room(i)
	}
	share := 0.0
	if total > 0 {
		share = min(1, math.Abs(excess)/total)
	}
	q.begin()
	for _, i := range q.factor.members {
		q.move(i, q.beta[i]-math.Copysign(share*room(i), excess))
		q.settle(i)
	}
	sign := math.Copysign(1, excess)
	left := math.Abs(excess) - share*total
	for i := 0; i < len(q.beta) && left > 1e-15*math.Abs(excess); i++ {
		if r := min(room(i), left); r > 0 {
			q.move(i, q.beta[i]-sign*r)
			q.settle(i)
			left -= r
		}
	}
	q.apply()
}

// resolution is the smallest share of scale that multipliers can resolve.
const resolution = 0x1p-51

// scale is the size of the gradient's terms: y_i = ±1, b, f_i, and β_j k(x_j, x_j).
func (q *dual) scale() float64 {
	s := max(1, math.Abs(q.b))
	for i, f := range q.f {
		s = max(s, math.Abs(f), math.Abs(q.beta[i])*q.gram.diagonal[i])
	}
	return s
}

// violation tells by how much sample i breaks its optimality condition: how far
// g_i + b lies on the side on which β_i could still improve. It is negative
// where β_i should fall.
func (q *dual) violation(i int) float64 {
	v := q.y[i] - q.f[i] - q.b
	if v > 0 && q.beta[i] < q.high[i] || v < 0 && q.beta[i] > q.low[i] {
		return v
	}
	return 0
}

// bias sets b to the mean over the free support vectors, or to the midpoint of
// the feasible interval where there are none. One class alone leaves the
// interval open to one side: b is its end, ±1 where β = 0. Without any sample
// b stays.
func (q *dual) bias() {
	if !q.intercept {
		q.b = 0
		return
	}
	lowest, highest := math.Inf(-1), math.Inf(1)
	first, off, free := 0.0, 0.0, 0 // a mean of many equal numbers is summed from one of them: their own sum rounds
	for i, f := range q.f {
		rest := q.y[i] - f
		if q.beta[i] < q.high[i] {
			lowest = max(lowest, rest)
		}
		if q.beta[i] > q.low[i] {
			highest = min(highest, rest)
		}
		if q.place[i] == inside {
			if free == 0 {
				first = rest
			}
			off += rest - first
			free++
		}
	}
	switch {
	case free > 0:
		q.b = first + off/float64(free)
	case math.IsInf(lowest, -1) && math.IsInf(highest, 1):
	case math.IsInf(lowest, -1):
		q.b = highest
	case math.IsInf(highest, 1):
		q.b = lowest
	default:
		q.b = lowest + (highest-lowest)/2
	}
}

// certificate measures the present β and b. The gap is the sum of its terms,
// C v_i max(0, s_i) - α_i s_i with s_i = 1 - y_i (f_i + b), each >= 0, which
// equals the primal minus the dual objective without their cancellation. An s_i
// within the rounding of f, a sum of as many terms as there are support vectors,
// counts as 0: no float64 multipliers resolve it, and a cost far above the
// objective would blow it up.
func (q *dual) certificate(iterations int) Certificate {
	scale, support := q.scale(), 0
	for _, v := range q.beta {
		if v != 0 {
			support++
		}
	}
	rounding := resolution * scale * (2 + math.Sqrt(float64(support)))
	c := Certificate{Iterations: iterations, Objective: blas64.Dot(vector(q.beta), vector(q.f)) / 2}
	gap := 0.0
	for i, f := range q.f {
		u := q.high[i] - q.low[i]
		slack := 1 - q.y[i]*(f+q.b)
		if math.Abs(slack) <= rounding {
			slack = 0
		}
		alpha := q.y[i] * q.beta[i]
		if slack > 0 {
			gap += (u - alpha) * slack
			c.Objective += u * slack
		} else {
			gap -= alpha * slack
		}
		c.KKT = max(c.KKT, math.Abs(q.violation(i)))
	}
	c.KKT /= scale
	if q.intercept {
		if total := absoluteSum(q.beta); total > 0 {
			c.KKT = max(c.KKT, math.Abs(kernel.Sum(q.beta))/total)
		}
	}
	if gap > 0 {
		c.Gap = gap / c.Objective
	}
	return c
}

func absoluteSum(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += math.Abs(v)
	}
	return total
}
