package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/agepath/agepath/internal/kernel/_asm/emit"
)

func single(x float64) Mem { return words(math.Float32bits(float32(x))) }

func words(bits uint32) Mem {
	return Number(math.Float64frombits(uint64(bits)<<32 | uint64(bits)))
}

func fill(m Mem) reg.VecVirtual {
	r := YMM()
	VMOVUPS(m, r)
	return r
}

// activation runs body for vectors of x, and stores what it returns.
func activation(v *ISA, name, doc string, body func(t reg.VecVirtual) reg.VecVirtual) {
	Begin(v, name, "dst, x *float32, n int", doc)
	dst, x, n := Pointer("dst"), Pointer("x"), Pointer("n")
	constants()
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		t := v.Load(Mem{Base: x, Index: o, Scale: 4}, tail)
		v.Store(body(t), Mem{Base: dst, Index: o, Scale: 4}, tail)
	})
	End(v)
}

// Constants of an activation.
var one, sign, floor reg.VecVirtual

func constants() {
	one, sign, floor = fill(single(1)), fill(words(1<<31)), fill(single(-87))
}

// exp is for x <= 0 with a normal exponential.
func exp(x reg.VecVirtual) reg.VecVirtual {
	n, r := YMM(), YMM()
	VMULPS(single(math.Log2E), x, n)
	VROUNDPS(U8(8), n, n)
	VMOVAPS(x, r)
	high := float64(float32(math.Ln2))
	VFNMADD231PS(single(high), n, r)
	VFNMADD231PS(single(math.Ln2-high), n, r)
	p := fill(single(1.0 / 5040))
	for _, c := range []float64{1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1} {
		VFMADD213PS(single(c), r, p)
	}
	VADDPS(single(0x1.8p23+127), n, n) // the low bits are now n + 127
	VPSLLD(U8(23), n, n)
	VMULPS(n, p, p)
	return p
}

// sigmoid takes exp(-|x|).
func sigmoid(v *ISA) {
	activation(v, "sigmoid", "is Sigmoid.", func(t reg.VecVirtual) reg.VecVirtual {
		e, q, r := YMM(), YMM(), YMM()
		VORPS(sign, t, e)
		VMAXPS(e, floor, e) // a NaN stays
		e = exp(e)
		VADDPS(e, one, q)
		VDIVPS(q, one, q)
		VMULPS(q, e, e)
		VBLENDVPS(t, e, q, r)
		return r
	})
}

// tanh takes e = exp(-2|x|) and the sign of x.
func tanh(v *ISA) {
	activation(v, "tanh", "is Tanh.", func(t reg.VecVirtual) reg.VecVirtual {
		e, q := YMM(), YMM()
		VORPS(sign, t, e)
		VANDPS(sign, t, t)
		VADDPS(e, e, e)
		VMAXPS(e, floor, e) // a NaN stays
		e = exp(e)
		VADDPS(e, one, q)
		VSUBPS(e, one, e)
		VDIVPS(q, e, q)
		VORPS(t, q, q)
		return q
	})
}
