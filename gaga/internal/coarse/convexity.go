package coarse

import (
	"math"
	"slices"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
)

// convexity tells whether a jump can lie in a step. Between events H changes steadily.
// What it loses besides is what samples that change their zone have less on the way than
// at the ends. So H must stay positive definite with the slopes of these samples, all
// together, at a lower bound, over all coordinates that are active at one of the ends: at
// both ends, and half-way unless nearly equal rates say that H changes steadily.
type convexity struct {
	system
	products *dense.Products
	middle   model.Point // half-way: losses
	zone     []uint8     // and zones there
	crossed  []int       // samples that change their zone in the step
	low      []float64   // lower bounds of their slopes
	least    []float64   // len(Active) x len(Active): H with these
	size     []float64   // its diagonal with all terms taken positive
}

func newConvexity(s system) convexity {
	f := func(k int) []float64 { return make([]float64, k) }
	return convexity{
		system: s, products: dense.NewProducts(s.P), zone: make([]uint8, s.N), least: f(s.P * s.P), size: f(s.P),
		middle: model.Point{U: f(s.N), Loss: f(s.N), Slope: f(s.N), Curvature: f(s.N), Threshold: f(s.Thresholds())},
	}
}

// convex reports whether H is positive definite from the start of a step, at l, to r, where
// it is factorized and the partition is current.
func (v *convexity) convex(start *snapshot, l, r *model.Point, bend float64) bool {
	v.crossed, v.low = v.crossed[:0], v.low[:0]
	for i, to := range v.Zone {
		if from := start.zone[i]; from != to {
			low, ok := v.lowest(i, int(from), int(to), l, r)
			if !ok {
				return false
			}
			v.crossed, v.low = append(v.crossed, i), append(v.low, low)
		}
	}
	if slices.Equal(start.active, v.Active) {
		return v.definite(start.hess, start.diag, start.zone, l) && v.definite(v.Hess, v.Diag, v.Zone, r) &&
			(len(start.active) >= tolerance.FewColumns && bend <= tolerance.CoarseStraight || v.definiteHalfway(l, r))
	}
	active := slices.Clone(v.Active)
	v.SetActive(v.either(start))
	ok := v.definite(nil, nil, start.zone, l) && v.definiteHalfway(l, r) && v.definite(nil, nil, v.Zone, r)
	v.SetActive(active)
	v.Collect(r)
	return v.Factorize() && ok
}

// either returns the coordinates that are active at the start or now.
func (v *convexity) either(start *snapshot) (both []int) {
	for j, l1 := range v.L1 {
		if l1 == 0 || v.Sign[j] != 0 || start.sign[j] != 0 {
			both = append(both, j)
		}
	}
	return both
}

// definiteHalfway is definite half-way between two points, by the cubic through both.
func (v *convexity) definiteHalfway(l, r *model.Point) bool {
	m, h := &v.middle, r.Age-l.Age
	m.Age = l.Age + 0.5*h
	for i := range m.U {
		m.U[i] = 0.5*(l.U[i]+r.U[i]) + 0.125*h*(l.DU[i]-r.DU[i])
	}
	v.Evaluate(m)
	v.ThresholdsAt(m.Threshold, m.Age)
	for i, loss := range m.Loss {
		v.zone[i] = uint8(v.Among(m.Threshold, loss))
	}
	return v.definite(nil, nil, v.zone, m)
}

// lowest returns a lower bound of m ∂φ/∂u = m (v' l'² + v l”) of a sample that changes its
// zone between two points, false where its weight breaks on the way. Within a zone weights
// and their derivatives are monotone in the loss, and as the loss is convex, l'² is largest
// at an end.
func (v *convexity) lowest(i, from, to int, l, r *model.Point) (low float64, ok bool) {
	weight, bend := math.Inf(1), math.Inf(1)
	take := func(w, dw, _ float64) { weight, bend = math.Min(weight, w), math.Min(bend, dw) }
	take(v.Regularizer.Weight(from, l.Loss[i], l.Age))
	take(v.Regularizer.Weight(to, r.Loss[i], r.Age))
	for k := min(from, to); k < max(from, to); k++ {
		if v.Zones[k].Break {
			return 0, false
		}
		for _, age := range [2]float64{l.Age, r.Age} {
			threshold, _ := v.Regularizer.Threshold(k, age)
			take(v.Regularizer.Weight(k, threshold, age))
			take(v.Regularizer.Weight(k+1, threshold, age))
		}
	}
	square := math.Min(l.Slope[i]*l.Slope[i], r.Slope[i]*r.Slope[i])
	if bend < 0 {
		square = math.Max(l.Slope[i]*l.Slope[i], r.Slope[i]*r.Slope[i])
	}
	low = v.M[i] * (weight*math.Min(l.Curvature[i], r.Curvature[i]) + bend*square)
	return low - tolerance.SlopeMargin*math.Abs(low), !math.IsInf(low, 0) && !math.IsNaN(low)
}

// definite reports whether H at a point with the given zones stays positive definite, away
// from singularity, with the slopes of the samples that change their zone at their lower
// bounds. Without H given it is summed.
func (v *convexity) definite(hess, diag []float64, zone []uint8, pt *model.Point) bool {
	k := len(v.Active)
	least, size := v.least[:k*k], v.size[:k]
	if hess != nil {
		copy(least, hess)
		copy(size, diag)
	} else {
		clear(least)
		clear(size)
		for i := range zone {
			v.products.Add(size, v.Scope.Rows[i*k:(i+1)*k], v.slope(i, zone, pt))
		}
		for r, j := range v.Active {
			least[r*k+r] += v.L2[j]
			size[r] += v.L2[j]
		}
	}
	for q, i := range v.crossed {
		v.products.Add(size, v.Scope.Rows[i*k:(i+1)*k], v.low[q]-v.slope(i, zone, pt))
	}
	v.products.Flush(least)
	return dense.Upper(least, size, tolerance.Singular)
}

// slope returns m ∂φ/∂u of sample i at a point with the given zones.
func (v *convexity) slope(i int, zone []uint8, pt *model.Point) float64 {
	w, dw, _ := v.Weight(zone[i], pt.Loss[i], pt.Age)
	return v.M[i] * (dw*pt.Slope[i]*pt.Slope[i] + w*pt.Curvature[i])
}
