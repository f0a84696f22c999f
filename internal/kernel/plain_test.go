package kernel

// The kernels by their definitions, in the plainest loops: no lanes, nothing fused.

func plainMulVec(dst, x []float64, stride int, v []float64) {
	for i := range dst {
		dst[i] = plainDot(x[i*stride:][:len(v)], v)
	}
}

func plainNorms(dst, x []float64, stride, cols int) {
	for i := range dst {
		r := x[i*stride:][:cols]
		dst[i] = plainDot(r, r)
	}
}

func plainMulTransAdd(w, x []float64, stride int, a []float64) {
	for i, s := range a {
		if s != 0 {
			plainAxpy(s, x[i*stride:][:len(w)], w)
		}
	}
}

func plainGramAdd(h []float64, ld, n int, p, q []float64, rows int) {
	for r := range rows {
		row := q[r*ld:][:n]
		for i := range n {
			if s := p[r*ld+i]; s != 0 {
				plainAxpy(s, row[:i+1], h[i*ld:][:i+1])
			}
		}
	}
}

func plainDot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

func plainAxpy(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

func plainAxpy4(a *[4]float64, x *[4][]float64, y []float64) {
	for i, s := range a {
		plainAxpy(s, x[i][:len(y)], y)
	}
}

func plainAxpyTimes(a float64, x, h, y []float64) {
	for i, v := range x {
		y[i] += a * v * h[i]
	}
}

func plainScaleTo(y []float64, a float64, x []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = a * v
	}
}

func plainKinked(z, kink, lo, hi, center, slope, g, h []float64, inv float64) (out [3]float64) {
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

func plainKinkedAlong(z, dz, kink, lo, hi, center []float64, t, inv float64) (out [2]float64) {
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

func plainCurved(z, kink, kl, kh, sigma, slope, g, h []float64) (out [2]float64) {
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

func plainCurvedAlong(z, dz, kink, kl, kh, sigma []float64, t float64) (out [2]float64) {
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
