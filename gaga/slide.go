package gaga

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/agepath/agepath/internal/kernel"
)

// slide finds the start of a landing of a sweep of logistic regression: it goes
// down the implicit objective's valley from a jump point, as alternation does, but
// in steps that get longer where the valley is straight. A step minimizes the
// objective's second-order model within a radius (Moré, Sorensen: Computing a trust
// region step, SIAM J. Sci. Stat. Comput. 1983) in the metric of the weighted fit's
// Hessian, in which alternation is steepest descent; the first radius is a hair.
// Alternation then has only to confirm the optimum it ends at.
type slide struct {
	t           *tracker
	loss        VectorLoss
	now, next   slidePoint
	thresholds  []float64
	losses, way []float64 // n, scratch, with the next two
	slope       []float64
	curvature   []float64
	fit, hess   []float64 // p x p: Hessians of the weighted fit, as its factor later, and of the objective
	diag        []float64
	products    *products
	value, z    []float64 // p: eigenvalues of hess in the metric, the step in its eigenvectors
	along       []float64 // p: the gradient there
	step, work  []float64
	size        float64 // of θ in the metric, squared
	small, last float64 // smaller class's weight by the larger's at next, and the predicted fall of the last step
}

// slidePoint is a point on the way.
type slidePoint struct {
	theta, gradient []float64
	u               []float64 // n: predictors
	phi             []float64 // n: m φ
	fit, hess       []float64 // n: second derivatives of the weighted losses, and ∂φ/∂u
	value           float64   // the implicit objective
}

// slideFewest is the number of samples from which on a slide saves time. Over fewer its
// steps are short, see slideForSample, and alternation costs little: on 426 x 30 paths
// took four times as long with it, on 532 x 10 twice, on 7,100 x 10 two thirds.
const slideFewest = 4000

// newSlide returns nil where the problem is of another kind, or its objective has
// kinks.
func newSlide(t *tracker) *slide {
	loss, ok := t.loss.(VectorLoss)
	breaks := slices.ContainsFunc(t.zones, func(z Zone) bool { return z.Break })
	if !ok || !t.problem.oneSided() || breaks || t.primal == nil || t.problem.Penalty.L1 != 0 || t.problem.Penalty.L2 == 0 {
		return nil
	}
	f := func(k int) []float64 { return make([]float64, k) }
	n, p := t.n, t.p
	point := func() slidePoint {
		return slidePoint{theta: f(p), gradient: f(p), u: f(n), phi: f(n), fit: f(n), hess: f(n)}
	}
	return &slide{
		t: t, loss: loss, now: point(), next: point(), thresholds: f(len(t.zones) - 1), losses: f(n), way: f(n), slope: f(n), curvature: f(n),
		fit: f(p * p), hess: f(p * p), diag: f(p), products: newProducts(p),
		value: f(p), z: f(p), along: f(p), step: f(p), work: f(max(1, 40*p+64)),
	}
}

// Radii of the slide's steps relative to the solution, and the number of steps. The
// objective is the rougher the fewer the samples are: with long steps a slide over
// few goes past optima in which alternation stays.
const (
	slideBegins    = 1e-6
	slideLongest   = 0.01
	slideForSample = 1.4e-6 // the longest for each sample
	slideSteps     = 500
	slidePlaces    = 4 // on a step at which it is looked whether the objective falls
)

// from goes down from theta at an age, which first moves along direction by the
// least radius, where that is given. It overwrites theta with the bottom; where it
// finds none it reports false.
func (s *slide) from(theta, direction []float64, age float64) bool {
	copy(s.next.theta, theta)
	s.evaluate(age)
	s.now, s.next = s.next, s.now
	if !s.curve() {
		return false
	}
	if direction != nil && !s.push(direction, age) {
		return false
	}
	begin := s.now.value
	radius, longest := slideBegins, math.Min(slideLongest, slideForSample*float64(s.t.n))
	for range slideSteps {
		inside := s.aim(radius)
		copy(s.next.theta, s.now.theta)
		kernel.Axpy(1, s.step, s.next.theta)
		s.evaluate(age)
		if math.IsNaN(s.next.value) || s.small < lostClass {
			return false
		}
		fall := s.now.value - s.next.value
		tiny := s.last <= 1e-11*s.now.value && fall >= -1e-11*s.now.value // too little to be seen in the objective
		length := blas64.Nrm2(vector(s.z)) / math.Sqrt(s.size)
		if fall < 0.25*s.last && !tiny || length > slideBegins && !s.falls(age, inside) {
			if radius = 0.25 * length; radius < 1e-3*slideBegins {
				return false
			}
			continue
		}
		s.now, s.next = s.next, s.now
		if inside && length <= 1e-9 {
			if s.now.value > begin*(1+1e-12) {
				return false
			}
			copy(theta, s.now.theta)
			return true
		}
		if (fall > 0.75*s.last || tiny) && !inside {
			radius = math.Min(2*radius, longest)
		}
		if !s.curve() {
			return false
		}
	}
	return false
}

// push moves now along a direction by the least radius.
func (s *slide) push(direction []float64, age float64) bool {
	copy(s.step, direction)
	blas64.Trmv(blas.NoTrans, s.triangle(), vector(s.step))
	copy(s.next.theta, s.now.theta)
	kernel.Axpy(slideBegins*math.Sqrt(s.size)/blas64.Nrm2(vector(s.step)), direction, s.next.theta)
	s.evaluate(age)
	s.now, s.next = s.next, s.now
	return s.curve()
}

// evaluate computes objective, gradient and curvatures at next's theta.
func (s *slide) evaluate(age float64) {
	t, pt := s.t, &s.next
	thresholdsAt(s.thresholds, t.reg, age)
	kernel.MulVec(pt.u, t.primal.a, t.p, pt.theta)
	s.loss.EvalAll(pt.u, t.y, s.losses, pt.phi, pt.fit)
	pt.value = t.penalty(pt.theta, nil)
	var class [2]float64
	for i, loss := range s.losses {
		v, dv, _ := t.reg.Weight(zoneAmong(t.zones, s.thresholds, loss), loss, age)
		m, slope := t.m[i], pt.phi[i]
		pt.phi[i] = m * v * slope
		pt.fit[i] *= m * v
		pt.hess[i] = pt.fit[i] + m*dv*slope*slope
		pt.value += m * t.reg.Integral(loss, age)
		if t.y[i] > 0 {
			class[1] += m * v
		} else {
			class[0] += m * v
		}
	}
	s.small = math.Min(class[0], class[1]) / math.Max(class[0], class[1])
	for j, w := range pt.theta {
		pt.gradient[j] = t.l2[j] * w
	}
	kernel.MulTransAdd(pt.gradient, t.primal.a, t.p, pt.phi)
}

// falls reports whether the objective falls at the places looked at on the way from
// now to next, and at its end unless that is the model's minimum, so that there is
// no valley between, in which alternation would stay.
func (s *slide) falls(age float64, inside bool) bool {
	t := s.t
	for at := range slidePlaces {
		x := float64(at+1) / slidePlaces
		if inside && x == 1 {
			break
		}
		copy(s.way, s.now.u)
		blas64.Scal(1-x, vector(s.way))
		kernel.Axpy(x, s.next.u, s.way)
		s.loss.EvalAll(s.way, t.y, s.losses, s.slope, s.curvature)
		var sum float64
		for i, loss := range s.losses {
			v, _, _ := t.reg.Weight(zoneAmong(t.zones, s.thresholds, loss), loss, age)
			sum += t.m[i] * v * s.slope[i] * (s.next.u[i] - s.now.u[i])
		}
		for j, l2 := range t.l2 {
			sum += l2 * (s.now.theta[j] + x*s.step[j]) * s.step[j]
		}
		if sum > 0 {
			return false
		}
	}
	return true
}

func (s *slide) triangle() blas64.Triangular {
	p := s.t.p
	return blas64.Triangular{N: p, Stride: p, Data: s.fit, Uplo: blas.Upper, Diag: blas.NonUnit}
}

// curve takes both Hessians at now and the objective's eigenvectors in the metric.
func (s *slide) curve() bool {
	p := s.t.p
	s.sum(s.fit, s.now.fit)
	s.sum(s.hess, s.now.hess)
	for r := range p {
		for q := range r {
			s.hess[r*p+q] = s.hess[q*p+r]
		}
	}
	if _, ok := lapack64.Potrf(symmetric(p, s.fit)); !ok {
		return false
	}
	u, whole := s.triangle(), blas64.General{Rows: p, Cols: p, Stride: p, Data: s.hess}
	blas64.Trsm(blas.Left, blas.Trans, 1, u, whole)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, u, whole)
	for _, v := range s.hess {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	if !lapack64.Syev(lapack.EVCompute, symmetric(p, s.hess), s.value, s.work, len(s.work)) {
		return false
	}
	copy(s.step, s.now.theta)
	blas64.Trmv(blas.NoTrans, u, vector(s.step))
	s.size = blas64.Dot(vector(s.step), vector(s.step))
	copy(s.step, s.now.gradient)
	kernel.SolveUpperTrans(s.step, s.fit, p)
	blas64.Gemv(blas.Trans, 1, general(p, p, s.hess), vector(s.step), 0, vector(s.along))
	return s.size > 0
}

// sum writes the Hessian of the penalty and of losses with the given second
// derivatives into the upper triangle of dst.
func (s *slide) sum(dst, curvature []float64) {
	t, p := s.t, s.t.p
	clear(dst)
	for i, c := range curvature {
		if c != 0 {
			s.products.add(s.diag, t.primal.sample(i), c)
		}
	}
	s.products.flush(dst)
	for j, l2 := range t.l2 {
		dst[j*p+j] += l2
		if t.primal.zero[j] && l2 == 0 {
			dst[j*p+j] = 1 // a free column of zeros
		}
	}
}

// aim writes the step to the model's minimum within a radius, and reports whether
// that lies inside.
func (s *slide) aim(radius float64) (inside bool) {
	p := s.t.p
	limit := radius * math.Sqrt(s.size)
	least := s.value[0] // they ascend
	inside = least > 0 && s.length(0) <= limit
	if !inside {
		lo := math.Max(0, -least)
		hi := lo + blas64.Nrm2(vector(s.along))/limit + 1e-300
		for range 100 {
			mid := 0.5 * (lo + hi)
			if mid <= lo || mid >= hi {
				break
			}
			if s.length(mid) > limit {
				lo = mid
			} else {
				hi = mid
			}
		}
		if rest := limit*limit - math.Pow(s.length(hi), 2); rest > 0.01*limit*limit && least <= 0 {
			// The gradient has next to nothing along the way out.
			s.z[0] += math.Copysign(math.Sqrt(rest), s.z[0])
		}
	}
	s.last = 0
	for k, z := range s.z {
		s.last -= z * (s.along[k] + 0.5*s.value[k]*z)
	}
	blas64.Gemv(blas.NoTrans, 1, general(p, p, s.hess), vector(s.z), 0, vector(s.step))
	kernel.SolveUpper(s.step, s.fit, p)
	return inside
}

// length makes z the minimum of the model with shift added to its eigenvalues and
// returns its length.
func (s *slide) length(shift float64) float64 {
	for k, c := range s.along {
		s.z[k] = 0
		if c != 0 {
			s.z[k] = -c / (s.value[k] + shift)
		}
	}
	return blas64.Nrm2(vector(s.z))
}

// slide overwrites theta, the start of a landing behind the left point, with the
// bottom of the valley that leads from it. It reports false, with theta as it
// was, where it finds none or the problem is of another kind.
func (t *tracker) slide(c crossing, age float64, theta []float64) bool {
	if t.descent == nil {
		return false
	}
	var direction []float64
	switch c.cause {
	case SampleUp, SampleDown:
		// H⁻¹a of the sample: the direction in which H has become negative.
		if !t.primal.factored() {
			return false
		}
		over := make([]float64, len(t.active))
		t.gather(over, t.primal.sample(c.index))
		t.solve(over)
		direction = make([]float64, t.p)
		for r, j := range t.active {
			direction[j] = over[r]
		}
		by := sign(t.left.slope[c.slot]) // towards larger losses
		if c.cause == SampleDown {
			by = -by
		}
		blas64.Scal(by, vector(direction))
	case Fold:
	default:
		return false
	}
	return t.descent.from(theta, direction, age)
}
