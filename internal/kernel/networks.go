package kernel

import (
	"math"
	"unsafe"
)

// Float is the numbers of the networks' loops.
type Float interface{ float32 | float64 }

// single returns whether numbers of type T have 32 bits.
func single[T Float]() bool { return unsafe.Sizeof(T(0)) == 4 }

// MulAdd adds the product A B to the m x n matrix C. Row i of C is c[i*ldc:], row i of
// the k x n matrix B is b[i*ldb:]. Entry (i, j) of A is a[i*rowA+j*colA], so that a
// transposed matrix needs no copy. Each entry of C gets its sum over k at once, summed in
// order.
func MulAdd[T Float](c []T, ldc int, a []T, rowA, colA int, b []T, ldb int, m, n, k int) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	if len(c) < (m-1)*ldc+n || len(a) < (m-1)*rowA+(k-1)*colA+1 || len(b) < (k-1)*ldb+n {
		panic("kernel: matrix too short")
	}
	mulAdd(c, ldc, a, rowA, colA, b, ldb, m, n, k)
}

// mulAddGo is MulAdd.
func mulAddGo[T Float](c []T, ldc int, a []T, rowA, colA int, b []T, ldb int, m, n, k int) {
	const columns = 16
	var sums [columns]T
	for i := range m {
		for j := 0; j < n; j += columns {
			width := min(columns, n-j)
			row := sums[:width]
			clear(row)
			for p := range k {
				s := a[i*rowA+p*colA]
				for l, v := range b[p*ldb+j:][:width] {
					row[l] += s * v
				}
			}
			for l, v := range row {
				c[i*ldc+j+l] += v
			}
		}
	}
}

// sigmoidGo is Sigmoid.
func sigmoidGo[T Float](dst, x []T) {
	for i, v := range x {
		e := math.Exp(-math.Abs(float64(v)))
		q := 1 / (1 + e)
		if v < 0 {
			q *= e
		}
		dst[i] = T(q)
	}
}

// tanhGo is Tanh.
func tanhGo[T Float](dst, x []T) {
	for i, v := range x {
		dst[i] = T(math.Tanh(float64(v)))
	}
}

// AdamStep holds the numbers of a step of [Adam]: the decay of the mean of gradients
// and 1 minus it, that of the mean of squares and 1 minus it, what the root of the latter
// is multiplied with, what is added to it, and the rate.
type AdamStep[T Float] [7]T

// adamGo is Adam.
func adamGo[T Float](p, g, mean, square []T, by *AdamStep[T]) {
	for i, v := range g {
		m := by[0]*mean[i] + by[1]*v
		s := by[2]*square[i] + by[3]*v*v
		mean[i], square[i] = m, s
		p[i] -= by[6] * m / (by[4]*T(math.Sqrt(float64(s))) + by[5])
	}
}

// distancesGo is Distances.
func distancesGo(dst, x []float64, stride int, point []float64) {
	for j := range dst {
		sum := 0.0
		for k, v := range point {
			r := v - x[k*stride+j]
			sum += r * r
		}
		dst[j] = sum
	}
}

// gaussGo is Gauss.
func gaussGo(dst, d, s, t []float64, a, b, gamma float64) float64 {
	total := 0.0
	for i, v := range d {
		w := (a*s[i] + b*t[i]) * math.Exp(-gamma*v)
		dst[i] = w
		total += w
	}
	return total
}

// betweenGo is Between.
func betweenGo(index []int32, d, w []float64, lo, hi float64) (count int, below float64) {
	for i, v := range d {
		switch {
		case v < lo:
			below += w[i]
		case v < hi:
			index[count] = int32(i)
			count++
		}
	}
	return count, below
}
