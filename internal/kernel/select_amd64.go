//go:build !purego

package kernel

// Near writes the indices of the samples that do not stay at a bound within a
// ball to index, and returns how many and whether there was room, which takes 8
// entries more than there are samples to write: those whose slope is not hi above
// the kink or lo elsewhere, and those with (z - kink)² inv <= limit.
func Near(z, kink, lo, hi, slope, inv []float64, limit float64, index []int32) (int, bool) {
	n := len(z)
	if n == 0 {
		return 0, true
	}
	kink, lo, hi, slope, inv = kink[:n], lo[:n], hi[:n], slope[:n], inv[:n]
	if level != avx512 || len(index) < 8 {
		return nearGo(z, kink, lo, hi, slope, inv, limit, index)
	}
	left := nearAVX512(&z[0], &kink[0], &lo[0], &hi[0], &slope[0], &inv[0], n, limit, &index[0], len(index))
	return len(index) - left, left >= 8
}

// Changed writes the indices i where x_i unit differs from y_i by
// more than the given part of it to index, and returns how many and whether there
// was room, which takes 8 entries more than there are indices.
func Changed(x, y []float64, unit, part float64, index []int32) (int, bool) {
	n := len(x)
	if n == 0 {
		return 0, true
	}
	y = y[:n]
	if level != avx512 || len(index) < 8 {
		return changedGo(x, y, unit, part, index)
	}
	left := changedAVX512(&x[0], &y[0], n, unit, part, &index[0], len(index))
	return len(index) - left, left >= 8
}

// Share sets dst to the positive part of scale slope_i/p_i, and to 0 where p_i is
// 0.
func Share(dst, slope, p []float64, scale float64) {
	n := len(slope)
	if n == 0 {
		return
	}
	dst, p = dst[:n], p[:n]
	switch level {
	case avx512:
		shareAVX512(&dst[0], &slope[0], &p[0], n, scale)
	case avx2:
		shareAVX2(&dst[0], &slope[0], &p[0], n, scale)
	default:
		shareGo(dst, slope, p, scale)
	}
}

// Invert makes every entry of x 1/max(x_i + add, least), up to rounding, where least >= 1e-300 and
// the sums are at most 1e300.
func Invert(x []float64, add, least float64) {
	if len(x) == 0 {
		return
	}
	switch level {
	case avx512:
		invertAVX512(&x[0], len(x), add, least)
	case avx2:
		invertAVX2(&x[0], len(x), add, least)
	default:
		invertGo(x, add, least)
	}
}

// Opposite returns how many samples from the first one on surely have p z + q and r z + s turn
// at the same score, up to rounding, in opposite directions. All are finite and at most 1e100 in
// size.
func Opposite(p, q, r, s []float64) int {
	n := len(p)
	if level != avx512 || n < 8 {
		return 0
	}
	q, r, s = q[:n], r[:n], s[:n]
	return oppositeAVX512(&p[0], &q[0], &r[0], &s[0], n)
}

// Mirrored is Opposite for p and r of the same sizes.
func Mirrored(p, q, r, s []float64) int {
	n := len(p)
	if level != avx512 || n < 8 {
		return 0
	}
	q, r, s = q[:n], r[:n], s[:n]
	return mirroredAVX512(&p[0], &q[0], &r[0], &s[0], n)
}

// Kinks sets kink to the score -q/p where p z + q turns, lo to the lesser of lo and p, and hi to
// the greater of hi and p, for as many samples from the first one on as it returns: all before
// one whose p is small, but for a few. Numbers are as for Opposite. What lo and hi were counts as
// zero unless others says that there are other terms.
func Kinks(p, q, kink, lo, hi []float64, others bool) int {
	n := len(p)
	if level != avx512 || n < 8 {
		return 0
	}
	q, kink, lo, hi = q[:n], kink[:n], lo[:n], hi[:n]
	return kinksAVX512(&p[0], &q[0], &kink[0], &lo[0], &hi[0], n, all(others))
}

// Ranges is Kinks with tau/p in place of p.
func Ranges(p, q, tau, kink, lo, hi []float64, others bool) int {
	n := len(p)
	if level != avx512 || n < 8 {
		return 0
	}
	q, tau, kink, lo, hi = q[:n], tau[:n], kink[:n], lo[:n], hi[:n]
	return rangesAVX512(&p[0], &q[0], &tau[0], &kink[0], &lo[0], &hi[0], n, all(others))
}

// all is a mask of all lanes, or of none.
func all(lanes bool) uint8 {
	if lanes {
		return 0xff
	}
	return 0
}

// AtLeast returns how many entries of x from the first one on surely are numbers >= least.
func AtLeast(x []float64, least float64) int {
	if level != avx512 || len(x) < 8 {
		return 0
	}
	return atLeastAVX512(&x[0], len(x), least)
}

// Squares sets y_i to a x_i².
func Squares(y []float64, a float64, x []float64) {
	if len(x) == 0 {
		return
	}
	y = y[:len(x)]
	switch level {
	case avx512:
		squaresAVX512(&y[0], a, &x[0], len(x))
	case avx2:
		squaresAVX2(&y[0], a, &x[0], len(x))
	default:
		squaresGo(y, a, x)
	}
}

// Stack sets the first rows of panel, of the leading dimension ld, to the rows of x that index
// lists, x[i*stride:][:cols], and those of scaled to change times them.
func Stack(panel, scaled []float64, ld int, x []float64, stride, cols int, index []int32, change []float64) {
	if level != avx512 || len(index) == 0 || cols == 0 {
		stackGo(panel, scaled, ld, x, stride, cols, index, change)
		return
	}
	size := (len(index)-1)*ld + cols
	panel, scaled, change = panel[:size], scaled[:size], change[:len(index)]
	for _, i := range index {
		_ = x[int(i)*stride:][:cols]
	}
	stackAVX512(&panel[0], &scaled[0], ld, &x[0], stride, cols, &index[0], &change[0], len(index))
}

// Soon writes the samples that can come to an end of their zones within a limit of ages to
// index, in how many ages at the earliest to near, and returns how many they are. A sample with
// the predictor u, the rate du and the target y is in zone z while |u - y| is between entries z
// and z+1 of ends, which move at the rates; it may be off by its norm times leap and leave that
// at its norm times speed. The lists have room for all samples.
func Soon(u, du, y, norms []float64, zone []uint8, ends, rates []float64, speed, leap, limit float64, index []int, near []float64) int {
	n := len(u)
	du, y, norms, zone, index, near = du[:n], y[:n], norms[:n], zone[:n], index[:n], near[:n]
	whole, count := n/8*8, 0
	if level != avx512 || whole == 0 || len(ends) > 9 {
		whole = 0
	} else {
		var tables [2][9]float64
		copy(tables[0][:], ends)
		copy(tables[1][:], rates)
		count = soonAVX512(&u[0], &du[0], &y[0], &norms[0], &zone[0], &tables[0][0], &tables[1][0], whole, speed, leap, limit, &index[0], &near[0])
	}
	return soonGo(u, du, y, norms, zone, ends, rates, speed, leap, limit, index, near, whole, count)
}
