package loops

import "math"

// The loops by their definitions.

func plainMulAdd[T Float](c []T, ldc int, a []T, rowA, colA int, b []T, ldb int, m, n, k int) {
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

func plainSigmoid[T Float](dst, x []T) {
	for i, v := range x {
		e := math.Exp(-math.Abs(float64(v)))
		q := 1 / (1 + e)
		if v < 0 {
			q *= e
		}
		dst[i] = T(q)
	}
}

func plainTanh[T Float](dst, x []T) {
	for i, v := range x {
		dst[i] = T(math.Tanh(float64(v)))
	}
}

func plainAdam[T Float](p, g, mean, square []T, by *AdamStep[T]) {
	for i, v := range g {
		m := by[0]*mean[i] + by[1]*v
		s := by[2]*square[i] + by[3]*v*v
		mean[i], square[i] = m, s
		p[i] -= by[6] * m / (by[4]*T(math.Sqrt(float64(s))) + by[5])
	}
}

func plainDistances(dst, x []float64, stride int, point []float64) {
	for j := range dst {
		sum := 0.0
		for k, v := range point {
			r := v - x[k*stride+j]
			sum += r * r
		}
		dst[j] = sum
	}
}

func plainGauss(dst, d, s, t []float64, a, b, gamma float64) float64 {
	total := 0.0
	for i, v := range d {
		w := (a*s[i] + b*t[i]) * math.Exp(-gamma*v)
		dst[i] = w
		total += w
	}
	return total
}
