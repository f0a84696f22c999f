package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func distances(v *isa) {
	begin(v, "distances", "dst, x *float64, stride, n int, point *float64, dims int", "is Distances.")
	dst, x, stride, n := pointer("dst"), pointer("x"), pointer("stride"), pointer("n")
	SHLQ(U8(3), stride)
	left := GP64()
	step := func(label string, from Mem, to func(i int) Mem, vectors int, tail bool) {
		column, point := GP64(), pointer("point")
		LEAQ(from, column)
		Load(Param("dims"), left)
		var sums []reg.VecVirtual
		for range vectors {
			sums = append(sums, v.zero())
		}
		Label(label)
		entry := v.broadcast(Mem{Base: point})
		for i, sum := range sums {
			r := v.load(Mem{Base: column, Disp: i * v.bytes()}, tail)
			VSUBPD(r, entry, r)
			VFMADD231PD(r, r, sum)
		}
		ADDQ(stride, column)
		ADDQ(U8(8), point)
		DECQ(left)
		JNZ(LabelRef(label))
		for i, sum := range sums {
			v.store(sum, to(i), tail)
		}
	}
	Label("four")
	CMPQ(n, U8(4*v.lanes))
	JL(LabelRef("few"))
	step("four_dimensions", Mem{Base: x}, func(i int) Mem { return Mem{Base: dst, Disp: i * v.bytes()} }, 4, false)
	ADDQ(U32(4*v.bytes()), x)
	ADDQ(U32(4*v.bytes()), dst)
	SUBQ(U8(4*v.lanes), n)
	JMP(LabelRef("four"))
	Label("few")
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		label := "dimensions"
		if tail {
			label += "_tail"
		}
		step(label, at(x, o, 0), func(int) Mem { return at(dst, o, 0) }, 1, tail)
	})
	end(v)
}

func gauss(v *isa) {
	TEXT(v.name("gauss"), NOSPLIT, "func(dst, d, s, t *float64, n int, a, b, gamma float64) float64")
	Pragma("noescape")
	Doc(v.name("gauss") + " is Gauss.")
	dst, d, s, t, n := pointer("dst"), pointer("d"), pointer("s"), pointer("t"), pointer("n")
	a, b, gamma := float(v, "a"), float(v, "b"), float(v, "gamma")
	floor, total, none := v.vec(), v.zero(), v.zero()
	VMOVUPD(constant(-708), floor)
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		x := v.load(at(d, o, 0), tail)
		VFNMADD213PD(none, gamma, x)
		VMAXPD(x, floor, x) // a NaN stays
		e := v.exp(x)
		w, second := v.load(at(s, o, 0), tail), v.load(at(t, o, 0), tail)
		VMULPD(a, w, w)
		VFMADD231PD(b, second, w)
		VMULPD(w, e, e)
		v.store(e, at(dst, o, 0), tail)
		VADDPD(e, total, total)
	})
	r := v.sum(total)
	Store(r.AsX(), ReturnIndex(0))
	end(v)
}
