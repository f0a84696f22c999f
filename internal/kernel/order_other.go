//go:build !amd64 || noasm

package kernel

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

func init() { blas64.Use(ordered{}) }

// ordered is gonum's BLAS with the order of summation of its assembly for amd64, for increments > 0.
type ordered struct{ gonum.Implementation }

func (ordered) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if incX != 1 || incY != 1 {
		even, odd, last := lanes(n, x, incX, y, incY)
		return even + (odd + last)
	}
	var s [4]float64
	for x, y = x[:n], y[:n]; len(x) >= len(s); x, y = x[len(s):], y[len(s):] {
		for k := range s {
			s[k] += x[k] * y[k]
		}
	}
	for i, v := range x {
		s[0] += v * y[i]
	}
	return (s[0] + s[2]) + (s[1] + s[3])
}

// lanes sums the products in two lanes without the last one of an odd number.
func lanes(n int, x []float64, incX int, y []float64, incY int) (even, odd, last float64) {
	for i := 1; i < n; i += 2 {
		even += x[(i-1)*incX] * y[(i-1)*incY]
		odd += x[i*incX] * y[i*incY]
	}
	if n%2 == 1 {
		last = x[(n-1)*incX] * y[(n-1)*incY]
	}
	return even, odd, last
}

func (o ordered) Dgemv(t blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if t != blas.NoTrans || n == 0 || alpha == 0 {
		o.Implementation.Dgemv(t, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	for i := range m {
		even, odd, last := lanes(n, a[i*lda:], 1, x, incX)
		sum := (even + odd) + last
		if i == m-1 && m%2 == 1 { // a row of no pair
			sum = (even + last) + odd
		}
		if beta == 0 {
			y[i*incY] = 0 // not NaN
		}
		y[i*incY] = y[i*incY]*beta + alpha*sum
	}
}
