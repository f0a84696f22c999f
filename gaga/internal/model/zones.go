package model

import "math"

// The zones of a loss with a kink before the regularizer's.
const (
	Satisfied = 0 // beyond the kink: no loss
	Pinned    = 1 // at the kink: the multiplier is between its bounds
)

var kinkZones = []Zone{{Name: "satisfied"}, {Name: "pinned"}}

// Zoning is a regularizer and the zones of the samples.
type Zoning struct {
	Regularizer Regularizer
	// Series is nil if the implicit loss is no series.
	Series     func(zone int, age float64) Series
	Polynomial bool   // series without a term in √l
	Zones      []Zone // satisfied and pinned first, if Kinked
	Kinks      int    // zones before the regularizer's: 0 or 2
	Curved     []bool // φ changes with the predictor
	Weighed    bool   // the last zone has weight
	Bends      bool   // a weight's slope grows from 0 at its threshold
	Steep      bool   // or is infinite there
	reciprocal
}

// NewZoning returns the zoning of a regularizer.
func NewZoning(r Regularizer, zones []Zone, series func(zone int, age float64) Series, kinked bool) Zoning {
	z := Zoning{Regularizer: r, Series: series, Polynomial: series != nil, Zones: zones}
	if kinked {
		z.Kinks = len(kinkZones)
		z.Zones = append(append([]Zone(nil), kinkZones...), zones...)
	}
	z.Curved = make([]bool, len(z.Zones))
	for k := range zones {
		z.Curved[z.Kinks+k] = !kinked || z.Varies(k)
		z.Polynomial = z.Polynomial && series(k, 1).F[1] == 0
	}
	last := len(zones) - 1
	threshold, _ := r.Threshold(last-1, 1)
	weight, _, _ := r.Weight(last, 2*threshold, 1)
	z.Weighed = weight > 0
	_, slope, _ := r.Weight(0, threshold, 1)
	z.Bends, z.Steep = slope == 0 && z.Varies(0), math.IsInf(slope, 0)
	return z
}

func (z *Zoning) Thresholds() int { return len(z.Zones) - z.Kinks - 1 }

// Breaks reports whether a weight is discontinuous at a threshold.
func (z *Zoning) Breaks() bool {
	for _, zone := range z.Zones {
		if zone.Break {
			return true
		}
	}
	return false
}

// Varies reports whether the weight changes inside a zone of the regularizer.
func (z *Zoning) Varies(k int) bool {
	_, slope, _ := z.Regularizer.Weight(k, z.Inside(k, 1), 1)
	return slope != 0
}

// Inside returns a loss inside a zone of the regularizer.
func (z *Zoning) Inside(k int, age float64) float64 {
	low := 0.0
	if k > 0 {
		low, _ = z.Regularizer.Threshold(k-1, age)
	}
	high := 2*low + 1
	if k < z.Thresholds() {
		high, _ = z.Regularizer.Threshold(k, age)
	}
	return 0.5 * (low + high)
}

func (z *Zoning) ThresholdsAt(dst []float64, age float64) {
	for k := range dst {
		dst[k], _ = z.Regularizer.Threshold(k, age)
	}
}

// Among returns the regularizer's zone of a loss.
func (z *Zoning) Among(thresholds []float64, loss float64) int {
	for k, threshold := range thresholds {
		if loss < threshold || loss == threshold && z.Zones[z.Kinks+k].Closed {
			return k
		}
	}
	return len(thresholds)
}

// Of returns the regularizer's zone of a loss at an age.
func (z *Zoning) Of(loss, age float64) int {
	for k := range z.Thresholds() {
		threshold, _ := z.Regularizer.Threshold(k, age)
		if loss < threshold || loss == threshold && z.Zones[z.Kinks+k].Closed {
			return k
		}
	}
	return z.Thresholds()
}

// Weight returns v* and its derivatives by a zone's formula; 0 for satisfied and pinned samples,
// which have no such terms.
func (z *Zoning) Weight(zone uint8, loss, age float64) (v, dloss, dage float64) {
	if int(zone) < z.Kinks {
		return 0, 0, 0
	}
	return z.Regularizer.Weight(int(zone)-z.Kinks, loss, age)
}

// Eval returns a loss and its derivatives by a zone's formula, also beyond the zone's ends.
func (p *Problem) Eval(zone uint8, u, y float64) (loss, slope, curvature float64) {
	if !p.Kinked() {
		return p.Loss.Eval(u, y)
	}
	if zone <= Pinned {
		return 0, 0, 0
	}
	return p.Cost * (1 - y*u), -p.Cost * y, 0
}

// Integrals returns Σ m F_λ(l), with u the predictors of all samples: their part of G_λ.
func (p *Problem) Integrals(u []float64, age float64) (sum float64) {
	vector, ok := p.Loss.(VectorLoss)
	if !ok {
		for i, ui := range u {
			loss := p.Cost * (1 - p.Y[i]*ui) // Eval inlined
			if !p.Kinked() {
				loss, _, _ = p.Loss.Eval(ui, p.Y[i])
			}
			if !(loss <= 0) {
				sum += p.M[i] * p.Regularizer.Integral(loss, age)
			}
		}
		return sum
	}
	const block = 256
	var loss, slope, curvature [block]float64
	for from := 0; from < len(u); from += block {
		to := min(from+block, len(u))
		vector.EvalAll(u[from:to], p.Y[from:to], loss[:to-from], slope[:to-from], curvature[:to-from])
		for k, v := range loss[:to-from] {
			sum += p.M[from+k] * p.Regularizer.Integral(v, age)
		}
	}
	return sum
}
