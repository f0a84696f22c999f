package known

import (
	"fmt"
	"math"
)

// root returns the zero of f between lo and hi, at which f must have opposite
// signs, by bisection to the last bit; or the end at which f is zero but for
// rounding, as where a branch begins. Bounds that enclose no zero are an error in
// the derivation of the problem: it panics.
func root(f func(float64) float64, lo, hi float64) float64 {
	const rounding = 1e-12 // of an end's value, relative to the other's
	a, b := f(lo), f(hi)
	switch {
	case a*b < 0:
	case math.Abs(a) <= rounding*math.Abs(b):
		return lo
	case math.Abs(b) <= rounding*math.Abs(a):
		return hi
	default:
		panic(fmt.Sprintf("known: f(%v) = %v and f(%v) = %v enclose no zero", lo, a, hi, b))
	}
	for {
		mid := lo + 0.5*(hi-lo)
		if mid == lo || mid == hi {
			return mid
		}
		if f(mid)*a > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// smallCubic returns the zero of s - s³/λ = c in 0 <= s <= √(λ/3), where the left
// side rises: with s = 2√(λ/3) sin φ it is (2/3)√(λ/3) sin 3φ.
func smallCubic(c, age float64) float64 {
	unit := math.Sqrt(age / 3)
	return 2 * unit * math.Sin(math.Asin(math.Min(1, 1.5*c/unit))/3)
}

// largeCubic returns the largest zero of t³ - at + b for a, b > 0: with
// t = 2√(a/3) cos φ it is cos 3φ = -b / (2 (a/3)^1.5).
func largeCubic(a, b float64) float64 {
	unit := math.Sqrt(a / 3)
	return 2 * unit * math.Cos(math.Acos(math.Max(-1, -b/(2*unit*unit*unit)))/3)
}
