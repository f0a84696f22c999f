package audit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/gaga/internal/tolerance"
)

type coefficients struct{}

func (coefficients) residual(e *evaluation) string {
	p := e.p
	for j, w := range e.pt.Theta {
		if e.Frozen && p.L1[j] == 0 && p.L2[j] == 0 {
			continue
		}
		grad := p.L2[j] * w
		scale, rounding := math.Abs(grad)+p.L1[j]+e.floor[j], 0.0
		for i := range e.of {
			s, x := &e.of[i], e.row(i)[j]
			if s.zone == pinned {
				grad -= p.Y[i] * e.pt.Dual[i] * x
				scale += math.Abs(e.pt.Dual[i] * x)
			}
			grad += p.M[i] * s.weight * s.slope * x
			rounding += p.M[i] * math.Abs(s.dloss*x*s.slope) * s.rounding
			scale += p.M[i] * s.weight * (math.Abs(s.slope) + s.curvature*math.Abs(s.u)) * math.Abs(x)
		}
		off := math.Abs(grad) - p.L1[j]
		if e.Sign[j] != 0 {
			off = math.Abs(grad + p.L1[j]*e.Sign[j])
		}
		if !(off <= tolerance.KKT*scale+rounding) {
			return fmt.Sprintf("the residual in coordinate %d is %.3g of the scale %.3g", j, off, scale)
		}
	}
	return ""
}

// jacobian returns H bordered by the rows of the pinned samples, scaled to unit diagonal of H's
// positive terms and largest entries 1 of the rows.
func (coefficients) jacobian(e *evaluation) (*mat.SymDense, int) {
	k := len(e.Active)
	j, scale := mat.NewSymDense(e.Unknowns(), nil), make([]float64, k)
	for r, c := range e.Active {
		j.SetSym(r, r, e.p.L2[c])
		scale[r] = e.p.L2[c]
	}
	for i := range e.of {
		s, row := &e.of[i], e.row(i)
		f := e.p.M[i] * (e.flattest(i)*s.slope*s.slope + s.weight*s.curvature)
		for r, a := range e.Active {
			scale[r] += math.Abs(f) * row[a] * row[a]
			for q, b := range e.Active[:r+1] {
				j.SetSym(r, q, j.At(r, q)+f*row[a]*row[b])
			}
		}
	}
	for r, size := range scale {
		if scale[r] = 1; size > 0 {
			scale[r] = 1 / math.Sqrt(size)
		}
		for q := range r + 1 {
			j.SetSym(r, q, j.At(r, q)*scale[r]*scale[q])
		}
	}
	for q, i := range e.Pins {
		row, largest := e.row(i), 0.0
		for r, a := range e.Active {
			largest = math.Max(largest, math.Abs(row[a])*scale[r])
		}
		for r, a := range e.Active {
			j.SetSym(r, k+q, row[a]*scale[r]/largest)
		}
	}
	return j, k
}
