package kernel

import "math"

const expLimit = 708

// ln 2 in two parts, the first with few digits.
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

var factorials = func() (c [14]float64) {
	f := 1.0
	for k := range c {
		c[len(c)-1-k] = 1 / f
		f *= float64(k + 1)
	}
	return c
}()

// reduced returns n and p = exp(x - n ln 2), |x - n ln 2| <= ½ ln 2.
func reduced(x float64) (p, n float64) {
	n = math.RoundToEven(x * math.Log2E)
	r := math.FMA(-n, ln2Lo, math.FMA(-n, ln2Hi, x))
	p = factorials[0]
	for _, c := range factorials[1:] {
		p = math.FMA(r, p, c)
	}
	return p, n
}

// exp is for |x| <= expLimit and NaN.
func exp(x float64) float64 {
	p, n := reduced(x)
	const low = 0x1.8p52 + 1023 // the low bits of n + low are n + 1023
	return p * math.Float64frombits(math.Float64bits(n+low)<<52)
}

// Exp returns e^x, to a relative error of about 2^-52, with the same bits on every processor,
// unlike math.Exp.
func Exp(x float64) float64 {
	switch {
	case math.Abs(x) <= expLimit || math.IsNaN(x):
		return exp(x)
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	p, n := reduced(x)
	return math.Ldexp(p, int(n))
}

// Pow returns x^q, x >= 0, with the same bits on every processor. For fractional q it is Exp(q ln
// x), to a few roundings times |q ln x|.
func Pow(x, q float64) float64 {
	if q == math.Trunc(q) || math.Abs(q) == 0.5 {
		return math.Pow(x, q)
	}
	return Exp(q * math.Log(x))
}

// log1p is for 0 <= e <= 1: from f with 1 + e = 2^k (1 + f), by the Remez polynomial of FreeBSD's
// msun in s = f/(2 + f).
func log1p(e float64) float64 {
	f, high, low := float64(e*0.5)-0.5, ln2Hi, ln2Lo
	if e < math.Sqrt2-1 {
		f, high, low = e, 0, 0
	}
	return high - minusLog(f, low)
}

// minusLog returns -ln(1 + f) - low, √½ <= 1 + f <= √2.
func minusLog(f, low float64) float64 {
	s := f / (f + 2)
	z := float64(s * s)
	r := remez[0]
	for _, c := range remez[1:] {
		r = math.FMA(z, r, c)
	}
	square := float64(float64(f*f) * 0.5)
	r = math.FMA(s, float64(r*z)+square, low)
	return square - r - f
}

var remez = [...]float64{1.479819860510658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
	2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01}
