// Package loops has the inner loops of networks and of wMMD, in assembly and in Go to the same bits
// as [kernel] has those of the solvers.
package loops

import (
	"math"
	"unsafe"

	"github.com/agepath/agepath/internal/kernel"
)

//go:generate go run -C _asm . -out ../loops_amd64.s -stubs ../stubs_amd64.go -pkg loops

// Float is the number type of the networks' loops.
type Float interface{ float32 | float64 }

func single[T Float]() bool { return unsafe.Sizeof(T(0)) == 4 }

// Sigmoid sets dst, which may be x, to 1/(1 + exp(-x)).
func Sigmoid[T Float](dst, x []T) { activate(dst, x, sigmoidGo[T], sigmoid32AVX2) }

// Tanh sets dst, which may be x, to tanh x, with an absolute error of a few roundings.
func Tanh[T Float](dst, x []T) { activate(dst, x, tanhGo[T], tanh32AVX2) }

func activate[T Float](dst, x []T, plain func(dst, x []T), avx func(dst, x *float32, n int)) {
	if vector && single[T]() && len(x) > 0 {
		avx(p32(dst[:len(x)]), p32(x), len(x))
	} else {
		plain(dst[:len(x)], x)
	}
}

// Distances sets dst_j to the squared distance of point from column j of x, with rows
// x[k*stride:][:len(dst)], symmetric bit for bit.
func Distances(dst, x []float64, stride int, point []float64) {
	if count := len(point); count > 0 && (stride < len(dst) || len(x) < (count-1)*stride+len(dst)) {
		panic("loops: matrix too short")
	}
	switch {
	case len(dst) == 0:
	case !vector || len(point) == 0:
		distancesGo(dst, x, stride, point)
	default:
		distancesAVX2(&dst[0], &x[0], stride, len(dst), &point[0], len(point))
	}
}

// Gauss sets dst to (a s + b t) exp(-gamma d), with exponents of at least -708, and returns the
// sum.
func Gauss(dst, d, s, t []float64, a, b, gamma float64) float64 {
	n := len(d)
	if n == 0 {
		return 0
	}
	dst, s, t = dst[:n], s[:n], t[:n]
	if vector {
		return gaussAVX2(&dst[0], &d[0], &s[0], &t[0], n, a, b, gamma)
	}
	return gaussGo(dst, d, s, t, a, b, gamma)
}

func fma[T Float](a, b, c T) T {
	if !single[T]() {
		return T(math.FMA(float64(a), float64(b), float64(c)))
	}
	return T(fma32(float32(a), float32(b), float32(c)))
}

// fma32 rounds to 53 bits first, wrongly only if the result is midway between two numbers.
func fma32(a, b, c float32) float32 {
	sum := float64(a)*float64(b) + float64(c)
	if inexact(math.Float64bits(sum)) {
		return midway(sum, float64(a)*float64(b), float64(c))
	}
	return float32(sum)
}

func addScaled(y, x []float32, a float32) {
	y = y[:len(x)]
	factor := float64(a)
	for i, v := range x {
		sum := float64(v)*factor + float64(y[i])
		if bits := math.Float64bits(sum); inexact(bits) {
			y[i] = fma32(v, a, y[i])
		} else {
			y[i] = float32(sum)
		}
	}
}

// inexact: a 53-bit sum may round to 24 bits wrongly, midway between two numbers or below the
// normal ones.
func inexact(bits uint64) bool {
	const smallest = 1023 - 126
	return bits&(1<<29-1) == 1<<28 || bits>>52&0x7ff < smallest
}

// midway returns product + c, rounded once, given that sum to 53 bits. If it has lost something,
// its last bit is set, towards the lost part.
func midway(sum, product, c float64) float32 {
	bits, part := math.Float64bits(sum), sum-product
	if lost := (product - (sum - part)) + (c - part); lost != 0 && bits&1 == 0 {
		if (lost > 0) == (sum > 0) {
			bits++
		} else {
			bits--
		}
		sum = math.Float64frombits(bits)
	}
	return float32(sum)
}

// exponential is for x <= 0 with a normal result.
func exponential[T Float](x T) T {
	if !single[T]() {
		return T(kernel.Exp(float64(x)))
	}
	const high = float64(float32(math.Ln2))
	n := T(math.RoundToEven(float64(x * T(math.Log2E))))
	r := fma(-n, T(math.Ln2-high), fma(-n, T(high), x))
	p := T(1. / 5040)
	for _, c := range [...]T{1. / 720, 1. / 120, 1. / 24, 1. / 6, 0.5, 1, 1} {
		p = fma(r, p, c)
	}
	const low = 0x1.8p23 + 127 // the low bits of n + low are n + 127
	return p * T(math.Float32frombits(math.Float32bits(float32(n+low))<<23))
}

func floor[T Float]() T {
	if single[T]() {
		return -87
	}
	return -708
}

func atLeast[T Float](x T) T {
	if low := floor[T](); low > x {
		return low
	}
	return x
}

// exponentials sets x <= 0 to exp x.
func exponentials[T Float](x []T) {
	if vector && !single[T]() {
		exps64AVX2(p64(x), len(x))
		return
	}
	for i, v := range x {
		x[i] = exponential(atLeast(v))
	}
}

const atOnce = 64

func sigmoidGo[T Float](dst, x []T) {
	var e [atOnce]T
	for k, v := range x {
		if k%atOnce == 0 {
			for i, v := range x[k:min(k+atOnce, len(x))] {
				e[i] = T(math.Copysign(float64(v), -1))
			}
			exponentials(e[:min(atOnce, len(x)-k)])
		}
		q := 1 / (e[k%atOnce] + 1)
		if math.Signbit(float64(v)) {
			q *= e[k%atOnce]
		}
		dst[k] = q
	}
}

func tanhGo[T Float](dst, x []T) {
	var e [atOnce]T
	for k, v := range x {
		if k%atOnce == 0 {
			for i, v := range x[k:min(k+atOnce, len(x))] {
				e[i] = 2 * T(math.Copysign(float64(v), -1))
			}
			exponentials(e[:min(atOnce, len(x)-k)])
		}
		q := e[k%atOnce]
		dst[k] = T(math.Copysign(float64((1-q)/(q+1)), float64(v)))
	}
}

// AdamStep holds the decay of the mean of gradients and 1 minus it, the decay of the mean of
// squares and 1 minus it, the factor of the root of the latter, the number added to it, and the
// rate.
type AdamStep[T Float] [7]T

// Adam updates the running means of gradients g and of their squares, and p.
func Adam[T Float](p, g, mean, square []T, by *AdamStep[T]) {
	p, mean, square = p[:len(g)], mean[:len(g)], square[:len(g)]
	for i, v := range g {
		m := fma(v, by[1], mean[i]*by[0])
		s := fma(v*v, by[3], square[i]*by[2])
		mean[i], square[i] = m, s
		root := T(T(math.Sqrt(float64(s)))*by[4]) + by[5] //nolint:unconvert // keeps compilers from fusing
		p[i] -= m * by[6] / root
	}
}

func distancesGo(dst, x []float64, stride int, point []float64) {
	clear(dst)
	for k, v := range point {
		for j, u := range x[k*stride:][:len(dst)] {
			r := v - u
			dst[j] = math.FMA(r, r, dst[j])
		}
	}
}

func gaussGo(dst, d, s, t []float64, a, b, gamma float64) float64 {
	var sum [4]float64
	for i, v := range d {
		w := kernel.Exp(atLeast(math.FMA(-gamma, v, 0))) * math.FMA(b, t[i], float64(a*s[i]))
		dst[i] = w
		sum[i&3] += float64(w)
	}
	return (sum[0] + sum[2]) + (sum[1] + sum[3])
}
