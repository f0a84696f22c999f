package model_test

import (
	"math"
	"testing"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/gaga/internal/model"
)

// A reversed zoning has the thresholds, weights, integrals and series of the age c/μ, and their
// derivatives in μ, compared with differences.
func TestReverse(t *testing.T) {
	t.Parallel()
	const c, mu, h = 3.0, 1.7, 1e-5
	close := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-8*(1+math.Abs(want))) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	for _, r := range []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.5}, gaga.Mixture{Gamma: 0.5}, gaga.LOG{A: 2}} {
		var series func(zone int, age float64) model.Series
		if s, ok := r.(gaga.SeriesRegularizer); ok {
			series = func(zone int, age float64) model.Series { return model.Series(s.Series(zone, age)) }
		}
		z := model.NewZoning(r, make([]model.Zone, len(r.Zones())), series, false)
		if lambda, rate := z.Lambda(mu); lambda != mu || rate != 1 || z.Down() {
			t.Errorf("%s: age %v, rate %v, before the reversal", r.Name(), lambda, rate)
		}
		z.Reverse(c)
		if back, _ := z.Lambda(c / mu); back != mu || !z.Down() {
			t.Errorf("%s: the age %v comes back as %v", r.Name(), mu, back)
		}
		slope := func(f func(age float64) float64) float64 { return (f(c/(mu+h)) - f(c/(mu-h))) / (2 * h) }
		for k := range len(r.Zones()) {
			if k < len(r.Zones())-1 {
				threshold := func(age float64) float64 { l, _ := r.Threshold(k, age); return l }
				loss, rate := z.Regularizer.Threshold(k, mu)
				close(r.Name()+" threshold", loss, threshold(c/mu))
				close(r.Name()+" threshold's rate", rate, slope(threshold))
			}
			loss := z.Inside(k, mu)
			weight := func(age float64) float64 { v, _, _ := r.Weight(k, loss, age); return v }
			v, _, rate := z.Weight(uint8(k), loss, mu)
			close(r.Name()+" weight", v, weight(c/mu))
			close(r.Name()+" weight's rate", rate, slope(weight))
			close(r.Name()+" integral", z.Regularizer.Integral(loss, mu), r.Integral(loss, c/mu))
			for q := range 4 {
				if series != nil {
					close(r.Name()+" series", z.Series(k, mu).F[q], series(k, c/mu).F[q])
					close(r.Name()+" series' rate", z.Series(k, mu).Rate[q], slope(func(age float64) float64 { return series(k, age).F[q] }))
				}
			}
		}
	}
}
