package kernel

import "math"

// Weights are powers v = b^Exponent of b = Level + Rise l in a loss l, with derivative v Bend/b in
// l and v (First + Last/b) in the age. Outside, v is Rest.
type Weights struct {
	Level, Rise, Exponent, Bend, First, Last, Rest float64
	Passed                                         float64 // part of the rounding of u that counts
}

// WeightsLeast is the smallest base b of [Weights.Terms].
const WeightsLeast = 0x1p-1000

// Samples are arguments of [Weights.Terms].
type Samples struct {
	Inside, M, U, Y        []float64 // Inside is 0 for outside
	Loss, Slope, Curvature []float64
}

// Terms sets phi to m v slope, phiU and phiAge to its derivatives in u and in the age, and size to
// the size of its summands: m (v (|slope| + curvature |u|) + |slope| min(1, Passed |v' slope| (|u|
// + |y|))), v' the derivative in the loss. It returns the sum of sizes, and the smallest base
// inside, at most 1; below [WeightsLeast] the terms of such samples are wrong.
func (w *Weights) Terms(s *Samples, phi, phiU, phiAge, size []float64) (extent, least float64) {
	n := len(s.U)
	if n == 0 {
		return 0, 1
	}
	if !vector {
		return w.terms(s, phi, phiU, phiAge, size)
	}
	inside, m, y, loss, slope, curvature := s.Inside[:n], s.M[:n], s.Y[:n], s.Loss[:n], s.Slope[:n], s.Curvature[:n]
	phi, phiU, phiAge, size = phi[:n], phiU[:n], phiAge[:n], size[:n]
	parameters := [8]float64{w.Level, w.Rise, w.Exponent, w.Bend, w.First, w.Last, w.Rest, w.Passed}
	var out [2]float64
	weighAVX2(&parameters, &inside[0], &m[0], &s.U[0], &y[0], &loss[0], &slope[0], &curvature[0], &phi[0], &phiU[0], &phiAge[0], &size[0], n, w.Exponent == -1, &out)
	return out[0], out[1]
}

func (w *Weights) terms(s *Samples, phi, phiU, phiAge, size []float64) (extent, least float64) {
	sums, leasts := [4]float64{}, [4]float64{1, 1, 1, 1}
	for i, u := range s.U {
		inside, base := s.Inside[i] != 0, 1.0
		if inside {
			base = math.FMA(s.Loss[i], w.Rise, w.Level)
		}
		lane := i & 3
		leasts[lane] = smaller(leasts[lane], base)
		inverse := 1 / base
		v, dv, dage := w.Rest, 0.0, 0.0
		if inside {
			v = inverse
			if w.Exponent != -1 {
				x := float64(w.Exponent * log(larger(WeightsLeast, base)))
				v = exp(larger(smaller(x, expLimit), -expLimit))
			}
			dv = float64(w.Bend*inverse) * v
			dage = math.FMA(inverse, w.Last, w.First)
		}
		slope, curvature, m := s.Slope[i], s.Curvature[i], s.M[i]
		term := float64(m*v) * slope
		dv *= slope
		phi[i], phiAge[i], phiU[i] = term, term*dage, math.FMA(v, curvature, float64(dv*slope))*m
		slope, u = math.Abs(slope), math.Abs(u)
		passed := smaller(float64(float64(w.Passed*math.Abs(dv))*(u+math.Abs(s.Y[i]))), 1)
		size[i] = math.FMA(passed, slope, float64(math.FMA(curvature, u, slope)*v)) * m
		sums[lane] += size[i]
	}
	rest(&sums, len(s.U))
	return total(&sums), smaller(smaller(leasts[3], leasts[1]), smaller(leasts[2], leasts[0]))
}

// Logs sets dst to ln x of normal x > 0, to a relative error of about 2^-52.
func Logs(dst, x []float64) {
	n := len(x)
	if n == 0 {
		return
	}
	dst = dst[:n]
	if vector {
		logsAVX2(&dst[0], &x[0], n)
		return
	}
	for i, xi := range x {
		dst[i] = log(xi)
	}
}

// log of normal x > 0 comes from f with x = 2^k (1 + f), √½ <= 1 + f < √2.
func log(x float64) float64 {
	const root = 0x3fe6a09e667f3bcd // √½
	bits := math.Float64bits(x) + (0x3ff<<52 - root)
	k := math.Float64frombits(bits>>52|math.Float64bits(0x1p52)) - (0x1p52 + 1023)
	f := math.Float64frombits(bits&(1<<52-1)+root) - 1
	return math.FMA(k, ln2Hi, -minusLog(f, float64(k*ln2Lo)))
}
