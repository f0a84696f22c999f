package gaga

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// direct sums the terms of the optimality condition sample by sample, over the
// watched samples. It serves every loss and regularizer; alone it watches all
// samples, below an [expansion] those that this leaves to it. Its arrays over
// samples are in the order of watch.
//
// The sums of products in H cost O(n k²), all others O(n k). So H is kept with
// the slope of φ that each sample is in it with, and only samples whose slope has
// changed are added: behind an event that is one sample. So are the other sums where
// only zones have changed since they were taken.
type direct struct {
	*primal
	phi          []float64 // m φ
	phiU, phiAge []float64 // m ∂φ/∂u, m ∂φ/∂λ
	size         []float64 // of the terms of m φ
	rate         []float64 // the rate of m φ along the path

	grads, ages []float64 // k: Σ m φ x and Σ m ∂φ/∂λ x
	theta       []float64 // p: where they were taken
	age         float64   // NaN where they are to be taken anew
	taken       []int     // the active coordinates then
	moved       []int     // samples whose zones have changed since
	extent      float64   // Σ size
	watched     int       // watches at the last assemble: slots are those of other samples when there are more

	products    *products
	columns     []int     // the active coordinates of the sums below; nil before the first
	held        []float64 // m ∂φ/∂u of each sample in sum
	sum         []float64 // k x k, upper triangle: Σ held x xᵀ
	diags       []float64 // k: Σ |held| x², as it was when sum was last taken anew
	sizes       []float64 // k: Σ size |x|, as they were their total was last as different as a thousandth
	total       float64   // Σ size then
	sizeColumns []int     // the active coordinates then
	added       int       // samples added to sum since it was taken anew
	changed     []int     // scratch: the slots of samples whose slope has changed
}

func newDirect(s *primal) *direct {
	f := func() []float64 { return make([]float64, s.n) }
	return &direct{
		primal: s, phi: f(), phiU: f(), phiAge: f(), size: f(), rate: f(),
		grads: make([]float64, s.p), ages: make([]float64, s.p), theta: make([]float64, s.p), age: math.NaN(),
		products: newProducts(s.p), held: f(), sum: make([]float64, s.p*s.p), diags: make([]float64, s.p), sizes: make([]float64, s.p),
		changed: make([]int, 0, s.n),
	}
}

// steady is the change of a sample's slope, relative to it, up to which it
// stays in H as it is: far below what the factorization of H tells apart.
const steady = 1e-11

// through is the part of the predictor's relative changes, as the weight passes
// them on, that counts as a term of the optimality condition. The residual
// cannot fall below their rounding, some 1e-13 of this; a part of one would let
// the corrector stop too early where weights are small but change fast.
const through = 1e-3

func (d *direct) assemble(pt *point) {
	k := len(d.active)
	if d.watched != d.watches {
		d.watched, d.columns, d.age, d.total = d.watches, nil, math.NaN(), -1
	}
	if pt.age == d.age && slices.Equal(d.taken, d.active) && slices.Equal(d.theta, pt.theta) {
		d.amend(pt)
	} else {
		d.take(pt)
	}
	if !(math.Abs(d.extent-d.total) <= 1e-3*d.total) || !slices.Equal(d.sizeColumns, d.active) {
		d.total, d.sizeColumns = d.extent, append(d.sizeColumns[:0], d.active...)
		d.sumSizes()
	}
	blas64.Axpy(1, vector(d.grads[:k]), vector(d.residual[:k]))
	blas64.Axpy(1, vector(d.ages[:k]), vector(d.dage[:k]))
	for r := range k {
		d.scale[r] += d.sizes[r]
	}
}

// take sums over all watched samples.
func (d *direct) take(pt *point) {
	k := len(d.active)
	d.taken, d.moved, d.age = append(d.taken[:0], d.active...), d.moved[:0], pt.age
	copy(d.theta, pt.theta)
	d.extent = 0
	for slot, i := range d.watch {
		d.term(pt, slot, i)
		d.extent += d.size[slot]
	}
	clear(d.grads[:k])
	clear(d.ages[:k])
	if n := len(d.watch); n*k > 0 {
		kernel.MulTransAdd(d.grads[:k], d.xw, k, d.phi[:n])
		kernel.MulTransAdd(d.ages[:k], d.xw, k, d.phiAge[:n])
	}
}

// amend brings the sums up to date with the zones, where nothing else has changed.
func (d *direct) amend(pt *point) {
	k := len(d.active)
	for _, i := range d.moved {
		slot, watched := slices.BinarySearch(d.watch, i)
		if !watched {
			continue
		}
		phi, phiAge, size := d.phi[slot], d.phiAge[slot], d.size[slot]
		d.term(pt, slot, i)
		x := d.xw[slot*k : (slot+1)*k]
		kernel.Axpy(d.phi[slot]-phi, x, d.grads[:k])
		kernel.Axpy(d.phiAge[slot]-phiAge, x, d.ages[:k])
		d.extent += d.size[slot] - size
	}
	d.moved = d.moved[:0]
}

// term evaluates a sample's terms.
func (d *direct) term(pt *point, slot, i int) {
	loss, slope, curvature := pt.loss[slot], pt.slope[slot], pt.curvature[slot]
	if slope == 0 && curvature == 0 { // has no terms, whatever its weight, as beyond the margin
		d.phi[slot], d.phiU[slot], d.phiAge[slot], d.size[slot] = 0, 0, 0, 0
		return
	}
	v, dv, da := d.weight(d.zone[i], loss, pt.age)
	m := d.m[i]
	d.phi[slot], d.phiU[slot], d.phiAge[slot] = m*v*slope, m*(dv*slope*slope+v*curvature), m*da*slope
	d.size[slot] = m * (v*gradientTerms(pt.u[slot], slope, curvature) + d.passed(pt.u[slot], d.y[i], loss, slope, dv))
}

// passed returns the part of a sample's terms that the rounding of u, where weights
// enter from zero, brings in through its weight, of slope dv.
func (d *direct) passed(u, y, loss, slope, dv float64) float64 {
	distance := math.Abs(u) + math.Abs(y)
	if d.hinge != nil { // at least that, and can be summed over a zone
		distance = 2 + loss/d.hinge.C
	}
	// A weight changes by no more than 1, however steep it is.
	return math.Min(through*math.Abs(dv*slope)*distance, 1) * math.Abs(slope)
}

func (d *direct) curve(*point) {
	k := len(d.active)
	fresh := !slices.Equal(d.columns, d.active) || d.columns == nil
	d.changed = d.changed[:0]
	weighed := 0
	for slot, fu := range d.phiU[:len(d.watch)] {
		if fu != 0 {
			weighed++
		}
		if off := fu - d.held[slot]; !(math.Abs(off) <= steady*math.Abs(fu)) {
			d.changed = append(d.changed, slot)
			fresh = fresh || math.IsNaN(off) || math.IsInf(off, 0) // no difference takes that out of a sum
		}
	}
	if fresh || 2*len(d.changed) > weighed || d.added > len(d.watch) {
		d.sumProducts()
	} else {
		d.addProducts()
	}
	for r := range k {
		d.diag[r] += d.diags[r]
		blas64.Axpy(1, vector(d.sum[r*k+r:(r+1)*k]), vector(d.hess[r*k+r:(r+1)*k]))
	}
}

// sumProducts takes the sum in H anew.
func (d *direct) sumProducts() {
	k := len(d.active)
	d.columns = append(d.columns[:0:cap(d.columns)], d.active...)
	if d.columns == nil {
		d.columns = []int{}
	}
	sum, diags := d.sum[:k*k], d.diags[:k]
	clear(sum)
	clear(diags)
	for slot, fu := range d.phiU[:len(d.watch)] {
		if d.held[slot] = fu; fu != 0 {
			d.products.add(diags, d.xw[slot*k:(slot+1)*k], fu)
		}
	}
	d.products.flush(sum)
	d.added = 0
}

// addProducts brings the samples in changed up to date in the sum.
func (d *direct) addProducts() {
	k := len(d.active)
	sum, diags := d.sum[:k*k], d.diags[:k]
	for _, slot := range d.changed {
		fu := d.phiU[slot]
		d.products.add(diags, d.xw[slot*k:(slot+1)*k], fu-d.held[slot])
		d.held[slot] = fu
	}
	d.products.flush(sum)
	d.added += len(d.changed)
}

// sumSizes takes the sizes of the terms anew.
func (d *direct) sumSizes() {
	k := len(d.active)
	sizes := d.sizes[:k]
	clear(sizes)
	for slot, size := range d.size[:len(d.watch)] {
		if size == 0 {
			continue
		}
		for r, x := range d.xw[slot*k : (slot+1)*k] {
			sizes[r] += size * math.Abs(x)
		}
	}
}

func (d *direct) gradient(pt *point) {
	n := len(d.watch)
	for slot, du := range pt.du[:n] {
		d.rate[slot] = d.phiAge[slot] + d.phiU[slot]*du
	}
	d.sumRows(d.phi, pt.grad)
	d.sumRows(d.rate, pt.dgrad)
}

// sumRows writes Σ f x over all coordinates of the watched samples into dst.
func (d *direct) sumRows(f, dst []float64) {
	n := len(d.watch)
	switch {
	case n == d.n:
		blas64.Gemv(blas.Trans, 1, general(n, d.p, d.a), vector(f[:n]), 0, vector(dst))
	case len(d.active) == d.p && n > 0:
		blas64.Gemv(blas.Trans, 1, general(n, d.p, d.xw[:n*d.p]), vector(f[:n]), 0, vector(dst))
	default:
		clear(dst)
		for slot, i := range d.watch {
			blas64.Axpy(f[slot], vector(d.sample(i)), vector(dst))
		}
	}
}

func (d *direct) coordinate(j int) (gradient, dage, size float64) {
	for slot, i := range d.watch {
		x := d.a[i*d.p+j]
		gradient += d.phi[slot] * x
		dage += d.phiAge[slot] * x
		size += d.size[slot] * math.Abs(x)
	}
	return gradient, dage, size
}

func (d *direct) border(dst []float64, j int) (diagonal, magnitude float64) {
	k := len(d.active)
	clear(dst[:k])
	for slot, i := range d.watch {
		x := d.a[i*d.p+j]
		c := d.phiU[slot] * x
		if c == 0 {
			continue
		}
		diagonal += c * x
		magnitude += math.Abs(c * x)
		for r, xr := range d.xw[slot*k : (slot+1)*k] {
			dst[r] += c * xr
		}
	}
	return diagonal, magnitude
}

func (d *direct) gradients(gradient, size []float64) {
	clear(size)
	d.sumRows(d.phi, gradient)
	for slot, i := range d.watch {
		f := d.size[slot]
		if f == 0 {
			continue
		}
		for j, x := range d.sample(i) {
			size[j] += f * math.Abs(x)
		}
	}
}

func (d *direct) place(zones []uint8, _ []float64) {
	copy(d.zone, zones)
	d.age, d.total = math.NaN(), -1
}

func (d *direct) move(i int, _ uint8, _ []float64) { d.moved = append(d.moved, i) }

func (d *direct) objective() float64 {
	var sum float64
	for slot, i := range d.watch {
		sum += d.m[i] * d.reg.Integral(d.assembled.loss[slot], d.assembled.age)
	}
	return sum
}
