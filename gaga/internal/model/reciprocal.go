package model

// Reverse makes the engine's age the reciprocal μ = c/λ of the age λ: a path on which μ grows is one
// on which λ falls. Thresholds, weights and series are those at λ, their derivatives those in μ.
func (z *Zoning) Reverse(c float64) {
	z.reciprocal = reciprocal(c)
	z.Regularizer = reversed{z.Regularizer, z.reciprocal}
	of := z.Series
	if of == nil {
		return
	}
	z.Series = func(zone int, age float64) Series {
		lambda, rate := reciprocal(c).at(age)
		s := of(zone, lambda)
		for k := range s.Rate {
			s.Rate[k] *= rate
		}
		return s
	}
}

// Lambda returns λ, and its derivative, at an age of the engine, which is μ on a path down. The same
// function returns the engine's age at λ.
func (z *Zoning) Lambda(age float64) (lambda, rate float64) { return z.reciprocal.at(age) }

// Down reports whether λ falls while the engine's age grows.
func (z *Zoning) Down() bool { return z.reciprocal != 0 }

type reciprocal float64 // 0 where the engine's age is λ

func (c reciprocal) at(age float64) (lambda, rate float64) {
	if c == 0 {
		return age, 1
	}
	lambda = float64(c) / age
	return lambda, -lambda / age
}

type reversed struct {
	Regularizer
	reciprocal
}

func (r reversed) Threshold(k int, age float64) (loss, slope float64) {
	lambda, rate := r.at(age)
	loss, slope = r.Regularizer.Threshold(k, lambda)
	return loss, slope * rate
}

func (r reversed) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	lambda, rate := r.at(age)
	v, dloss, dage = r.Regularizer.Weight(k, loss, lambda)
	return v, dloss, dage * rate
}

func (r reversed) Integral(loss, age float64) float64 {
	lambda, _ := r.at(age)
	return r.Regularizer.Integral(loss, lambda)
}
