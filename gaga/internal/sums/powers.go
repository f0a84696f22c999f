package sums

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/internal/kernel"
)

// orders is how many coefficients sums have along the base line, and bends how many of
// these their second derivatives have.
const (
	orders = kernel.SeriesOrders
	bends  = kernel.SeriesBends
	block  = kernel.SeriesBlock
)

// zonePower expands the terms of samples of one zone along a base line, where the weight is a
// power. The variable is the way from the line's middle over half its length.
type zonePower struct {
	model.Power
	orders int             // coefficients that are not zero
	scale  [orders]float64 // of all weights of the zone
	series kernel.PowerSeries
}

// newZonePower returns the expansion of a zone's weights about an age, over half a length.
func newZonePower(w model.Power, age, half float64) zonePower {
	p := zonePower{Power: w, orders: orders}
	low := w.A[0] + w.A[1]*age
	p.scale[0] = kernel.Pow(low, w.P)
	for k := 1; k < orders; k++ {
		n := float64(k)
		p.scale[k] = p.scale[k-1] * (w.P - (n - 1)) / n * w.A[1] * half / low
	}
	if w.Q == 0 {
		p.orders = 3
		return p
	}
	var ratio [bends]float64
	for k := range ratio {
		ratio[k] = p.scale[k+1] / p.scale[0]
	}
	p.series = kernel.NewPowerSeries(w.Q, w.B[2], w.B[0]+w.B[1]*age, w.B[1]*half, ratio)
	return p
}

// terms evaluates the terms of the first n samples, but for the zone's scale and a constant.
func (p *zonePower) terms(t *kernel.PowerTerms, n int) {
	if p.Q != 0 {
		p.series.Terms(t, n)
		return
	}
	for i, m := range t.M[:n] { // a constant weight
		r, dr := t.R[i], t.DR[i]
		t.Phi[i], t.Phi[block+i], t.PhiU[i] = 2*m*r, 2*m*dr, 2*m
		t.V[i], t.DV[i], t.Third[i], t.Bent[i] = 1, 0, 0, 0
		t.Value[0][0] += m * r * r
		t.Value[1][0] += 2 * m * r * dr
		t.Value[2][0] += m * dr * dr
	}
	clear(t.Phi[2*block : 4*block])
	clear(t.PhiU[block : 4*block])
}

// antiderivative is the weight's in the loss, by which implicit losses of a zone differ.
func (p *zonePower) antiderivative(loss, age float64) float64 {
	scale, base := kernel.Pow(p.A[0]+p.A[1]*age, p.P), p.B[0]+p.B[1]*age+p.B[2]*loss
	switch {
	case p.Q == 0:
		return scale * loss
	case p.Q == -1:
		return scale * math.Log(base) / p.B[2]
	}
	return scale * kernel.Pow(base, p.Q+1) / (p.B[2] * (p.Q + 1))
}
