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
