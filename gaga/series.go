package gaga

import "math"

// series holds what a zone does to a squared residual: the implicit loss is
// F(r²) = f[0] + f[1]|r| + f[2]r² + f[3]r⁴ there, and df are the derivatives of
// the coefficients in the age.
type series struct{ f, df [4]float64 }

// seriesRegularizer is a regularizer under which the implicit loss of the
// squared loss is such a series in every zone. The sums over the samples are
// then contractions of moments.
type seriesRegularizer interface {
	Regularizer
	series(zone int, age float64) series
}

func (Hard) series(zone int, age float64) series {
	if zone == 0 {
		return series{f: [4]float64{2: 1}}
	}
	return series{f: [4]float64{age}, df: [4]float64{1}}
}

func (Linear) series(zone int, age float64) series {
	if zone == 0 {
		return series{f: [4]float64{2: 1, 3: -1 / (2 * age)}, df: [4]float64{3: 1 / (2 * age * age)}}
	}
	return series{f: [4]float64{age / 2}, df: [4]float64{0.5}}
}

func (m Mixture) series(zone int, age float64) series {
	if zone == 0 {
		return series{f: [4]float64{2: 1}}
	}
	g := m.Gamma
	low, dlow := m.Threshold(0, age)
	root := math.Sqrt(low)
	// F = low + γ(2(|r| - √low) - (r² - low)/λ); its derivative in low is 0.
	f0 := low - 2*g*root + g*low/age
	df0 := dlow*(1-g/root+g/age) - g*low/(age*age)
	if zone == 1 {
		return series{
			f:  [4]float64{f0, 2 * g, -g / age},
			df: [4]float64{0: df0, 2: g / (age * age)},
		}
	}
	return series{f: [4]float64{f0 + 2*g*age - g*age}, df: [4]float64{df0 + g}}
}
