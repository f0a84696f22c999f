package baselines

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/agepath/agepath/gaga"
)

const (
	halfBreakdown    = 1.547645 // bisquare of the S-estimator: breakdown point 50 %, consistent scale
	normalEfficiency = 4.685061 // bisquare of the MM-estimator: efficiency 95 % for normal residuals
	leastSlope       = 1e-9     // bounds weights where nearly all residuals are 0
)

// MM fits a problem with the squared loss by the MM-estimator (Yohai, Annals of Statistics 15, 1987).
// With ρ_c(t) = 1 - (1 - (t/c)²)³ up to |t| = c, and 1 beyond, s is the M-scale of n residuals if
// Σ ρ_c(r_i/s) = n/2 for c = 1.5476. The S-estimate minimizes n s² + R with the penalty R of the
// problem (Maronna, Technometrics 53, 2011), by fast-S (Salibián-Barrera and Yohai, 2006): random
// subsets as in [SparseLTS], two steps, the ten best to the end. From there the MM-estimate descends
// to a minimum of
//
//	(c² s²/3) Σ_i ρ_c(r_i/s) + R,   c = 4.6851,
//
// which is near Σ r² + R for small residuals. Fit.Scale is s, Fit.Trimmed n s² + R of the S-estimate. R's
// lmrob divides by n minus the coefficients, not n, in the scale.
func MM(ctx context.Context, p *gaga.Problem, o TrimOptions) (*Fit, error) {
	if err := cmp.Or(o.complete(1, 500), checkSquared(p)); err != nil {
		return nil, err
	}
	d, err := newDescent(ctx, p)
	if err != nil {
		return nil, err
	}
	// The S-estimator: weights are n times the derivatives of s² by the squared residuals.
	scale, least := 0.0, max(smallestScale*largest(p.Y), 1e-150)
	d.weigh = func(weights []float64) {
		scale = max(d.scale(scale), least)
		sum := leastSlope * d.total
		for i, square := range d.losses {
			t := square / (scale * scale)
			weights[i] = bisquareWeight(t, halfBreakdown)
			sum += d.samples[i] * weights[i] * t
		}
		for i := range weights {
			weights[i] *= d.total / sum
		}
	}
	d.objective = func() float64 {
		scale = max(d.scale(scale), least)
		return d.total*scale*scale + d.Penalty()
	}
	start, err := d.search(ctx, o)
	if err == nil {
		_, err = d.result(ctx, start)
	}
	if err != nil {
		return nil, fmt.Errorf("baselines: S-estimator: %w", err)
	}
	// The MM-estimator, with the scale fixed.
	scale = max(d.scale(scale), least)
	d.weigh = func(weights []float64) {
		for i, square := range d.losses {
			weights[i] = bisquareWeight(square/(scale*scale), normalEfficiency)
		}
	}
	d.objective = func() float64 {
		const c = normalEfficiency
		return d.sum(func(square float64) float64 { return c * c * scale * scale / 3 * bisquare(square/(scale*scale), c) })
	}
	fit, err := d.descend(ctx)
	if err != nil {
		return nil, err
	}
	fit.Trimmed, fit.Scale = start.objective, scale
	return fit, nil
}

// bisquare is ρ_c of a residual with the given square.
func bisquare(square, c float64) float64 {
	v := 1 - min(square/(c*c), 1)
	return 1 - v*v*v
}

func bisquareWeight(square, c float64) float64 {
	v := 1 - min(square/(c*c), 1)
	return v * v
}

// scale is the M-scale of the residuals, found by Newton's method from a nearby one where that is
// positive, else by the fixed point.
func (d *descent) scale(near float64) float64 {
	s := near
	if s == 0 {
		for _, square := range d.losses {
			s = max(s, math.Sqrt(square))
		}
	}
	for range 500 {
		mean, slope := 0.0, 0.0
		for i, square := range d.losses {
			t := square / (s * s)
			mean += d.samples[i] * bisquare(t, halfBreakdown) / d.total
			slope += d.samples[i] * 6 / (halfBreakdown * halfBreakdown) * t * bisquareWeight(t, halfBreakdown) / d.total
		}
		factor := 1 + (mean-0.5)/slope
		if !(factor > 0.5 && factor < 2) {
			factor = math.Sqrt(mean / 0.5)
		}
		if s *= factor; !(s > 0) || math.Abs(factor-1) < 1e-14 {
			break
		}
	}
	return s
}
