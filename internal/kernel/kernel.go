// Package kernel holds inner loops: of the solvers, products with a row-major
// matrix, the Gram matrix of a panel, and the terms of a loss; of age paths, series of
// powers along a line and the samples near a threshold; of the networks, in
// float32 and float64, products of matrices, activations and Adam; of wMMD, distances
// and Gaussian kernels. Each exists in AVX-512, in AVX2 with FMA, and in Go; the best one
// that the processor has is used; with the build tag purego it is Go. The assembly is
// written by the program in _asm. Triangular systems are solved by these products where there
// is no AVX-512.
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

// The instruction sets.
const (
	plain = iota
	avx2
	avx512
)

// rows panics unless x holds count rows of cols entries, stride apart.
func rows(x []float64, count, stride, cols int) {
	if count > 0 && (stride < cols || len(x) < (count-1)*stride+cols) {
		panic("kernel: matrix too short")
	}
}

// mulVecGo is MulVec.
func mulVecGo(dst, x []float64, stride int, v []float64) {
	for i := range dst {
		dst[i] = dotGo(x[i*stride:][:len(v)], v)
	}
}

// normsGo is Norms.
func normsGo(dst, x []float64, stride, cols int) {
	for i := range dst {
		r := x[i*stride:][:cols]
		dst[i] = Dot(r, r)
	}
}

// mulVecNormsGo is MulVecNorms.
func mulVecNormsGo(dst, norms, x []float64, stride int, v []float64) {
	for i := range dst {
		r := x[i*stride:][:len(v)]
		dst[i], norms[i] = Dot(r, v), Dot(r, r)
	}
}

// mulTransAddGo is MulTransAdd.
func mulTransAddGo(w, x []float64, stride int, a []float64) {
	for i, s := range a {
		if s != 0 {
			axpyGo(s, x[i*stride:][:len(w)], w)
		}
	}
}

// mulTransAddAbsGo is MulTransAddAbs.
func mulTransAddAbsGo(w, x []float64, stride int, a []float64) {
	for i, s := range a {
		if s == 0 {
			continue
		}
		for j, v := range x[i*stride:][:len(w)] {
			w[j] += s * math.Abs(v)
		}
	}
}

// gramAddGo is GramAddRows.
func gramAddGo(h []float64, ld, from, n int, p, q []float64, rows int) {
	for r := range rows {
		row := q[r*ld:][:n]
		for i := from; i < n; i++ {
			if s := p[r*ld+i]; s != 0 {
				axpyGo(s, row[:i+1], h[i*ld:][:i+1])
			}
		}
	}
}

// dotGo is Dot.
func dotGo(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += x[i] * y[i]
		s1 += x[i+1] * y[i+1]
		s2 += x[i+2] * y[i+2]
		s3 += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		s0 += x[i] * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// axpyGo is Axpy.
func axpyGo(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

// axpy4Go is Axpy4.
func axpy4Go(a *[4]float64, x *[4][]float64, y []float64) {
	for i, s := range a {
		axpyGo(s, x[i][:len(y)], y)
	}
}

// axpyTimesGo is AxpyTimes.
func axpyTimesGo(a float64, x, h, y []float64) {
	for i, v := range x {
		y[i] += a * v * h[i]
	}
}

// scaleToGo is ScaleTo.
func scaleToGo(y []float64, a float64, x []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = a * v
	}
}

// Sum returns the sum of x.
func Sum(x []float64) float64 {
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += x[i]
		s1 += x[i+1]
		s2 += x[i+2]
		s3 += x[i+3]
	}
	for ; i < len(x); i++ {
		s0 += x[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// nearGo is Near.
func nearGo(z, kink, lo, hi, slope, inv []float64, limit float64, index []int32) (int, bool) {
	count := 0
	for i, v := range z {
		r := v - kink[i]
		bound := lo[i]
		if r > 0 {
			bound = hi[i]
		}
		if slope[i] == bound && !(r*r*inv[i] <= limit) {
			continue
		}
		if count == len(index) {
			return count, false
		}
		index[count] = int32(i)
		count++
	}
	return count, true
}

// changedGo is Changed.
func changedGo(x, y []float64, unit, part float64, index []int32) (int, bool) {
	count := 0
	for i, a := range x {
		a *= unit
		if !(math.Abs(a-y[i]) > part*math.Abs(a)) {
			continue
		}
		if count == len(index) {
			return count, false
		}
		index[count] = int32(i)
		count++
	}
	return count, true
}

// soonGo is Soon from a sample on, with count samples listed before.
func soonGo(u, du, y, norms []float64, zone []uint8, ends, rates []float64, speed, leap, limit float64, index []int, near []float64, from, count int) int {
	const least = 0x1p-900 // against 0/0; numbers below 2^-1022 are slow
	for i := from; i < len(u); i++ {
		z := zone[i]
		r, dr := u[i]-y[i], du[i]
		if r < 0 {
			r, dr = -r, -dr
		}
		stray, jump := norms[i]*speed+least, norms[i]*leap
		down, up := stray+max(max(rates[z], 0)-dr, 0), stray+max(dr-min(rates[z+1], 0), 0)
		below, above := math.Abs(r-ends[z])-jump, math.Abs(ends[z+1]-r)-jump
		if below <= limit*down || above <= limit*up {
			index[count], near[count] = i, min(below/down, above/up)
			count++
		}
	}
	return count
}

// shareGo is Share.
func shareGo(dst, slope, p []float64, scale float64) {
	for i, a := range slope {
		dst[i] = 0
		if v := scale * a / p[i]; p[i] != 0 && v > 0 {
			dst[i] = v
		}
	}
}

// invertGo is Invert.
func invertGo(x []float64, add, least float64) {
	for i, v := range x {
		x[i] = 1 / max(v+add, least)
	}
}

// squaresGo is Squares.
func squaresGo(y []float64, a float64, x []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = a * (v * v)
	}
}

// stackGo is Stack.
func stackGo(panel, scaled []float64, ld int, x []float64, stride, cols int, index []int32, change []float64) {
	for k, i := range index {
		row := panel[k*ld:][:cols]
		copy(row, x[int(i)*stride:][:cols])
		scaleToGo(scaled[k*ld:], change[k], row)
	}
}
