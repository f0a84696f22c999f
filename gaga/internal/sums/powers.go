package sums

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
)

// orders is how many coefficients sums have along the base line, and bends how many of
// these their second derivatives have.
const (
	orders = 10
	bends  = 3
)

// zonePower expands the terms of samples of one zone along a base line, where the weight is a
// power: of the predictor it is one of a quadratic, whose coefficients follow from each
// other (J. C. P. Miller's recurrence; Knuth, The Art of Computer Programming 2, 4.7). The
// variable is the way from the line's middle over half its length.
type zonePower struct {
	model.Power
	orders       int             // coefficients that are not zero
	level, climb float64         // the base without the loss, in the middle, and its slope
	first, other [orders]float64 // the recurrence's factors
	scale        [orders]float64 // of all weights of the zone
}

// terms are the coefficients of one sample's terms, but for the zone's scale.
type terms struct {
	phi, phiU [orders]float64 // m φ and m ∂φ/∂u
	phiUU     [bends]float64  // m ∂²φ/∂u²
	value     [orders]float64 // m F, but for a constant of the zone
	v, dv     float64         // the weight in the middle and its derivative in the loss
	third     float64         // m |∂³φ/∂u³|, largest on the line
	bent      float64         // m |∂²φ/∂u²| that phiUU leaves out
}

// newZonePower returns the expansion of a zone's weights about an age, over half a length.
func newZonePower(w model.Power, age, half float64) zonePower {
	p := zonePower{Power: w, orders: orders, level: w.B[0] + w.B[1]*age, climb: w.B[1] * half}
	if w.Q == 0 {
		p.orders = 3
	}
	low := w.A[0] + w.A[1]*age
	p.scale[0] = math.Pow(low, w.P)
	for k := 1; k < orders; k++ {
		n := float64(k)
		p.first[k], p.other[k] = (w.Q-(n-1))/n, (2*w.Q-(n-2))/n
		p.scale[k] = p.scale[k-1] * (w.P - (n - 1)) / n * w.A[1] * half / low
	}
	return p
}

// expand writes the terms of a sample of multiplicity m, with the residual r in the middle
// and dr its rate over half the length.
func (p *zonePower) expand(t *terms, r, dr, m float64) {
	slope, q := p.B[2], p.Q
	if q == 0 { // a constant weight
		t.phi[0], t.phi[1], t.phi[2] = 2*m*r, 2*m*dr, 0
		t.phiU[0], t.phiU[1], t.phiU[2] = 2*m, 0, 0
		t.value[0], t.value[1], t.value[2] = m*r*r, 2*m*r*dr, m*dr*dr
		clear(t.phiUU[:])
		t.v, t.dv, t.third, t.bent = 1, 0, 0, 0
		return
	}
	loss := r * r
	base := p.level + slope*loss
	inverse := 1 / base
	b, c := (p.climb+2*slope*r*dr)*inverse, slope*dr*dr*inverse // the base over that in the middle
	// g is m times the power, h the next lower one.
	g, h := m*inverse, m*inverse*inverse
	if q != -1 {
		g = m * math.Exp(q*math.Log(base))
		h = g * inverse
		t.value[0] = g * base / (slope * (q + 1))
	} else {
		t.value[0] = m * math.Log(base) / slope
	}
	t.v, t.dv = g/m, q*slope*h/m
	part := slope * loss * inverse
	t.third = math.Abs(q * slope * h * (12 + 48*(q-1)*part + 16*(q-1)*(q-2)*part*part))
	least := 1 - math.Abs(b) + c // of the base on the line, over that in the middle
	if math.Abs(b) < 2*c {
		least = 1 - b*b/(4*c)
	}
	for k := 3 - q; k > 0; k-- {
		t.third /= least
	}
	bent := p.bend(h*inverse, r, dr, g, b, c, inverse)
	rest := 0.75 * (bent[3] + (bent[2]*p.scale[1]+bent[1]*p.scale[2]+bent[0]*p.scale[3])/p.scale[0])
	bent[1] += rest // x³ is ¾ x but for a third of that
	t.bent = math.Abs(rest) / 3
	copy(t.phiUU[:], bent[:])
	r, dr = 2*r, 2*dr
	level, climb, own := -4*q*p.level, -4*q*p.climb, 2*(1+2*q)
	rise := base / slope
	var g1, g2, h1 float64 // one and two orders lower
	for k := range orders {
		if k > 0 {
			g, g1, g2 = p.first[k]*b*g+p.other[k]*c*g1, g, g1
			h, h1 = g*inverse-b*h-c*h1, h
			t.value[k] = rise * (b*g1 + 2*c*g2) / float64(k)
		}
		t.phi[k] = r*g + dr*g1
		t.phiU[k] = own*g + level*h + climb*h1
	}
}

// bend returns the second derivatives, with one coefficient more than the sums have: by the
// power g and the two next lower ones, of which low is the lowest.
func (p *zonePower) bend(low, r, dr, g, b, c, inverse float64) (bent [bends + 1]float64) {
	q := p.Q
	own, level, climb, f := 4+8*q, -8*(q-1)*p.level, -8*(q-1)*p.climb, q*p.B[2]
	h := g * inverse
	var g1, h1, low1, inner1 float64 // one order lower
	for k := range bent {
		if k > 0 {
			g, g1 = p.first[k]*b*g+p.other[k]*c*g1, g
			h, h1 = g*inverse-b*h-c*h1, h
			low, low1 = h*inverse-b*low-c*low1, low
		}
		inner := own*h + level*low + climb*low1
		bent[k], inner1 = f*(r*inner+dr*inner1), inner
	}
	return bent
}
