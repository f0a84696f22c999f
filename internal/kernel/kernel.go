// Package kernel holds inner loops: of the solvers, products with a row-major
// matrix, the Gram matrix of a panel, and the terms of a loss; of age paths, series of
// powers along a line and the samples near a threshold; of the networks, in
// float32 and float64, products of matrices, activations and Adam; of wMMD, distances
// and Gaussian kernels. The hot ones exist in assembly, AVX2 with FMA, which the program in _asm
// writes, and in Go for other processors and the build tag purego.
//
// # One arithmetic
//
// A loop in Go does the operations of its assembly in the same order: it sums in as many lanes,
// and fuses ([math.FMA]) where that does, so that both return the same bits. Every x86-64 processor
// therefore computes the same numbers, [Exp] included, which the standard library rounds by what
// the processor has. Others may fuse what is not fused here, outside of this package, and agree to
// rounding; so does a build for GOAMD64=v3, where the compiler fuses. Without FMA instructions
// (processors before 2013) [math.FMA] is computed by integers, and a loop takes some 50 times as
// long as with AVX2.
//
// Slices of one call have the same length unless said otherwise and do not
// overlap. Shorter ones panic.
package kernel

import "math"

//go:generate go run -C _asm . -out ../kernel_amd64.s -stubs ../stubs_amd64.go -pkg kernel

// Width is the multiple that leading dimensions of panels and Gram matrices
// are rounded up to.
const Width = 8

// Pad rounds n up to a multiple of Width.
func Pad(n int) int { return (n + Width - 1) / Width * Width }

// rows panics unless x holds count rows of cols entries, stride apart.
func rows(x []float64, count, stride, cols int) {
	if count > 0 && (stride < cols || len(x) < (count-1)*stride+cols) {
		panic("kernel: matrix too short")
	}
}

// fours returns how many of count rows are in whole groups of four, or 0 where rows are empty.
func fours(count, cols int) int {
	if cols == 0 {
		return 0
	}
	return count / 4 * 4
}

// Dot returns x·y.
func Dot(x, y []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	y = y[:len(x)]
	if vector {
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
	if vector {
		axpyAVX2(a, &x[0], &y[0], len(x))
	} else {
		axpyGo(a, x, y)
	}
}

// Axpy4 adds a_i x_i, for four rows of y's length or longer, to y: what it adds to is
// read and written once for the four.
func Axpy4(a *[4]float64, x *[4][]float64, y []float64) {
	n := len(y)
	if n == 0 || !vector {
		axpy4Go(a, x, y)
		return
	}
	x0, x1, x2, x3 := x[0][:n], x[1][:n], x[2][:n], x[3][:n]
	axpy4AVX2(&a[0], &x0[0], &x1[0], &x2[0], &x3[0], &y[0], n)
}

// Axpy4Both adds a_i x_i to y and b_i x_i to z, for four rows of y's length or longer, each
// of which is read once.
func Axpy4Both(a, b *[4]float64, x *[4][]float64, y, z []float64) {
	n := len(y)
	z = z[:n]
	if n == 0 || !vector {
		axpy4BothGo(a, x, y)
		axpy4BothGo(b, x, z)
		return
	}
	x0, x1, x2, x3 := x[0][:n], x[1][:n], x[2][:n], x[3][:n]
	axpy4BothAVX2(&a[0], &b[0], &x0[0], &x1[0], &x2[0], &x3[0], &y[0], &z[0], n)
}

// AxpyTimes adds a times the products of the entries of x and h to y.
func AxpyTimes(a float64, x, h, y []float64) {
	if len(x) == 0 {
		return
	}
	h, y = h[:len(x)], y[:len(x)]
	if vector {
		axpyTimesAVX2(a, &x[0], &h[0], &y[0], len(x))
	} else {
		axpyTimesGo(a, x, h, y)
	}
}

// ScaleTo sets y to a x.
func ScaleTo(y []float64, a float64, x []float64) {
	if len(x) == 0 {
		return
	}
	y = y[:len(x)]
	if vector {
		scaleToAVX2(&y[0], a, &x[0], len(x))
	} else {
		scaleToGo(y, a, x)
	}
}

// MulVec sets dst_i to row i of x times v. Row i is x[i*stride:][:len(v)].
func MulVec(dst, x []float64, stride int, v []float64) {
	rows(x, len(dst), stride, len(v))
	whole := fours(len(dst), len(v))
	switch {
	case whole == 0:
	case vector:
		mulVecAVX2(&dst[0], &x[0], stride, whole/4, &v[0], len(v))
	default:
		mulVecGo(dst[:whole], x, stride, v)
	}
	for i := whole; i < len(dst); i++ {
		dst[i] = Dot(x[i*stride:][:len(v)], v)
	}
}

// Norms sets dst_i to the squared norm of row i of x, x[i*stride:][:cols].
func Norms(dst, x []float64, stride, cols int) {
	rows(x, len(dst), stride, cols)
	whole := fours(len(dst), cols)
	switch {
	case whole == 0:
	case vector:
		normsAVX2(&dst[0], &x[0], stride, whole/4, cols)
	default:
		normsGo(dst[:whole], x, stride, cols)
	}
	for i := whole; i < len(dst); i++ {
		r := x[i*stride:][:cols]
		dst[i] = Dot(r, r)
	}
}

// MulTransAdd adds Σ_i a_i (row i of x) to w. Row i is x[i*stride:][:len(w)].
func MulTransAdd(w, x []float64, stride int, a []float64) {
	rows(x, len(a), stride, len(w))
	whole := fours(len(a), len(w))
	switch {
	case whole == 0:
	case vector:
		mulTransAddAVX2(&w[0], &x[0], stride, whole/4, &a[0], len(w))
	default:
		mulTransAddGo(w, x, stride, a[:whole], ^uint64(0))
	}
	for i := whole; i < len(a); i++ {
		if a[i] != 0 {
			Axpy(a[i], x[i*stride:][:len(w)], w)
		}
	}
}

// MulTransAddAbs adds Σ_i a_i |row i of x|, entry by entry, to w. Row i is
// x[i*stride:][:len(w)].
func MulTransAddAbs(w, x []float64, stride int, a []float64) {
	rows(x, len(a), stride, len(w))
	whole := fours(len(a), len(w))
	switch {
	case whole == 0:
	case vector:
		mulTransAddAbsAVX2(&w[0], &x[0], stride, whole/4, &a[0], len(w))
	default:
		mulTransAddGo(w, x, stride, a[:whole], magnitude)
	}
	for i := whole; i < len(a); i++ {
		if a[i] != 0 {
			for j, v := range x[i*stride:][:len(w)] {
				w[j] = math.FMA(a[i], math.Abs(v), w[j])
			}
		}
	}
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
	if vector {
		for i := from; i < n; i += 4 {
			for j := 0; j <= i; j += 8 {
				gramTileAVX2(&h[i*ld+j], &p[i], &q[j], ld, rows)
			}
		}
	} else {
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
	if vector {
		kinkedAVX2(&z[0], &kink[0], &lo[0], &hi[0], &center[0], &slope[0], &g[0], &h[0], n, inv, &out)
	} else {
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
	if vector {
		kinkedAlongAVX2(&z[0], &dz[0], &kink[0], &lo[0], &hi[0], &center[0], n, t, inv, &out)
	} else {
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
	if vector {
		curvedAVX2(&z[0], &kink[0], &kl[0], &kh[0], &sigma[0], &slope[0], &g[0], &h[0], n, &out)
	} else {
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
	if vector {
		curvedAlongAVX2(&z[0], &dz[0], &kink[0], &kl[0], &kh[0], &sigma[0], n, t, &out)
	} else {
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
	if vector {
		logisticAVX2(&z[0], &y[0], &loss[0], &slope[0], &bend[0], n)
	} else {
		logisticGo(z, y, loss, slope, bend)
	}
}

// Share sets dst to the positive part of scale slope_i/p_i, and to 0 where p_i is
// 0.
func Share(dst, slope, p []float64, scale float64) {
	n := len(slope)
	if n == 0 {
		return
	}
	dst, p = dst[:n], p[:n]
	if vector {
		shareAVX2(&dst[0], &slope[0], &p[0], n, scale)
	} else {
		shareGo(dst, slope, p, scale)
	}
}

// Squares sets y_i to a x_i².
func Squares(y []float64, a float64, x []float64) {
	if len(x) == 0 {
		return
	}
	y = y[:len(x)]
	if vector {
		squaresAVX2(&y[0], a, &x[0], len(x))
	} else {
		squaresGo(y, a, x)
	}
}
