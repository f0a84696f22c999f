package landing

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

type weighting uint8

const (
	constantWeight weighting = iota
	linearWeight             // sums determine Σ m v z
	varyingWeight
)

// hingeZones sums the gradient of a weighted fit's loss terms over the zones, except zones of
// varying weight. z is -y x.
type hingeZones struct {
	*machine
	age        float64
	thresholds []float64
	kind       []weighting
	weights    []float64 // v where constant
	linear     int
	constant   []float64 // Σ C m v z over zones of constant weight
	first      []float64 // Σ m z over the linear zone
	second     []float64 // Σ m z zᵀ over it
	row        []float64
}

func newHingeZones(m *machine, c *condition.Primal) *hingeZones {
	f := func(k int) []float64 { return make([]float64, k) }
	k := m.Thresholds() + 1
	z := &hingeZones{machine: m, thresholds: f(k - 1), kind: make([]weighting, k), weights: f(k), constant: f(m.P), row: f(m.P)}
	margins, summed := c.Terms().(*sums.Margins)
	for k := range z.kind {
		switch {
		case summed && margins.Curved() == m.Kinks+k:
			z.kind[k], z.linear, z.first, z.second = linearWeight, k, f(m.P), f(m.P*m.P)
		case m.Curved[m.Kinks+k]:
			z.kind[k] = varyingWeight
		}
	}
	return z
}

func (z *hingeZones) begin(c *condition.Primal, age float64, scratch []float64) {
	z.age = age
	z.ThresholdsAt(z.thresholds, age)
	clear(z.constant)
	some := false
	for k, kind := range z.kind {
		if kind == constantWeight {
			z.weights[k], _, _ = z.Regularizer.Weight(k, z.Inside(k, age), age)
			some = some || z.weights[k] != 0
		}
	}
	if margins, ok := c.Terms().(*sums.Margins); ok && z.second != nil {
		copy(z.first, margins.First(z.Kinks+z.linear))
		copy(z.second, margins.Second())
	}
	clear(scratch)
	for i, zone := range z.Zone {
		if zone <= model.Pinned {
			continue
		}
		k := int(zone) - z.Kinks
		if z.kind[k] == constantWeight {
			scratch[i] = -z.Cost * z.M[i] * z.Y[i] * z.weights[k]
		}
	}
	if some {
		kernel.MulTransAdd(z.constant, z.Rows, z.P, scratch)
	}
}

func (z *hingeZones) of(g float64) int { return z.Among(z.thresholds, z.Cost*max(0, g)) }

func (z *hingeZones) varies(zone uint8) bool {
	return zone > model.Pinned && z.kind[int(zone)-z.Kinks] == varyingWeight
}

func (z *hingeZones) top(i int, u float64) float64 {
	g := 1 - z.Y[i]*u
	k := z.of(g)
	v := z.weights[k]
	if z.kind[k] != constantWeight {
		v, _, _ = z.Regularizer.Weight(k, z.Cost*max(0, g), z.age)
	}
	return z.M[i] * z.Cost * v
}

func (z *hingeZones) add(zone uint8, i int, m float64) {
	k := int(zone) - z.Kinks
	if k < 0 {
		return
	}
	x := dense.Vector(z.Row(i))
	switch {
	case z.kind[k] == linearWeight:
		blas64.Axpy(-m*z.Y[i], x, dense.Vector(z.first))
		blas64.Ger(m, x, x, dense.General(z.P, z.P, z.second))
	case z.weights[k] != 0:
		blas64.Axpy(-m*z.Y[i]*z.Cost*z.weights[k], x, dense.Vector(z.constant))
	}
}

func (z *hingeZones) gradient(c, theta []float64) {
	copy(c, z.constant)
	if z.second != nil {
		f := z.Series(z.linear, z.age).F
		blas64.Axpy(f[2]*z.Cost, dense.Vector(z.first), dense.Vector(c))
		copy(z.row, z.first) // Σ m g z
		blas64.Gemv(blas.NoTrans, 1, dense.General(z.P, z.P, z.second), dense.Vector(theta), 1, dense.Vector(z.row))
		blas64.Axpy(2*f[3]*z.Cost*z.Cost, dense.Vector(z.row), dense.Vector(c))
	}
}
