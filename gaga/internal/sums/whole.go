package sums

import "github.com/agepath/agepath/gaga/internal/model"

// whole has terms over all coordinates at the point of the last Assemble.
type whole struct {
	grad, dgrad []float64 // Σ m φ a and Σ m ∂φ/∂λ a
	sizes       []float64
	value       float64 // Σ m F
}

func (w *whole) reset() {
	clear(w.grad)
	clear(w.dgrad)
	w.value = 0
}

func (w *whole) addTo(s *Scope) {
	for r, j := range s.Active {
		s.Residual[r] += w.grad[j]
		s.Dage[r] += w.dgrad[j]
		s.Scale[r] += w.sizes[j]
	}
}

func (w *whole) Gradients(gradient, size []float64) {
	copy(gradient, w.grad)
	copy(size, w.sizes)
}

func (w *whole) Objective() float64 { return w.value }

type curved struct {
	whole
	full   []float64
	stride int
	diags  []float64 // Σ m|∂φ/∂u| a_j²
}

// newCurved returns terms over p coordinates, with rows of length stride >= p.
func newCurved(p, stride int) curved {
	return curved{
		whole: whole{grad: make([]float64, stride), dgrad: make([]float64, stride), sizes: make([]float64, p)},
		full:  make([]float64, stride*stride), stride: stride, diags: make([]float64, p),
	}
}

func (c *curved) reset() {
	c.whole.reset()
	clear(c.full)
}

func (c *curved) entry(a, b int) float64 { return c.full[min(a, b)*c.stride+max(a, b)] }

func (c *curved) bend(s *Scope) {
	k := len(s.Active)
	for r, j := range s.Active {
		s.Diag[r] += c.diags[j]
		for q := r; q < k; q++ {
			s.Hess[r*k+q] += c.full[j*c.stride+s.Active[q]]
		}
	}
}

func (c *curved) slope(s *Scope, pt *model.Point) {
	for j := range s.P {
		rate := c.dgrad[j]
		for _, k := range s.Active {
			rate += c.entry(j, k) * pt.Rate[k]
		}
		pt.Grad[j] += c.grad[j]
		pt.DGrad[j] += rate
	}
}

func (c *curved) Coordinate(j int) (gradient, dage, size float64) {
	return c.grad[j], c.dgrad[j], c.sizes[j]
}

func (c *curved) border(s *Scope, dst []float64, j int) (diagonal, magnitude float64) {
	for r, k := range s.Active {
		dst[r] += c.entry(j, k)
	}
	return c.entry(j, j), c.diags[j]
}
