package sums

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// direct sums the terms of the watched samples one by one, for every loss and regularizer. Its
// arrays over samples are in the order of Watch.
type direct struct {
	kind
	s            *Scope
	phi          []float64
	phiU, phiAge []float64
	size         []float64
	rate         []float64
	scale        scaleSums
	hess         productSums
	wide         []float64 // watched rows, if Scope.Rows lacks columns
	gathered     int       // Watched for wide
	watched      int       // at a larger Watched slots belong to other samples
}

// scaleSums are the terms' sizes, recomputed if their total has changed by [tolerance.SizeChange].
type scaleSums struct {
	sizes   []float64 // Σ size |x|
	total   float64   // Σ size; -1 if due
	columns []int
}

// NewDirect returns terms that sum over the watched samples.
func NewDirect(s *Scope) Activations {
	return &direct{
		gathered: -1, s: s,
		phi: make([]float64, s.N), phiU: make([]float64, s.N), phiAge: make([]float64, s.N), size: make([]float64, s.N), rate: make([]float64, s.N),
		scale: scaleSums{sizes: make([]float64, s.P), total: -1},
		hess:  productSums{products: dense.NewProducts(s.P), held: make([]float64, s.N), sum: make([]float64, s.P*s.P), diags: make([]float64, s.P)}, watched: -1,
	}
}

func (d *direct) Assemble(pt *model.Point) {
	s := d.s
	if d.watched != s.Watched {
		d.watched, d.hess.known, d.scale.total = s.Watched, false, -1
	}
	d.rescale(d.evaluateAll(pt))
	k, n := len(s.Active), len(s.Watch)
	if n*k > 0 {
		kernel.MulTransAdd(s.Residual[:k], s.Rows, k, d.phi[:n])
		kernel.MulTransAdd(s.Dage[:k], s.Rows, k, d.phiAge[:n])
	}
	for r := range k {
		s.Scale[r] += d.scale.sizes[r]
	}
}

func (d *direct) evaluateAll(pt *model.Point) (extent float64) {
	for slot, i := range d.s.Watch {
		d.evaluate(pt, slot, i)
		extent += d.size[slot]
	}
	return extent
}

func (d *direct) evaluate(pt *model.Point, slot, i int) {
	loss, slope, curvature := pt.Loss[slot], pt.Slope[slot], pt.Curvature[slot]
	weightless := !d.s.Weighed && int(d.s.Zone[i]) == len(d.s.Zones)-1
	if weightless || slope == 0 && curvature == 0 {
		d.phi[slot], d.phiU[slot], d.phiAge[slot], d.size[slot] = 0, 0, 0, 0
		return
	}
	var v, dv float64
	d.phi[slot], d.phiU[slot], d.phiAge[slot], v, dv = d.s.weigh(i, pt.Age, loss, slope, curvature)
	d.size[slot] = d.s.size(i, pt.U[slot], loss, slope, curvature, v, dv)
}

func (d *direct) rescale(extent float64) {
	s, c := d.s, &d.scale
	if math.Abs(extent-c.total) <= tolerance.SizeChange*c.total && slices.Equal(c.columns, s.Active) {
		return
	}
	c.total, c.columns = extent, append(c.columns[:0], s.Active...)
	k := len(s.Active)
	clear(c.sizes[:k])
	if n := len(d.s.Watch); n*k > 0 {
		kernel.MulTransAddAbs(c.sizes[:k], s.Rows, k, d.size[:n])
	}
}

func (d *direct) Curve(*model.Point) {
	s, h := d.s, &d.hess
	k := len(s.Active)
	h.update(s, d.phiU[:len(d.s.Watch)])
	for r := range k {
		s.Diag[r] += h.diags[r]
		blas64.Axpy(1, dense.Vector(h.sum[r*k+r:(r+1)*k]), dense.Vector(s.Hess[r*k+r:(r+1)*k]))
	}
}

func (d *direct) Gradient(pt *model.Point) {
	for slot, du := range pt.DU[:len(d.s.Watch)] {
		d.rate[slot] = d.phiAge[slot] + d.phiU[slot]*du
	}
	d.sumRows(d.phi, pt.Grad)
	d.sumRows(d.rate, pt.DGrad)
}

func (d *direct) sumRows(f, dst []float64) {
	clear(dst)
	if n := len(d.s.Watch); n > 0 {
		kernel.MulTransAdd(dst, d.rows(), d.s.P, f[:n])
	}
}

func (d *direct) rows() []float64 {
	s := d.s
	switch {
	case len(s.Watch) == s.N:
		return s.Samples.Rows
	case len(s.Active) == s.P:
		return s.Rows
	}
	if d.gathered != s.Watched {
		d.gathered = s.Watched
		if d.wide == nil {
			d.wide = make([]float64, s.N*s.P)
		}
		for slot, i := range s.Watch {
			copy(d.wide[slot*s.P:], s.Row(i))
		}
	}
	return d.wide
}

func (d *direct) Coordinate(j int) (gradient, dage, size float64) {
	for slot, i := range d.s.Watch {
		x := d.s.Row(i)[j]
		gradient += d.phi[slot] * x
		dage += d.phiAge[slot] * x
		size += d.size[slot] * math.Abs(x)
	}
	return gradient, dage, size
}

func (d *direct) Border(dst []float64, j int) (diagonal, magnitude float64) {
	s, k := d.s, len(d.s.Active)
	clear(dst[:k])
	for slot, i := range d.s.Watch {
		x := s.Row(i)[j]
		c := d.phiU[slot] * x
		if c == 0 {
			continue
		}
		diagonal += c * x
		magnitude += math.Abs(c * x)
		for r, xr := range s.Rows[slot*k : (slot+1)*k] {
			dst[r] += c * xr
		}
	}
	return diagonal, magnitude
}

func (d *direct) Gradients(gradient, size []float64) {
	d.sumRows(d.phi, gradient)
	clear(size)
	if n := len(d.s.Watch); n > 0 {
		kernel.MulTransAddAbs(size, d.rows(), d.s.P, d.size[:n])
	}
}

func (d *direct) Place(zones []uint8, _ []float64) {
	copy(d.s.Zone, zones)
	d.scale.total = -1
}

func (d *direct) Move(int, uint8, []float64) {}

func (d *direct) Objective() (sum float64) {
	s, at := d.s, d.s.At
	// Weights fall with the loss: one of 1 at the first threshold is 1 below.
	threshold, _ := s.Regularizer.Threshold(0, at.Age)
	first, _, _ := s.Regularizer.Weight(0, threshold, at.Age)
	for slot, i := range s.Watch {
		if first == 1 && int(s.Zone[i]) == s.Kinks {
			sum += s.M[i] * at.Loss[slot]
		} else {
			sum += s.M[i] * s.Regularizer.Integral(at.Loss[slot], at.Age)
		}
	}
	return sum
}
