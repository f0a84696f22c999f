//go:build !amd64 || purego

package kernel

// Dot returns x·y.
func Dot(x, y []float64) float64 { return dotGo(x, y) }

// Axpy adds a x to y.
func Axpy(a float64, x, y []float64) { axpyGo(a, x, y) }

// Axpy4 adds a_i x_i, for four rows of y's length or longer, to y.
func Axpy4(a *[4]float64, x *[4][]float64, y []float64) { axpy4Go(a, x, y) }

// Axpy4Both adds a_i x_i to y and b_i x_i to z, for four rows of y's length or longer.
func Axpy4Both(a, b *[4]float64, x *[4][]float64, y, z []float64) {
	axpy4Go(a, x, y)
	axpy4Go(b, x, z)
}

// AxpyTimes adds a times the products of the entries of x and h to y.
func AxpyTimes(a float64, x, h, y []float64) {
	axpyTimesGo(a, x, h, y)
}

// ScaleTo sets y to a x.
func ScaleTo(y []float64, a float64, x []float64) { scaleToGo(y, a, x) }

// MulVec sets dst_i to row i of x times v. Row i is x[i*stride:][:len(v)].
func MulVec(dst, x []float64, stride int, v []float64) { mulVecGo(dst, x, stride, v) }

// Norms sets dst_i to the squared norm of row i of x, x[i*stride:][:cols].
func Norms(dst, x []float64, stride, cols int) { normsGo(dst, x, stride, cols) }

// MulVecNorms is MulVec and Norms, and reads x once.
func MulVecNorms(dst, norms, x []float64, stride int, v []float64) {
	mulVecNormsGo(dst, norms, x, stride, v)
}

// MulTransAdd adds Σ_i a_i (row i of x) to w. Row i is x[i*stride:][:len(w)].
func MulTransAdd(w, x []float64, stride int, a []float64) { mulTransAddGo(w, x, stride, a) }

// MulTransAddAbs adds Σ_i a_i |row i of x|, entry by entry, to w. Row i is
// x[i*stride:][:len(w)].
func MulTransAddAbs(w, x []float64, stride int, a []float64) { mulTransAddAbsGo(w, x, stride, a) }

// GramAdd adds PᵀQ, which is symmetric, to the lower triangle of the n x n matrix
// h, where P and Q are panels of the given rows of n; all have the leading
// dimension ld, and n is a multiple of Width. What is above the diagonal may
// change too.
func GramAdd(h []float64, ld, n int, p, q []float64, rows int) { gramAddGo(h, ld, 0, n, p, q, rows) }

// GramAddRows is GramAdd for the rows of h from one multiple of Width to another, n.
func GramAddRows(h []float64, ld, from, n int, p, q []float64, rows int) {
	gramAddGo(h, ld, from, n, p, q, rows)
}

// Kinked evaluates the terms max over lo <= a <= hi of a(z - kink), smoothed:
// the slopes are a = center + (z - kink)(hi - lo)inv within lo and hi. It sets
// slope, adds slopes to g and their derivatives to h, and returns the sums of the
// terms' values before smoothing, of -a kink, and of value - a(z - kink).
func Kinked(z, kink, lo, hi, center, slope, g, h []float64, inv float64) (out [3]float64) {
	return kinkedGo(z, kink, lo, hi, center, slope, g, h, inv)
}

// KinkedAlong returns the first and second derivative in t of the sum of the
// terms of Kinked at the scores z + t dz.
func KinkedAlong(z, dz, kink, lo, hi, center []float64, t, inv float64) (out [2]float64) {
	return kinkedAlongGo(z, dz, kink, lo, hi, center, t, inv)
}

// Curved evaluates the terms whose slope is a = sigma u, with u = z - kink
// within kl and kh. It sets slope, adds slopes to g and their derivatives to h,
// and returns the sums of the terms' values a(z - kink - u/2) and of
// -a(kink + u/2).
func Curved(z, kink, kl, kh, sigma, slope, g, h []float64) (out [2]float64) {
	return curvedGo(z, kink, kl, kh, sigma, slope, g, h)
}

// CurvedAlong returns the first and second derivative in t of the sum of the
// terms of Curved at the scores z + t dz.
func CurvedAlong(z, dz, kink, kl, kh, sigma []float64, t float64) (out [2]float64) {
	return curvedAlongGo(z, dz, kink, kl, kh, sigma, t)
}

// Descend is a pass of dual coordinate descent over the active samples, for one
// term a sample, the maximum over lo <= a <= hi of a(z - kink) - soft a²/2: w, the
// coefficients -Σ slope_i x_i, is kept current. soft is empty where all are zero,
// else stiff_i is 1/soft_i. step_i is 1/(‖x_i‖² + soft_i), with 1 added where the pass's Bend is 1. A
// sample whose slope stays at its bound although its score is further than
// beyond from the kink is dropped; the first ones of active, as many as
// returned, are those that are kept, in their order.
func Descend(x []float64, stride int, w, step, kink, lo, hi, slope, soft, stiff []float64, active []int32, beyond float64, p *Pass) int {
	return descendGo(x, stride, w, step, kink, lo, hi, slope, soft, stiff, active, beyond, p)
}

// Near writes the indices of the samples that do not stay at a bound within a
// ball to index, and returns how many and whether there was room, which takes 8
// entries more than there are samples to write: those whose slope is not hi above
// the kink or lo elsewhere, and those with (z - kink)² inv <= limit.
func Near(z, kink, lo, hi, slope, inv []float64, limit float64, index []int32) (int, bool) {
	return nearGo(z, kink, lo, hi, slope, inv, limit, index)
}

// Changed writes the indices i where x_i unit differs from y_i by
// more than the given part of it to index, and returns how many and whether there
// was room, which takes 8 entries more than there are indices.
func Changed(x, y []float64, unit, part float64, index []int32) (int, bool) {
	return changedGo(x, y, unit, part, index)
}

// Share sets dst to the positive part of scale slope_i/p_i, and to 0 where p_i is
// 0.
func Share(dst, slope, p []float64, scale float64) {
	shareGo(dst, slope, p, scale)
}

// Invert makes every entry of x 1/max(x_i + add, least), up to rounding, where least >= 1e-300 and
// the sums are at most 1e300.
func Invert(x []float64, add, least float64) { invertGo(x, add, least) }

// Opposite returns how many samples from the first one on surely have p z + q and r z + s turn
// at the same score, up to rounding, in opposite directions: of none is it known.
func Opposite(p, q, r, s []float64) int { return 0 }

// Mirrored is Opposite for p and r of the same sizes.
func Mirrored(p, q, r, s []float64) int { return 0 }

// Kinks sets kink, lo and hi for as many samples from the first one on as it returns: none.
func Kinks(p, q, kink, lo, hi []float64, others bool) int { return 0 }

// Ranges is Kinks with tau/p in place of p.
func Ranges(p, q, tau, kink, lo, hi []float64, others bool) int { return 0 }

// AtLeast returns how many entries of x from the first one on surely are numbers >= least: of
// none is it known.
func AtLeast(x []float64, least float64) int { return 0 }

// Squares sets y_i to a x_i².
func Squares(y []float64, a float64, x []float64) { squaresGo(y, a, x) }

// Soon writes the samples that can come to an end of their zones within a limit of ages to
// index, in how many ages at the earliest to near, and returns how many they are. A sample with
// the predictor u, the rate du and the target y is in zone z while |u - y| is between entries z
// and z+1 of ends, which move at the rates; it may be off by its norm times leap and leave that
// at its norm times speed. The lists have room for all samples.
func Soon(u, du, y, norms []float64, zone []uint8, ends, rates []float64, speed, leap, limit float64, index []int, near []float64) int {
	return soonGo(u, du, y, norms, zone, ends, rates, speed, leap, limit, index, near, 0, 0)
}

// Stack sets the first rows of panel, of the leading dimension ld, to the rows of x that index
// lists, x[i*stride:][:cols], and those of scaled to change times them.
func Stack(panel, scaled []float64, ld int, x []float64, stride, cols int, index []int32, change []float64) {
	stackGo(panel, scaled, ld, x, stride, cols, index, change)
}

// Logistic evaluates the losses ln(1 + exp(-y z)) of labels y of -1 and +1 with
// their first and second derivatives in z. Margins y z beyond 708 count as 708 in
// exponentials, whose smallest value then is 3e-308.
func Logistic(z, y, loss, slope, bend []float64) { logisticGo(z, y, loss, slope, bend) }
