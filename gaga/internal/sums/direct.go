package sums

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/kernel"
)

// direct sums the terms sample by sample, with all samples watched. It serves every loss
// and regularizer.
//
// Where only zones have changed since the last sums, only the samples that changed theirs
// are evaluated. H has a memory of its own, see productSums.
type direct struct {
	kind
	s            *Scope
	phi          []float64 // m φ
	phiU, phiAge []float64 // m ∂φ/∂u, m ∂φ/∂λ
	size         []float64 // of the terms of m φ
	rate         []float64 // scratch: the rate of m φ along the path
	at           pointSums
	scale        scaleSums
	hess         productSums
	ratios       []ratio // scratch: of each zone, where all weights are ratios
	power        int     // a zone whose weight is a power that takes long, or -1
}

// pointSums are sums at a point.
type pointSums struct {
	grads, dages []float64 // k: Σ m φ x and Σ m ∂φ/∂λ x
	extent       float64   // Σ size
	theta        []float64 // P
	age          float64   // NaN where the sums are to be taken anew
	columns      []int     // the active coordinates
	moved        []int     // samples whose zones have changed since
}

// scaleSums are the sizes of the terms, as they were when their total was last different
// by [tolerance.SizeChange].
type scaleSums struct {
	sizes   []float64 // k: Σ size |x|
	total   float64   // Σ size; -1 where the sums are to be taken anew
	columns []int     // the active coordinates
}

// NewDirect returns terms that sum over the samples, all of which are watched.
func NewDirect(s *Scope) Activations {
	d := &direct{
		power: -1, s: s, phi: zeros(s.N), phiU: zeros(s.N), phiAge: zeros(s.N), size: zeros(s.N), rate: zeros(s.N),
		at:    pointSums{grads: zeros(s.P), dages: zeros(s.P), theta: zeros(s.P), age: math.NaN()},
		scale: scaleSums{sizes: zeros(s.P), total: -1},
		hess:  newProductSums(s.N, s.P),
	}
	if s.Power == nil {
		return d
	}
	for k := range s.Thresholds() + 1 {
		if q := s.Power(k).Q; math.Abs(q) != 1 && q != 0 {
			d.power = s.Kinks + k
		}
	}
	if d.power < 0 {
		d.ratios = make([]ratio, s.Kinks+s.Thresholds()+1)
	}
	return d
}

func (d *direct) Assemble(pt *model.Point) {
	s, at := d.s, &d.at
	if pt.Age == at.age && slices.Equal(at.columns, s.Active) && slices.Equal(at.theta, pt.Theta) {
		d.amend(pt)
	} else {
		d.take(pt)
	}
	d.rescale()
	k := len(s.Active)
	blas64.Axpy(1, vector(at.grads[:k]), vector(s.Residual[:k]))
	blas64.Axpy(1, vector(at.dages[:k]), vector(s.Dage[:k]))
	for r := range k {
		s.Scale[r] += d.scale.sizes[r]
	}
}

// take sums over all samples.
func (d *direct) take(pt *model.Point) {
	s, at := d.s, &d.at
	k := len(s.Active)
	at.columns, at.moved, at.age = append(at.columns[:0], s.Active...), at.moved[:0], pt.Age
	copy(at.theta, pt.Theta)
	at.extent = 0
	d.evaluateAll(pt)
	for _, size := range d.size {
		at.extent += size
	}
	clear(at.grads[:k])
	clear(at.dages[:k])
	if k > 0 {
		kernel.MulTransAdd(at.grads[:k], s.Rows, k, d.phi)
		kernel.MulTransAdd(at.dages[:k], s.Rows, k, d.phiAge)
	}
}

// amend brings the sums up to date with the zones, where nothing else has changed.
func (d *direct) amend(pt *model.Point) {
	s, at := d.s, &d.at
	k := len(s.Active)
	for _, i := range at.moved {
		phi, phiAge, size := d.phi[i], d.phiAge[i], d.size[i]
		d.evaluate(pt, i)
		x := s.Rows[i*k : (i+1)*k]
		kernel.Axpy(d.phi[i]-phi, x, at.grads[:k])
		kernel.Axpy(d.phiAge[i]-phiAge, x, at.dages[:k])
		at.extent += d.size[i] - size
	}
	at.moved = at.moved[:0]
}

// ratio is the weight of a zone at an age, as a function of the loss alone: over, or with a
// divisor level + rise l, over that.
type ratio struct {
	divides     bool
	over, level float64
	rise        float64
	first, last float64 // the derivative in the age, relative to the weight: first + last / divisor
}

// newRatio returns that of a power, whose Q is 0 or -1, at an age; false for others.
func newRatio(w model.Power, age float64) (r ratio, ok bool) {
	low := w.A[0] + w.A[1]*age
	r.over = kernel.Pow(low, w.P)
	if w.P != 0 {
		r.first = w.P * w.A[1] / low
	}
	if w.Q == 0 {
		return r, true
	}
	r.divides, r.level, r.rise, r.last = true, w.B[0]+w.B[1]*age, w.B[2], -w.B[1]
	return r, w.Q == -1
}

// evaluateRatios is evaluateAll where all weights are ratios, with no call for each sample. It
// reports false where one is not.
func (d *direct) evaluateRatios(pt *model.Point) bool {
	s := d.s
	for k := range s.Thresholds() + 1 {
		var ok bool
		if d.ratios[s.Kinks+k], ok = newRatio(s.Power(k), pt.Age); !ok {
			return false
		}
	}
	for i, z := range s.Zone {
		loss, slope, curvature := pt.Loss[i], pt.Slope[i], pt.Curvature[i]
		if int(z) < s.Kinks || slope == 0 && curvature == 0 {
			d.evaluate(pt, i)
			continue
		}
		w, m := &d.ratios[z], s.M[i]
		v, dv, dage := w.over, 0.0, w.first
		if w.divides {
			inverse := 1 / (w.level + w.rise*loss)
			v *= inverse
			dv = -v * w.rise * inverse
			dage += w.last * inverse
		}
		d.phi[i], d.phiU[i], d.phiAge[i] = m*v*slope, m*(dv*slope*slope+v*curvature), m*v*dage*slope
		d.size[i] = s.size(i, pt.U[i], loss, slope, curvature, v, dv)
	}
	return true
}

// evaluateAll evaluates the terms of all samples.
func (d *direct) evaluateAll(pt *model.Point) {
	s := d.s
	if d.ratios != nil && d.evaluateRatios(pt) {
		return
	}
	if d.power < 0 {
		for i := range s.N {
			d.evaluate(pt, i)
		}
		return
	}
	// The weight of a zone is the power Q of scale B, as that costs a logarithm and an exponential.
	const least = 0x1p-1000 // smaller numbers may not be normal
	w, zone := s.Power(d.power-s.Kinks), uint8(d.power)
	low, level := w.A[0]+w.A[1]*pt.Age, w.B[0]+w.B[1]*pt.Age
	scale := kernel.Pow(low, w.P/w.Q)
	slopeIn, first, second := w.Q*w.B[2]*scale, w.P*w.A[1]/low, w.Q*w.B[1]*scale
	for i, z := range s.Zone {
		base := scale * (level + w.B[2]*pt.Loss[i])
		if z != zone || !(base > least) {
			d.evaluate(pt, i)
			continue
		}
		v, over := kernel.Pow(base, w.Q), 1/base
		loss, slope, curvature := pt.Loss[i], pt.Slope[i], pt.Curvature[i]
		m, dv := s.M[i], v*slopeIn*over
		d.phi[i], d.phiU[i] = m*v*slope, m*(dv*slope*slope+v*curvature)
		d.phiAge[i] = m * v * (first + second*over) * slope
		d.size[i] = s.size(i, pt.U[i], loss, slope, curvature, v, dv)
	}
}

// evaluate evaluates the terms of sample i.
func (d *direct) evaluate(pt *model.Point, i int) {
	loss, slope, curvature := pt.Loss[i], pt.Slope[i], pt.Curvature[i]
	weightless := !d.s.Weighed && int(d.s.Zone[i]) == len(d.s.Zones)-1
	if weightless || slope == 0 && curvature == 0 { // beyond the margin there are no terms, whatever the weight
		d.phi[i], d.phiU[i], d.phiAge[i], d.size[i] = 0, 0, 0, 0
		return
	}
	var v, dv float64
	d.phi[i], d.phiU[i], d.phiAge[i], v, dv = d.s.weigh(i, pt.Age, loss, slope, curvature)
	d.size[i] = d.s.size(i, pt.U[i], loss, slope, curvature, v, dv)
}

// rescale takes the sizes of the terms anew where they have changed.
func (d *direct) rescale() {
	s, c := d.s, &d.scale
	if math.Abs(d.at.extent-c.total) <= tolerance.SizeChange*c.total && slices.Equal(c.columns, s.Active) {
		return
	}
	c.total, c.columns = d.at.extent, append(c.columns[:0], s.Active...)
	k := len(s.Active)
	clear(c.sizes[:k])
	if k > 0 {
		kernel.MulTransAddAbs(c.sizes[:k], s.Rows, k, d.size)
	}
}

func (d *direct) Curve(*model.Point) {
	s, h := d.s, &d.hess
	k := len(s.Active)
	h.update(s, d.phiU)
	for r := range k {
		s.Diag[r] += h.diags[r]
		blas64.Axpy(1, vector(h.sum[r*k+r:(r+1)*k]), vector(s.Hess[r*k+r:(r+1)*k]))
	}
}

func (d *direct) Gradient(pt *model.Point) {
	for i, du := range pt.DU {
		d.rate[i] = d.phiAge[i] + d.phiU[i]*du
	}
	d.sumRows(d.phi, pt.Grad)
	d.sumRows(d.rate, pt.DGrad)
}

// sumRows writes Σ f x over all coordinates into dst.
func (d *direct) sumRows(f, dst []float64) {
	clear(dst)
	kernel.MulTransAdd(dst, d.s.Samples.Rows, d.s.P, f)
}

func (d *direct) Coordinate(j int) (gradient, dage, size float64) {
	for i, phi := range d.phi {
		x := d.s.Row(i)[j]
		gradient += phi * x
		dage += d.phiAge[i] * x
		size += d.size[i] * math.Abs(x)
	}
	return gradient, dage, size
}

func (d *direct) Border(dst []float64, j int) (diagonal, magnitude float64) {
	s, k := d.s, len(d.s.Active)
	clear(dst[:k])
	for i, phiU := range d.phiU {
		x := s.Row(i)[j]
		c := phiU * x
		if c == 0 {
			continue
		}
		diagonal += c * x
		magnitude += math.Abs(c * x)
		for r, xr := range s.Rows[i*k : (i+1)*k] {
			dst[r] += c * xr
		}
	}
	return diagonal, magnitude
}

func (d *direct) Gradients(gradient, size []float64) {
	d.sumRows(d.phi, gradient)
	clear(size)
	kernel.MulTransAddAbs(size, d.s.Samples.Rows, d.s.P, d.size)
}

func (d *direct) Place(zones []uint8, _ []float64) {
	copy(d.s.Zone, zones)
	d.at.age, d.scale.total = math.NaN(), -1
}

func (d *direct) Move(i int, _ uint8, _ []float64) { d.at.moved = append(d.at.moved, i) }

func (d *direct) Objective() (sum float64) {
	at := d.s.At
	for i, m := range d.s.M {
		sum += m * d.s.Regularizer.Integral(at.Loss[i], at.Age)
	}
	return sum
}
