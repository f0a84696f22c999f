package kernel

import "math"

// kinkedGo is Kinked.
func kinkedGo(z, kink, lo, hi, center, slope, g, h []float64, inv float64) (out [3]float64) {
	n := len(z)
	kink, lo, hi, center, slope, g, h = kink[:n], lo[:n], hi[:n], center[:n], slope[:n], g[:n], h[:n]
	for i, zi := range z {
		r := zi - kink[i]
		l, u := lo[i], hi[i]
		m := (u - l) * inv
		a := center[i] + r*m
		if a <= l {
			a, m = l, 0
		} else if a >= u {
			a, m = u, 0
		}
		slope[i] = a
		g[i] += a
		h[i] += m
		f := max(l*r, u*r)
		out[0] += f
		out[1] -= a * kink[i]
		out[2] += f - a*r
	}
	return out
}

// kinkedAlongGo is KinkedAlong.
func kinkedAlongGo(z, dz, kink, lo, hi, center []float64, t, inv float64) (out [2]float64) {
	n := len(z)
	dz, kink, lo, hi, center = dz[:n], kink[:n], lo[:n], hi[:n], center[:n]
	for i, zi := range z {
		e := dz[i]
		l, u := lo[i], hi[i]
		m := (u - l) * inv
		a := center[i] + (zi+t*e-kink[i])*m
		if a <= l {
			a, m = l, 0
		} else if a >= u {
			a, m = u, 0
		}
		out[0] += a * e
		out[1] += m * e * e
	}
	return out
}

// curvedGo is Curved.
func curvedGo(z, kink, kl, kh, sigma, slope, g, h []float64) (out [2]float64) {
	n := len(z)
	kink, kl, kh, sigma, slope, g, h = kink[:n], kl[:n], kh[:n], sigma[:n], slope[:n], g[:n], h[:n]
	for i, zi := range z {
		r := zi - kink[i]
		u, m := r, sigma[i]
		e := m
		if u <= kl[i] {
			u, e = kl[i], 0
		} else if u >= kh[i] {
			u, e = kh[i], 0
		}
		a := m * u
		slope[i] = a
		g[i] += a
		h[i] += e
		out[0] += a * (r - u/2)
		out[1] -= a * (kink[i] + u/2)
	}
	return out
}

// curvedAlongGo is CurvedAlong.
func curvedAlongGo(z, dz, kink, kl, kh, sigma []float64, t float64) (out [2]float64) {
	n := len(z)
	dz, kink, kl, kh, sigma = dz[:n], kink[:n], kl[:n], kh[:n], sigma[:n]
	for i, zi := range z {
		e := dz[i]
		u, m := zi+t*e-kink[i], sigma[i]
		q := m
		if u <= kl[i] {
			u, q = kl[i], 0
		} else if u >= kh[i] {
			u, q = kh[i], 0
		}
		out[0] += m * u * e
		out[1] += q * e * e
	}
	return out
}

// logisticGo is Logistic.
func logisticGo(z, y, loss, slope, bend []float64) {
	n := len(z)
	y, loss, slope, bend = y[:n], loss[:n], slope[:n], bend[:n]
	for i, zi := range z {
		m := y[i] * zi
		e := math.Exp(-min(math.Abs(m), 708))
		q := 1 / (1 + e)
		other := e * q
		bend[i] = q * other
		sigma := other
		if m < 0 {
			sigma = q
		}
		slope[i] = -y[i] * sigma
		loss[i] = max(-m, 0) + math.Log1p(e)
	}
}
