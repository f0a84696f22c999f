package condition

import (
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// InZones reports whether samples with the predictors u are in their zones, up to rounding, at a
// solution pt with rates.
func InZones(s *model.State, pt *model.Point, samples []int, u []float64) bool {
	for slot, i := range samples {
		if !inZone(s, pt, i, u[slot]) {
			return false
		}
	}
	return true
}

func inZone(s *model.State, pt *model.Point, i int, u float64) bool {
	zone := int(s.Zone[i]) - s.Kinks
	if s.Kinked() && zone <= 0 {
		g, slack := 1-s.Y[i]*u, tolerance.Roundoff*(1+math.Abs(u))
		switch top := s.Bound * s.M[i]; {
		case s.Zone[i] == model.Satisfied:
			return g <= slack
		case s.Zone[i] == model.Pinned:
			return pt.Dual[i] >= -tolerance.Roundoff*top && pt.Dual[i] <= (1+tolerance.Roundoff)*top
		case g < -slack:
			return false
		}
	}
	loss, _, _ := s.Eval(s.Zone[i], u, s.Y[i])
	if zone < len(pt.Threshold) && loss-pt.Threshold[zone] > tolerance.Roundoff*loss {
		return false
	}
	return zone <= 0 || pt.Threshold[zone-1]-loss <= tolerance.Roundoff*loss
}

// Signed reports whether, up to rounding, coefficients have their signs and gradients of inactive
// coordinates do not exceed the L1 weight.
func Signed(s *model.State, pt *model.Point) bool {
	if !s.Sparse() {
		return true
	}
	for r, j := range s.Active {
		if s.Diag[r]*pt.Theta[j]*s.Sign[j] < -tolerance.Roundoff*s.Scale[r] {
			return false
		}
	}
	for j, l1 := range s.L1 {
		if l1 > 0 && s.Sign[j] == 0 && math.Abs(pt.Grad[j]) > l1*(1+tolerance.KKT) {
			return false
		}
	}
	return true
}
