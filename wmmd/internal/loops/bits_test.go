package loops

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// odd are numbers that show in which order and with which roundings a loop computes.
var odd = []float64{
	0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -5e-324, 0x1p-1022, -0x1p-1022, 1e-200, -1e-200,
	1e200, -1e200, math.MaxFloat64, 1 + 0x1p-52, 0.5, 2, 708, -708, 709, -745, 1e-40, -1e-45, 0x1p-126, 3e38,
}

// tiny are numbers whose products are no more than zeros with signs.
var tiny = []float64{1e-200, -1e-200, 1e-200, -1e-200, math.Copysign(0, -1), -1e-190}

// drawn draws the arguments of kernels and records what they return.
type drawn struct {
	*rand.Rand
	odd     []float64 // some of the numbers
	outputs []uint64
}

// floats returns n numbers whose place in memory is no multiple of a vector's.
func (d *drawn) floats(n int) []float64 { return vectorOf[float64](d, n) }

func vectorOf[T Float](d *drawn, n int) []T {
	from := 1 + d.IntN(3)
	v := make([]T, from+n)[from:]
	for i := range v {
		v[i] = T(d.NormFloat64())
		if len(d.odd) > 0 && (d.IntN(6) == 0 || len(d.odd) == len(tiny)) {
			v[i] = T(d.odd[d.IntN(len(d.odd))])
		}
	}
	return v
}

// positive is floats without signs.
func (d *drawn) positive(n int) []float64 {
	v := d.floats(n)
	for i := range v {
		v[i] = math.Abs(v[i])
	}
	return v
}

// record keeps the bits of v; one NaN is as good as another.
func record[T Float](d *drawn, v ...T) {
	for _, x := range v {
		bits := math.Float64bits(float64(x))
		if math.IsNaN(float64(x)) {
			bits = math.Float64bits(math.NaN())
		}
		d.outputs = append(d.outputs, bits)
	}
}

// alike are the kernels that exist in assembly and in Go, for vectors of n entries.
var alike = map[string]func(d *drawn, n int){
	"Distances": func(d *drawn, n int) {
		dst, dims := d.floats(n), d.IntN(9)
		Distances(dst, d.floats((dims+1)*n), n, d.floats(dims))
		record(d, dst...)
	},
	"Gauss": func(d *drawn, n int) {
		dst := d.floats(n)
		sum := Gauss(dst, d.positive(n), d.floats(n), d.floats(n), 0.7, -0.2, 3)
		record(d, append(dst, sum)...)
	},
	"MulAdd32":  multiplied[float32],
	"MulAdd64":  multiplied[float64],
	"Sigmoid64": sigmoids[float64], "Sigmoid32": sigmoids[float32],
}

// wide returns numbers of all sizes that exponentials know.
func wide[T Float](d *drawn, n int) []T {
	v := vectorOf[T](d, n)
	for i := range v {
		v[i] *= T(math.Exp(8 * d.Float64()))
	}
	return v
}

func multiplied[T Float](d *drawn, n int) {
	m, k := d.IntN(10), d.IntN(9)
	c := vectorOf[T](d, m*n)
	MulAdd(c, n, vectorOf[T](d, m*k), k, 1, vectorOf[T](d, k*n), n, m, n, k)
	record(d, c...)
}

func sigmoids[T Float](d *drawn, n int) {
	x, dst := wide[T](d, n), vectorOf[T](d, n)
	Sigmoid(dst, x)
	record(d, dst...)
	Tanh(dst, x)
	record(d, dst...)
}

// TestSameBits: assembly and Go return the same bits for all lengths and places of vectors, of
// common and of odd numbers.
func TestSameBits(t *testing.T) {
	if len(levels()) < 2 {
		t.Skip("needs a processor with AVX2 and FMA, and a build without purego")
	}
	defer setLevel(true)
	kinds := [][]float64{nil, odd, tiny}
	for name, run := range alike {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(24) {
				for n := range 68 {
					var all [2]drawn
					for i, l := range levels() {
						setLevel(l)
						all[i] = drawn{Rand: rand.New(rand.NewPCG(seed, uint64(n))), odd: kinds[seed%3]}
						run(&all[i], n)
					}
					if len(all[0].outputs) != len(all[1].outputs) {
						t.Fatalf("length %d: %d numbers in Go, %d by assembly", n, len(all[0].outputs), len(all[1].outputs))
					}
					for i, want := range all[0].outputs {
						if got := all[1].outputs[i]; got != want {
							t.Fatalf("length %d, seed %d: number %d is %v by assembly, %v in Go", n, seed, i, show(got), show(want))
						}
					}
				}
			}
		})
	}
}

func show(bits uint64) string {
	return fmt.Sprintf("%v (%#x)", math.Float64frombits(bits), bits)
}

// TestFusedSingle compares fma of float32 with the exact sum, rounded once, also where the
// rounding to float64 before is midway between two numbers.
func TestFusedSingle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() float32 {
		for {
			if x := math.Float32frombits(r.Uint32()); !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) {
				return x
			}
		}
	}
	check := func(a, b, c float32) {
		t.Helper()
		if got, want := fma(a, b, c), fusedExactly(a, b, c); got != want {
			t.Fatalf("%g * %g + %g is %g, want %g", a, b, c, got, want)
		}
	}
	for range 20000 {
		a, b := draw(), draw()
		check(a, b, draw())
		p := float32(float64(a) * float64(b))
		for _, e := range []float64{1, 0x1p-24, 0x1p-25, 0x1p25, 0x1p40} { // sums with few bits in common
			check(a, b, float32(float64(p)*e))
			check(a, b, float32(-float64(p)*e))
		}
	}
	// Products next to the middle between c and the next number, by less than a float64 of that
	// size holds; the last one is of numbers without all their digits.
	const above, below = 1 + 0x1p-15, 1 - 0x1p-15
	check(above*0x1p-12, below*0x1p-12, 1+0x1p-23)
	check(-above*0x1p-12, below*0x1p-12, 1+0x1p-23)
	check(above*0x1p-12, below*0x1p-12, -1-0x1p-23)
	check(-above*0x1p-12, below*0x1p-12, -1-0x1p-23)
	check(above*0x1p-75, below*0x1p-75, 0x1p-127+0x1p-149)
}

// fusedExactly returns a b + c by numbers of as many bits as it takes.
func fusedExactly(a, b, c float32) float32 {
	const bits = 1000
	x := new(big.Float).Mul(new(big.Float).SetPrec(bits).SetFloat64(float64(a)), new(big.Float).SetPrec(bits).SetFloat64(float64(b)))
	x.Add(x, new(big.Float).SetPrec(bits).SetFloat64(float64(c)))
	f, _ := x.Float32()
	return f
}
