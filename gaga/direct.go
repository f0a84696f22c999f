package gaga

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// direct sums the terms of the optimality condition sample by sample. It
// serves every loss and regularizer, and watches all samples.
//
// The sums of products in H cost O(n k²), all others O(n k). So H is kept with
// the slope of φ that each sample is in it with, and only samples whose slope has
// changed are added: behind an event that is one sample.
type direct struct {
	*primal
	phi          []float64 // n: m φ
	phiU, phiAge []float64 // n: m ∂φ/∂u, m ∂φ/∂λ
	size         []float64 // n: of the terms of m φ
	rate         []float64 // n: the rate of m φ along the path

	products    *products
	columns     []int     // the active coordinates of the sums below; nil before the first
	held        []float64 // n: m ∂φ/∂u of each sample in sum
	sum         []float64 // k x k, upper triangle: Σ held x xᵀ
	diags       []float64 // k: Σ |held| x², as it was when sum was last taken anew
	sizes       []float64 // k: Σ size |x|, as they were their total was last as different as a thousandth
	total       float64   // Σ size then
	sizeColumns []int     // the active coordinates then
	added       int       // samples added to sum since it was taken anew
	changed     []int     // scratch: the samples whose slope has changed
}

func newDirect(s *primal) *direct {
	f := func() []float64 { return make([]float64, s.n) }
	return &direct{
		primal: s, phi: f(), phiU: f(), phiAge: f(), size: f(), rate: f(),
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
	var total float64
	for i := range d.n {
		loss, slope, curvature := pt.loss[i], pt.slope[i], pt.curvature[i]
		v, dv, da := d.weight(d.zone[i], loss, pt.age)
		m := d.m[i]
		d.phi[i], d.phiU[i], d.phiAge[i] = m*v*slope, m*(dv*slope*slope+v*curvature), m*da*slope
		// Where weights enter from zero the rounding of u counts through them.
		distance := math.Abs(pt.u[i]) + math.Abs(d.y[i])
		if d.hinge != nil { // at least that, and can be summed over a zone
			distance = 2 + loss/d.hinge.C
		}
		// A weight changes by no more than 1, however steep it is.
		passed := math.Min(through*math.Abs(dv*slope)*distance, 1) * math.Abs(slope)
		d.size[i] = m * (v*gradientTerms(pt.u[i], slope, curvature) + passed)
		total += d.size[i]
	}
	if !(math.Abs(total-d.total) <= 1e-3*d.total) || !slices.Equal(d.sizeColumns, d.active) {
		d.total, d.sizeColumns = total, append(d.sizeColumns[:0], d.active...)
		d.sumSizes()
	}
	rows := general(d.n, k, d.xw[:d.n*k])
	if k > 0 {
		blas64.Gemv(blas.Trans, 1, rows, vector(d.phi), 1, vector(d.residual[:k]))
		blas64.Gemv(blas.Trans, 1, rows, vector(d.phiAge), 1, vector(d.dage[:k]))
	}
	for r := range k {
		d.scale[r] += d.sizes[r]
	}
}

func (d *direct) curve(*point) {
	k := len(d.active)
	fresh := !slices.Equal(d.columns, d.active) || d.columns == nil
	d.changed = d.changed[:0]
	weighed := 0
	for i, fu := range d.phiU {
		if fu != 0 {
			weighed++
		}
		if off := fu - d.held[i]; !(math.Abs(off) <= steady*math.Abs(fu)) {
			d.changed = append(d.changed, i)
			fresh = fresh || math.IsNaN(off) || math.IsInf(off, 0) // no difference takes that out of a sum
		}
	}
	if fresh || 2*len(d.changed) > weighed || d.added > d.n {
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
	for i, fu := range d.phiU {
		if d.held[i] = fu; fu != 0 {
			d.products.add(sum, diags, d.xw[i*k:(i+1)*k], fu)
		}
	}
	d.products.flush(sum, diags)
	d.added = 0
}

// addProducts brings the samples in changed up to date in the sum.
func (d *direct) addProducts() {
	k := len(d.active)
	sum, diags := d.sum[:k*k], d.diags[:k]
	for _, i := range d.changed {
		fu := d.phiU[i]
		d.products.add(sum, diags, d.xw[i*k:(i+1)*k], fu-d.held[i])
		d.held[i] = fu
	}
	d.products.flush(sum, diags)
	d.added += len(d.changed)
}

// sumSizes takes the sizes of the terms anew.
func (d *direct) sumSizes() {
	k := len(d.active)
	sizes := d.sizes[:k]
	clear(sizes)
	for i, size := range d.size {
		if size == 0 {
			continue
		}
		for r, x := range d.xw[i*k : (i+1)*k] {
			sizes[r] += size * math.Abs(x)
		}
	}
}

func (d *direct) gradient(pt *point) {
	for i, du := range pt.du {
		d.rate[i] = d.phiAge[i] + d.phiU[i]*du
	}
	rows := general(d.n, d.p, d.a)
	blas64.Gemv(blas.Trans, 1, rows, vector(d.phi), 0, vector(pt.grad))
	blas64.Gemv(blas.Trans, 1, rows, vector(d.rate), 0, vector(pt.dgrad))
}

func (d *direct) coordinate(j int) (gradient, dage, size float64) {
	for i, f := range d.phi {
		x := d.a[i*d.p+j]
		gradient += f * x
		dage += d.phiAge[i] * x
		size += d.size[i] * math.Abs(x)
	}
	return gradient, dage, size
}

func (d *direct) border(dst []float64, j int) (diagonal, magnitude float64) {
	k := len(d.active)
	clear(dst[:k])
	for i, fu := range d.phiU {
		x := d.a[i*d.p+j]
		c := fu * x
		if c == 0 {
			continue
		}
		diagonal += c * x
		magnitude += math.Abs(c * x)
		for r, xr := range d.xw[i*k : (i+1)*k] {
			dst[r] += c * xr
		}
	}
	return diagonal, magnitude
}

func (d *direct) gradients(gradient, size []float64) {
	clear(size)
	blas64.Gemv(blas.Trans, 1, general(d.n, d.p, d.a), vector(d.phi), 0, vector(gradient))
	for i, f := range d.size {
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
	d.total = -1
}

// move does nothing: the zones are read anew each time.
func (d *direct) move(int, uint8, []float64) {}

func (d *direct) objective() float64 {
	var sum float64
	for i, loss := range d.assembled.loss {
		sum += d.m[i] * d.reg.Integral(loss, d.assembled.age)
	}
	return sum
}
