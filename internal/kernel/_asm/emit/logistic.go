package emit

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var constants = map[string]Mem{}

func Number(x float64) Mem {
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

func (v *ISA) abs(r reg.VecVirtual) {
	VANDPD(Number(math.Float64frombits(1<<63-1)), r, r)
}

func (v *ISA) copy(r reg.VecVirtual) reg.VecVirtual {
	c := YMM()
	VMOVAPD(r, c)
	return c
}

func (v *ISA) less(x reg.VecVirtual, m Op) reg.Register {
	const less = 0x11
	y := YMM()
	VCMPPD(U8(less), m, x, y)
	return y
}

// choose returns yes where which is set, else no.
func (v *ISA) choose(which reg.Register, yes, no reg.VecVirtual) reg.VecVirtual {
	r := YMM()
	VBLENDVPD(which, yes, no, r)
	return r
}

// horner takes the highest power first.
func (v *ISA) horner(x reg.VecVirtual, coefficients ...float64) reg.VecVirtual {
	p := YMM()
	VMOVUPD(Number(coefficients[0]), p)
	for _, c := range coefficients[1:] {
		VFMADD213PD(Number(c), x, p)
	}
	return p
}

// exp is the series of a remainder within half of ln 2, times a power of two, for |x| <= 708.
func (v *ISA) Exp(x reg.VecVirtual) reg.VecVirtual {
	n := YMM()
	VMULPD(Number(math.Log2E), x, n)
	VROUNDPD(U8(8), n, n)
	r := v.copy(x)
	VFNMADD231PD(Number(ln2Hi), n, r)
	VFNMADD231PD(Number(ln2Lo), n, r)
	var series []float64
	for k, f := 0, 1.0; k <= 13; k++ {
		series = append([]float64{1 / f}, series...)
		f *= float64(k + 1)
	}
	p := v.horner(r, series...)
	VADDPD(Number(0x1.8p52+1023), n, n) // the low bits are now n + 1023
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
func (v *ISA) log1p(e reg.VecVirtual) reg.VecVirtual {
	small := v.less(e, Number(math.Sqrt2-1))
	half := YMM()
	VMULPD(Number(0.5), e, half)
	VSUBPD(Number(0.5), half, half)
	f := v.choose(small, e, half)
	high, low, none := YMM(), YMM(), v.Zero()
	VMOVUPD(Number(ln2Hi), high)
	VMOVUPD(Number(ln2Lo), low)
	high, low = v.choose(small, none, high), v.choose(small, none, low)
	s, z := YMM(), YMM()
	VADDPD(Number(2), f, s)
	VDIVPD(s, f, s)
	VMULPD(s, s, z)
	r := v.remez(z)
	square := YMM()
	VMULPD(f, f, square)
	VMULPD(Number(0.5), square, square)
	VADDPD(square, r, r)
	VFMADD213PD(low, s, r)
	VSUBPD(r, square, square)
	VSUBPD(f, square, square)
	VSUBPD(square, high, high)
	return high
}

// remez returns FreeBSD msun's polynomial for ln(1 + f), in z = s², s = f/(2 + f).
func (v *ISA) remez(z reg.VecVirtual) reg.VecVirtual {
	r := v.horner(z, 1.479819860510658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
		2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01)
	VMULPD(z, r, r)
	return r
}

func logistic(v *ISA) {
	Begin(v, "logistic", "z, y, loss, slope, bend *float64, n int", "is Logistic.")
	z, y, loss, slope, bend := Pointer("z"), Pointer("y"), Pointer("loss"), Pointer("slope"), Pointer("bend")
	n := Pointer("n")
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		label, t := v.Load(At(y, o, 0), tail), v.Load(At(z, o, 0), tail)
		VMULPD(label, t, t)
		minus := v.Zero()
		VSUBPD(label, minus, label) // -y
		x, limit := v.copy(t), YMM()
		v.abs(x)
		VMOVUPD(Number(708), limit)
		VMINPD(x, limit, x) // a NaN stays
		VSUBPD(x, minus, x)
		e := v.Exp(x)
		q, one := YMM(), YMM()
		VMOVUPD(Number(1), one)
		VADDPD(e, one, q)
		VDIVPD(q, one, q)
		other := YMM()
		VMULPD(e, q, other)
		b := YMM()
		VMULPD(q, other, b)
		v.Store(b, At(bend, o, 0), tail)
		below := v.less(t, minus)
		sigma := v.choose(below, q, other)
		VMULPD(label, sigma, sigma)
		v.Store(sigma, At(slope, o, 0), tail)
		VSUBPD(t, minus, t)
		VMAXPD(t, minus, t) // a NaN stays
		l := v.log1p(e)
		VADDPD(t, l, l)
		v.Store(l, At(loss, o, 0), tail)
	})
	End(v)
}
