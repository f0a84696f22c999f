package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var constants = map[string]Mem{}

func constant(x float64) Mem {
	name := fmt.Sprintf("c%016x", math.Float64bits(x))
	m, ok := constants[name]
	if !ok {
		m = GLOBL(name, 8|16)
		for i := range 4 {
			DATA(8*i, U64(math.Float64bits(x)))
		}
		constants[name] = m
	}
	return m
}

func (v *isa) abs(r reg.VecVirtual) {
	VANDPD(constant(math.Float64frombits(1<<63-1)), r, r)
}

func (v *isa) copy(r reg.VecVirtual) reg.VecVirtual {
	c := v.vec()
	VMOVAPD(r, c)
	return c
}

func (v *isa) less(x reg.VecVirtual, m Op) reg.Register {
	const less = 0x11
	y := YMM()
	VCMPPD(U8(less), m, x, y)
	return y
}

// choose returns yes where which is set, else no.
func (v *isa) choose(which reg.Register, yes, no reg.VecVirtual) reg.VecVirtual {
	r := v.vec()
	VBLENDVPD(which, yes, no, r)
	return r
}

// horner takes the highest power first.
func (v *isa) horner(x reg.VecVirtual, coefficients ...float64) reg.VecVirtual {
	p := v.vec()
	VMOVUPD(constant(coefficients[0]), p)
	for _, c := range coefficients[1:] {
		VFMADD213PD(constant(c), x, p)
	}
	return p
}

// exp is the series of a remainder within half of ln 2, times a power of two, for |x| <= 708.
func (v *isa) exp(x reg.VecVirtual) reg.VecVirtual {
	n := v.vec()
	VMULPD(constant(math.Log2E), x, n)
	VROUNDPD(U8(8), n, n)
	r := v.copy(x)
	VFNMADD231PD(constant(ln2Hi), n, r)
	VFNMADD231PD(constant(ln2Lo), n, r)
	var series []float64
	for k, f := 0, 1.0; k <= 13; k++ {
		series = append([]float64{1 / f}, series...)
		f *= float64(k + 1)
	}
	p := v.horner(r, series...)
	VADDPD(constant(0x1.8p52+1023), n, n) // the low bits are now n + 1023
	VPSLLQ(U8(52), n, n)
	VMULPD(n, p, p)
	return p
}

// ln 2 in two parts, the first with few digits.
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// log1p returns ln(1 + e), 0 <= e <= 1, from f with 1 + e = 2^k (1 + f).
func (v *isa) log1p(e reg.VecVirtual) reg.VecVirtual {
	small := v.less(e, constant(math.Sqrt2-1))
	half := v.vec()
	VMULPD(constant(0.5), e, half)
	VSUBPD(constant(0.5), half, half)
	f := v.choose(small, e, half)
	high, low, none := v.vec(), v.vec(), v.zero()
	VMOVUPD(constant(ln2Hi), high)
	VMOVUPD(constant(ln2Lo), low)
	high, low = v.choose(small, none, high), v.choose(small, none, low)
	s, z := v.vec(), v.vec()
	VADDPD(constant(2), f, s)
	VDIVPD(s, f, s)
	VMULPD(s, s, z)
	r := v.remez(z)
	square := v.vec()
	VMULPD(f, f, square)
	VMULPD(constant(0.5), square, square)
	VADDPD(square, r, r)
	VFMADD213PD(low, s, r)
	VSUBPD(r, square, square)
	VSUBPD(f, square, square)
	VSUBPD(square, high, high)
	return high
}

// remez returns FreeBSD msun's polynomial for ln(1 + f), in z = s², s = f/(2 + f).
func (v *isa) remez(z reg.VecVirtual) reg.VecVirtual {
	r := v.horner(z, 1.479819860510658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
		2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01)
	VMULPD(z, r, r)
	return r
}

func logistic(v *isa) {
	begin(v, "logistic", "z, y, loss, slope, bend *float64, n int", "is Logistic.")
	z, y, loss, slope, bend := pointer("z"), pointer("y"), pointer("loss"), pointer("slope"), pointer("bend")
	n := pointer("n")
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		label, t := v.load(at(y, o, 0), tail), v.load(at(z, o, 0), tail)
		VMULPD(label, t, t)
		minus := v.zero()
		VSUBPD(label, minus, label) // -y
		x, limit := v.copy(t), v.vec()
		v.abs(x)
		VMOVUPD(constant(708), limit)
		VMINPD(x, limit, x) // a NaN stays
		VSUBPD(x, minus, x)
		e := v.exp(x)
		q, one := v.vec(), v.vec()
		VMOVUPD(constant(1), one)
		VADDPD(e, one, q)
		VDIVPD(q, one, q)
		other := v.vec()
		VMULPD(e, q, other)
		b := v.vec()
		VMULPD(q, other, b)
		v.store(b, at(bend, o, 0), tail)
		below := v.less(t, minus)
		sigma := v.choose(below, q, other)
		VMULPD(label, sigma, sigma)
		v.store(sigma, at(slope, o, 0), tail)
		VSUBPD(t, minus, t)
		VMAXPD(t, minus, t) // a NaN stays
		l := v.log1p(e)
		VADDPD(t, l, l)
		v.store(l, at(loss, o, 0), tail)
	})
	end(v)
}
