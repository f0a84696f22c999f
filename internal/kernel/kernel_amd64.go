//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

// level is the best instruction set here.
var level = detect()

func detect() int {
	switch x := &cpu.X86; {
	case x.HasAVX512F && x.HasAVX2 && x.HasFMA && x.HasBMI2:
		return avx512
	case x.HasAVX2 && x.HasFMA:
		return avx2
	}
	return plain
}

// Dot returns x·y.
func Dot(x, y []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	y = y[:len(x)]
	switch level {
	case avx512:
		return dotAVX512(&x[0], &y[0], len(x))
	case avx2:
		return dotAVX2(&x[0], &y[0], len(x))
	}
	return dotGo(x, y)
}

// Axpy adds a x to y.
func Axpy(a float64, x, y []float64) {
	if len(x) == 0 {
		return
	}
	y = y[:len(x)]
	switch level {
	case avx512:
		axpyAVX512(a, &x[0], &y[0], len(x))
	case avx2:
		axpyAVX2(a, &x[0], &y[0], len(x))
	default:
		axpyGo(a, x, y)
	}
}

// Axpy4 adds a_i x_i, for four rows of y's length or longer, to y: what it adds to is
// read and written once for the four.
func Axpy4(a *[4]float64, x *[4][]float64, y []float64) {
	n := len(y)
	if n == 0 || level == plain {
		axpy4Go(a, x, y)
		return
	}
	x0, x1, x2, x3 := x[0][:n], x[1][:n], x[2][:n], x[3][:n]
	if level == avx512 {
		axpy4AVX512(&a[0], &x0[0], &x1[0], &x2[0], &x3[0], &y[0], n)
	} else {
		axpy4AVX2(&a[0], &x0[0], &x1[0], &x2[0], &x3[0], &y[0], n)
	}
}

// Axpy4Both adds a_i x_i to y and b_i x_i to z, for four rows of y's length or longer, each
// of which is read once.
func Axpy4Both(a, b *[4]float64, x *[4][]float64, y, z []float64) {
	n := len(y)
	z = z[:n]
	if n == 0 || level == plain {
		axpy4Go(a, x, y)
		axpy4Go(b, x, z)
		return
	}
	x0, x1, x2, x3 := x[0][:n], x[1][:n], x[2][:n], x[3][:n]
	if level == avx512 {
		axpy4BothAVX512(&a[0], &b[0], &x0[0], &x1[0], &x2[0], &x3[0], &y[0], &z[0], n)
	} else {
		axpy4BothAVX2(&a[0], &b[0], &x0[0], &x1[0], &x2[0], &x3[0], &y[0], &z[0], n)
	}
}

// AxpyTimes adds a times the products of the entries of x and h to y.
func AxpyTimes(a float64, x, h, y []float64) {
	if len(x) == 0 {
		return
	}
	h, y = h[:len(x)], y[:len(x)]
	switch level {
	case avx512:
		axpyTimesAVX512(a, &x[0], &h[0], &y[0], len(x))
	case avx2:
		axpyTimesAVX2(a, &x[0], &h[0], &y[0], len(x))
	default:
		axpyTimesGo(a, x, h, y)
	}
}

// ScaleTo sets y to a x.
func ScaleTo(y []float64, a float64, x []float64) {
	if len(x) == 0 {
		return
	}
	y = y[:len(x)]
	switch level {
	case avx512:
		scaleToAVX512(&y[0], a, &x[0], len(x))
	case avx2:
		scaleToAVX2(&y[0], a, &x[0], len(x))
	default:
		scaleToGo(y, a, x)
	}
}

// MulVec sets dst_i to row i of x times v. Row i is x[i*stride:][:len(v)].
func MulVec(dst, x []float64, stride int, v []float64) {
	rows(x, len(dst), stride, len(v))
	groups := len(dst) / 4
	if len(v) == 0 || level == plain {
		mulVecGo(dst, x, stride, v)
		return
	}
	if groups > 0 {
		if level == avx512 {
			mulVecAVX512(&dst[0], &x[0], stride, groups, &v[0], len(v))
		} else {
			mulVecAVX2(&dst[0], &x[0], stride, groups, &v[0], len(v))
		}
	}
	for i := 4 * groups; i < len(dst); i++ {
		dst[i] = Dot(x[i*stride:][:len(v)], v)
	}
}

// Norms sets dst_i to the squared norm of row i of x, x[i*stride:][:cols].
func Norms(dst, x []float64, stride, cols int) {
	rows(x, len(dst), stride, cols)
	groups := len(dst) / 4
	if cols == 0 || level == plain {
		groups = 0
	}
	if groups > 0 {
		if level == avx512 {
			normsAVX512(&dst[0], &x[0], stride, groups, cols)
		} else {
			normsAVX2(&dst[0], &x[0], stride, groups, cols)
		}
	}
	normsGo(dst[4*groups:], x[min(len(x), 4*groups*stride):], stride, cols)
}

// MulVecNorms is MulVec and Norms, and reads x once.
func MulVecNorms(dst, norms, x []float64, stride int, v []float64) {
	norms = norms[:len(dst)]
	rows(x, len(dst), stride, len(v))
	groups := len(dst) / 4
	if len(v) == 0 || level == plain {
		groups = 0
	}
	if groups > 0 {
		if level == avx512 {
			mulVecNormsAVX512(&dst[0], &norms[0], &x[0], stride, groups, &v[0], len(v))
		} else {
			mulVecNormsAVX2(&dst[0], &norms[0], &x[0], stride, groups, &v[0], len(v))
		}
	}
	mulVecNormsGo(dst[4*groups:], norms[4*groups:], x[min(len(x), 4*groups*stride):], stride, v)
}

// MulTransAdd adds Σ_i a_i (row i of x) to w. Row i is x[i*stride:][:len(w)].
func MulTransAdd(w, x []float64, stride int, a []float64) {
	rows(x, len(a), stride, len(w))
	groups := len(a) / 4
	if len(w) == 0 || level == plain {
		mulTransAddGo(w, x, stride, a)
		return
	}
	if groups > 0 {
		if level == avx512 {
			mulTransAddAVX512(&w[0], &x[0], stride, groups, &a[0], len(w))
		} else {
			mulTransAddAVX2(&w[0], &x[0], stride, groups, &a[0], len(w))
		}
	}
	for i := 4 * groups; i < len(a); i++ {
		if a[i] != 0 {
			Axpy(a[i], x[i*stride:][:len(w)], w)
		}
	}
}

// MulTransAddAbs adds Σ_i a_i |row i of x|, entry by entry, to w. Row i is
// x[i*stride:][:len(w)].
func MulTransAddAbs(w, x []float64, stride int, a []float64) {
	rows(x, len(a), stride, len(w))
	groups := len(a) / 4
	if len(w) == 0 || level == plain {
		groups = 0
	}
	if groups > 0 {
		if level == avx512 {
			mulTransAddAbsAVX512(&w[0], &x[0], stride, groups, &a[0], len(w))
		} else {
			mulTransAddAbsAVX2(&w[0], &x[0], stride, groups, &a[0], len(w))
		}
	}
	mulTransAddAbsGo(w, x[min(len(x), 4*groups*stride):], stride, a[4*groups:])
}

// GramAdd adds PᵀQ, which is symmetric, to the lower triangle of the n x n matrix
// h, where P and Q are panels of the given rows of n; all have the leading
// dimension ld, and n is a multiple of Width. What is above the diagonal may
// change too.
func GramAdd(h []float64, ld, n int, p, q []float64, rows int) {
	GramAddRows(h, ld, 0, n, p, q, rows)
}

// GramAddRows is GramAdd for the rows of h from one multiple of Width to another, n.
func GramAddRows(h []float64, ld, from, n int, p, q []float64, rows int) {
	if rows == 0 || n == 0 {
		return
	}
	p, q, h = p[:(rows-1)*ld+n], q[:(rows-1)*ld+n], h[:(n-1)*ld+n]
	switch level {
	case avx512:
		for i := from; i < n; i += 8 {
			j := 0
			for ; j+8 <= i; j += 16 {
				gramTileAVX512(&h[i*ld+j], &p[i], &q[j], ld, rows)
			}
			if j == i {
				gramCornerAVX512(&h[i*ld+j], &p[i], &q[j], ld, rows)
			}
		}
	case avx2:
		for i := from; i < n; i += 4 {
			for j := 0; j <= i; j += 8 {
				gramTileAVX2(&h[i*ld+j], &p[i], &q[j], ld, rows)
			}
		}
	default:
		gramAddGo(h, ld, from, n, p, q, rows)
	}
}

// Kinked evaluates the terms max over lo <= a <= hi of a(z - kink), smoothed:
// the slopes are a = center + (z - kink)(hi - lo)inv within lo and hi. It sets
// slope, adds slopes to g and their derivatives to h, and returns the sums of the
// terms' values before smoothing, of -a kink, and of value - a(z - kink).
func Kinked(z, kink, lo, hi, center, slope, g, h []float64, inv float64) (out [3]float64) {
	n := len(z)
	if n == 0 {
		return out
	}
	kink, lo, hi, center, slope, g, h = kink[:n], lo[:n], hi[:n], center[:n], slope[:n], g[:n], h[:n]
	switch level {
	case avx512:
		kinkedAVX512(&z[0], &kink[0], &lo[0], &hi[0], &center[0], &slope[0], &g[0], &h[0], n, inv, &out)
	case avx2:
		kinkedAVX2(&z[0], &kink[0], &lo[0], &hi[0], &center[0], &slope[0], &g[0], &h[0], n, inv, &out)
	default:
		out = kinkedGo(z, kink, lo, hi, center, slope, g, h, inv)
	}
	return out
}

// KinkedAlong returns the first and second derivative in t of the sum of the
// terms of Kinked at the scores z + t dz.
func KinkedAlong(z, dz, kink, lo, hi, center []float64, t, inv float64) (out [2]float64) {
	n := len(z)
	if n == 0 {
		return out
	}
	dz, kink, lo, hi, center = dz[:n], kink[:n], lo[:n], hi[:n], center[:n]
	switch level {
	case avx512:
		kinkedAlongAVX512(&z[0], &dz[0], &kink[0], &lo[0], &hi[0], &center[0], n, t, inv, &out)
	case avx2:
		kinkedAlongAVX2(&z[0], &dz[0], &kink[0], &lo[0], &hi[0], &center[0], n, t, inv, &out)
	default:
		out = kinkedAlongGo(z, dz, kink, lo, hi, center, t, inv)
	}
	return out
}

// Curved evaluates the terms whose slope is a = sigma u, with u = z - kink
// within kl and kh. It sets slope, adds slopes to g and their derivatives to h,
// and returns the sums of the terms' values a(z - kink - u/2) and of
// -a(kink + u/2).
func Curved(z, kink, kl, kh, sigma, slope, g, h []float64) (out [2]float64) {
	n := len(z)
	if n == 0 {
		return out
	}
	kink, kl, kh, sigma, slope, g, h = kink[:n], kl[:n], kh[:n], sigma[:n], slope[:n], g[:n], h[:n]
	switch level {
	case avx512:
		curvedAVX512(&z[0], &kink[0], &kl[0], &kh[0], &sigma[0], &slope[0], &g[0], &h[0], n, &out)
	case avx2:
		curvedAVX2(&z[0], &kink[0], &kl[0], &kh[0], &sigma[0], &slope[0], &g[0], &h[0], n, &out)
	default:
		out = curvedGo(z, kink, kl, kh, sigma, slope, g, h)
	}
	return out
}

// CurvedAlong returns the first and second derivative in t of the sum of the
// terms of Curved at the scores z + t dz.
func CurvedAlong(z, dz, kink, kl, kh, sigma []float64, t float64) (out [2]float64) {
	n := len(z)
	if n == 0 {
		return out
	}
	dz, kink, kl, kh, sigma = dz[:n], kink[:n], kl[:n], kh[:n], sigma[:n]
	switch level {
	case avx512:
		curvedAlongAVX512(&z[0], &dz[0], &kink[0], &kl[0], &kh[0], &sigma[0], n, t, &out)
	case avx2:
		curvedAlongAVX2(&z[0], &dz[0], &kink[0], &kl[0], &kh[0], &sigma[0], n, t, &out)
	default:
		out = curvedAlongGo(z, dz, kink, kl, kh, sigma, t)
	}
	return out
}

// Logistic evaluates the losses ln(1 + exp(-y z)) of labels y of -1 and +1 with
// their first and second derivatives in z. Margins y z beyond 708 count as 708 in
// exponentials, whose smallest value then is 3e-308.
func Logistic(z, y, loss, slope, bend []float64) {
	n := len(z)
	if n == 0 {
		return
	}
	y, loss, slope, bend = y[:n], loss[:n], slope[:n], bend[:n]
	switch level {
	case avx512:
		logisticAVX512(&z[0], &y[0], &loss[0], &slope[0], &bend[0], n)
	case avx2:
		logisticAVX2(&z[0], &y[0], &loss[0], &slope[0], &bend[0], n)
	default:
		logisticGo(z, y, loss, slope, bend)
	}
}
