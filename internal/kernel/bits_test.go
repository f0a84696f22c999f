package kernel

import (
	"fmt"
	"math"
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
func (d *drawn) floats(n int) []float64 {
	from := 1 + d.IntN(3)
	v := make([]float64, from+n)[from:]
	for i := range v {
		v[i] = d.NormFloat64()
		if len(d.odd) > 0 && (d.IntN(6) == 0 || len(d.odd) == len(tiny)) {
			v[i] = d.odd[d.IntN(len(d.odd))]
		}
	}
	return v
}

// record keeps the bits of v; one NaN is as good as another.
func record(d *drawn, v ...float64) {
	for _, x := range v {
		bits := math.Float64bits(x)
		if math.IsNaN(x) {
			bits = math.Float64bits(math.NaN())
		}
		d.outputs = append(d.outputs, bits)
	}
}

// alike are the kernels that exist in assembly and in Go, for vectors of n entries.
var alike = map[string]func(d *drawn, n int){
	"Dot":  func(d *drawn, n int) { record(d, Dot(d.floats(n), d.floats(n))) },
	"Axpy": func(d *drawn, n int) { y := d.floats(n); Axpy(d.floats(1)[0], d.floats(n), y); record(d, y...) },
	"Axpy4": func(d *drawn, n int) {
		y, a := d.floats(n), [4]float64(d.floats(4))
		Axpy4(&a, &[4][]float64{d.floats(n), d.floats(n + 1), d.floats(n), d.floats(n)}, y)
		record(d, y...)
	},
	"MulVec": func(d *drawn, n int) {
		dst, stride := d.floats(d.IntN(12)), n+d.IntN(3)
		MulVec(dst, d.floats(12*stride), stride, d.floats(n))
		record(d, dst...)
	},
	"MulTransAdd":    func(d *drawn, n int) { transposed(d, n, MulTransAdd) },
	"MulTransAddAbs": func(d *drawn, n int) { transposed(d, n, MulTransAddAbs) },
	"GramAdd": func(d *drawn, n int) {
		ld, count := Pad(n)+8*d.IntN(2), d.IntN(6)
		h := d.floats(ld * ld)
		GramAdd(h, ld, Pad(n), d.floats(count*ld), d.floats(count*ld), count)
		record(d, h...)
	},
	"ProductAdd": func(d *drawn, n int) {
		ld, count, rows := Pad(n)+8*d.IntN(2), d.IntN(6), min(4*d.IntN(4), Pad(n))
		h := d.floats(Pad(n) * ld)
		ProductAdd(h, ld, rows, Pad(n), d.floats(count*ld), d.floats(count*ld), count)
		record(d, h...)
	},
	"Logistic": func(d *drawn, n int) {
		loss, slope, bend := d.floats(n), d.floats(n), d.floats(n)
		Logistic(wide(d, n), d.floats(n), loss, slope, bend)
		record(d, append(append(loss, slope...), bend...)...)
	},
}

// wide returns numbers of all sizes that exponentials know.
func wide(d *drawn, n int) []float64 {
	v := d.floats(n)
	for i := range v {
		v[i] *= math.Exp(8 * d.Float64())
	}
	return v
}

func transposed(d *drawn, n int, mul func(w, x []float64, stride int, a []float64)) {
	w, stride, a := d.floats(n), n+d.IntN(3), d.floats(d.IntN(14))
	for i := range a {
		if d.IntN(2) == 0 || i/4 == 1 { // a group and more of zeros
			a[i] = math.Copysign(0, a[i])
		}
	}
	mul(w, d.floats(14*stride), stride, a)
	record(d, w...)
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

// TestExp compares Exp and Pow with math's, to their error.
func TestExp(t *testing.T) {
	for _, x := range []float64{0, 1, -1, 0.3, 700, 708.5, 709.7, 709.79, 711, -707, -708.5, -720, -744.4, -745.2, -800, math.Inf(1), math.Inf(-1), math.NaN()} {
		got, want := Exp(x), math.Exp(x)
		if !(math.Abs(got-want) <= 4e-16*want+5e-324) && got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("e^%v is %v, want %v", x, got, want)
		}
	}
	for _, c := range [][2]float64{{0, 0}, {0, 0.5}, {0, -0.5}, {0, 3}, {1, math.Inf(1)}, {2, 0.5}, {7, -1.25}, {1e-300, 0.7}, {1e300, 0.9}, {math.Inf(1), 0.3}, {math.Inf(1), -0.3}} {
		got, want := Pow(c[0], c[1]), math.Pow(c[0], c[1])
		if !(math.Abs(got-want) <= 2e-13*want) && got != want {
			t.Errorf("%v^%v is %v, want %v", c[0], c[1], got, want)
		}
	}
}
