package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// direct sums the terms of the optimality condition sample by sample. It
// serves every loss and regularizer, and watches all samples.
type direct struct {
	*primal
	phi          []float64 // n: m φ
	phiU, phiAge []float64 // n: m ∂φ/∂u, m ∂φ/∂λ
	size         []float64 // n: of the terms of m φ
	rate         []float64 // n: the rate of m φ along the path
}

func newDirect(s *primal) *direct {
	f := func() []float64 { return make([]float64, s.n) }
	return &direct{primal: s, phi: f(), phiU: f(), phiAge: f(), size: f(), rate: f()}
}

func (d *direct) assemble(pt *point) {
	for i := range d.n {
		loss, slope, curvature := pt.loss[i], pt.slope[i], pt.curvature[i]
		v, dv, da := d.weight(d.zone[i], loss, pt.age)
		m := d.m[i]
		f, fu, fa := m*v*slope, m*(dv*slope*slope+v*curvature), m*da*slope
		d.phi[i], d.phiU[i], d.phiAge[i] = f, fu, fa
		d.size[i] = m * v * gradientTerms(pt.u[i], slope, curvature)
		if f == 0 && fu == 0 && fa == 0 {
			continue
		}
		d.accumulate(i, f, fu, fa, d.size[i])
	}
}

// accumulate adds sample i's terms to residual, scale, hess, diag and dage;
// terms is the size of what f is the sum of.
func (d *direct) accumulate(i int, f, fu, fa, terms float64) {
	k := len(d.active)
	x := d.xw[i*k : (i+1)*k]
	res, scale, dage, diag := d.residual[:k], d.scale[:k], d.dage[:k], d.diag[:k]
	absU := math.Abs(fu)
	for r, xr := range x {
		res[r] += f * xr
		dage[r] += fa * xr
		scale[r] += terms * math.Abs(xr)
		diag[r] += absU * xr * xr
		c := fu * xr
		if c == 0 {
			continue
		}
		h := d.hess[r*k+r : r*k+k]
		for q, xq := range x[r:] {
			h[q] += c * xq
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

func (d *direct) place(zones []uint8, _ []float64) { copy(d.zone, zones) }

// move does nothing: the zones are read anew each time.
func (d *direct) move(int, uint8, []float64) {}

func (d *direct) objective() float64 {
	var sum float64
	for i, loss := range d.assembled.loss {
		sum += d.m[i] * d.reg.Integral(loss, d.assembled.age)
	}
	return sum
}
