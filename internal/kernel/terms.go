package kernel

import "math"

// Kinked evaluates the terms max over lo <= a <= hi of a(z - kink), smoothed: the slopes are a =
// center + (z - kink)(hi - lo)inv within lo and hi. It sets slope, adds slopes to g and their
// derivatives to h, and returns the sums of the unsmoothed values, of -a kink, and of value - a(z -
// kink).
func Kinked(z, kink, lo, hi, center, slope, g, h []float64, inv float64) (out [3]float64) {
	n := len(z)
	kink, lo, hi, center, slope, g, h = kink[:n], lo[:n], hi[:n], center[:n], slope[:n], g[:n], h[:n]
	var value, dual, young [4]float64
	for i, zi := range z {
		k, l, u := kink[i], lo[i], hi[i]
		r := zi - k
		m := (u - l) * inv
		a := math.FMA(r, m, center[i])
		if !(a > l && a < u) {
			m = 0
		}
		a = smaller(u, larger(l, a))
		slope[i] = a
		g[i] += a
		h[i] += m
		f := larger(l*r, u*r)
		lane := i & 3
		value[lane] += f
		dual[lane] = math.FMA(-a, k, dual[lane])
		young[lane] += math.FMA(-a, r, f)
	}
	return [3]float64{total(&value), total(&dual), total(&young)}
}

// KinkedAlong returns the first two derivatives in t of [Kinked]'s sum at z + t dz.
func KinkedAlong(z, dz, kink, lo, hi, center []float64, t, inv float64) [2]float64 {
	n := len(z)
	dz, kink, lo, hi, center = dz[:n], kink[:n], lo[:n], hi[:n], center[:n]
	var first, second [4]float64
	for i, zi := range z {
		e, l, u := dz[i], lo[i], hi[i]
		r := math.FMA(t, e, zi-kink[i])
		m := (u - l) * inv
		a := math.FMA(r, m, center[i])
		if !(a > l && a < u) {
			m = 0
		}
		lane := i & 3
		first[lane] = math.FMA(smaller(u, larger(l, a)), e, first[lane])
		second[lane] = math.FMA(m, e*e, second[lane])
	}
	rest(&first, n)
	rest(&second, n)
	return [2]float64{total(&first), total(&second)}
}

// Curved evaluates the terms whose slope is a = sigma u, with u = z - kink within kl and kh. It
// sets slope, adds slopes to g and their derivatives to h, and returns the sums of the values a(z -
// kink - u/2) and of -a(kink + u/2).
func Curved(z, kink, kl, kh, sigma, slope, g, h []float64) [2]float64 {
	n := len(z)
	kink, kl, kh, sigma, slope, g, h = kink[:n], kl[:n], kh[:n], sigma[:n], slope[:n], g[:n], h[:n]
	var value, dual [4]float64
	for i, zi := range z {
		k, l, u, m := kink[i], kl[i], kh[i], sigma[i]
		r := zi - k
		a := smaller(u, larger(l, r))
		s := float64(m * a)
		if !(r > l && r < u) {
			m = 0
		}
		h[i] += m
		slope[i] = s
		g[i] += s
		lane := i & 3
		value[lane] = math.FMA(s, math.FMA(-0.5, a, r), value[lane])
		dual[lane] = math.FMA(-s, math.FMA(0.5, a, k), dual[lane])
	}
	rest(&value, n)
	return [2]float64{total(&value), total(&dual)}
}

// CurvedAlong returns the first two derivatives in t of [Curved]'s sum at z + t dz.
func CurvedAlong(z, dz, kink, kl, kh, sigma []float64, t float64) [2]float64 {
	n := len(z)
	dz, kink, kl, kh, sigma = dz[:n], kink[:n], kl[:n], kh[:n], sigma[:n]
	var first, second [4]float64
	for i, zi := range z {
		e, l, u, m := dz[i], kl[i], kh[i], sigma[i]
		r := math.FMA(t, e, zi-kink[i])
		a := m * smaller(u, larger(l, r))
		if !(r > l && r < u) {
			m = 0
		}
		lane := i & 3
		first[lane] = math.FMA(a, e, first[lane])
		second[lane] = math.FMA(m, e*e, second[lane])
	}
	rest(&first, n)
	rest(&second, n)
	return [2]float64{total(&first), total(&second)}
}

func logisticGo(z, y, loss, slope, bend []float64) {
	n := len(z)
	y, loss, slope, bend = y[:n], loss[:n], slope[:n], bend[:n]
	for i, zi := range z {
		label := y[i]
		m := float64(label * zi)
		e := exp(0 - smaller(math.Abs(m), expLimit))
		q := 1 / (e + 1)
		other := e * q
		bend[i] = q * other
		sigma := other
		if m < 0 {
			sigma = q
		}
		slope[i] = sigma * (0 - label)
		loss[i] = log1p(e) + larger(0-m, 0)
	}
}
