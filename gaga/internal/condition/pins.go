package condition

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/internal/kernel"
)

// pins are the pinned samples as equality constraints 1 - y_i u_i = 0, whose multipliers are
// unknowns. A row of G is -y_i x_i.
type pins struct {
	*sums.Scope
	g        []float64 // len(Pins) x len(Active)
	absolute []float64
	dual     []float64
	size     []float64
	theta    []float64
}

func newPins(s *sums.Scope) *pins {
	room := 0
	if s.Kinked() {
		room = s.P
	}
	return &pins{Scope: s, g: make([]float64, room*room), absolute: make([]float64, room*room), dual: make([]float64, room), size: make([]float64, room), theta: make([]float64, room)}
}

// choose pins at most one sample for each active coordinate: further ones are dependent.
func (p *pins) choose() {
	p.Pins = p.Pins[:0]
	if !p.Kinked() {
		return
	}
	k := len(p.Active)
	if p.Members[model.Pinned] > 0 {
		for i, z := range p.Zone {
			if z == model.Pinned && len(p.Pins) < k {
				p.Pins = append(p.Pins, i)
			}
		}
	}
	for c, i := range p.Pins {
		row, absolute, x, y := p.g[c*k:(c+1)*k], p.absolute[c*k:(c+1)*k], p.Row(i), -p.Y[i]
		for r, j := range p.Active {
			row[r] = y * x[j]
			absolute[r] = math.Abs(x[j])
		}
	}
}

func (p *pins) assemble(pt *model.Point) {
	k, z := len(p.Active), len(p.Pins)
	if z == 0 {
		return
	}
	g, absolute, dual, size := p.g[:z*k], p.absolute[:z*k], p.dual[:z], p.size[:z]
	for q, i := range p.Pins {
		dual[q], size[q] = pt.Dual[i], math.Abs(pt.Dual[i])
	}
	kernel.MulTransAdd(p.Residual[:k], g, k, dual)
	kernel.MulTransAdd(p.Scale[:k], absolute, k, size)
	theta := p.Gather(p.theta, pt.Theta)
	kernel.MulVec(p.Residual[k:k+z], g, k, theta)
	for r, w := range theta {
		theta[r] = math.Abs(w)
	}
	kernel.MulVec(p.Scale[k:k+z], absolute, k, theta)
	for q := range z {
		p.Residual[k+q]++
		p.Scale[k+q]++
	}
}

func (p *pins) addGradient(gradient, size []float64, pt *model.Point) {
	for _, i := range p.Pins {
		f := -p.Y[i] * pt.Dual[i]
		for j, x := range p.Row(i) {
			x *= f
			gradient[j] += x
			size[j] += math.Abs(x)
		}
	}
}

func (p *pins) violation(pt *model.Point) float64 {
	var worst float64
	for _, i := range p.Pins {
		u, size, top := 0.0, 1.0, p.Bound*p.M[i]
		for j, x := range p.Row(i) {
			u += x * pt.Theta[j]
			size += math.Abs(x * pt.Theta[j])
		}
		worst = math.Max(worst, math.Abs(1-p.Y[i]*u)/size)
		worst = math.Max(worst, math.Max(-pt.Dual[i], pt.Dual[i]-top)/top)
	}
	return worst
}
