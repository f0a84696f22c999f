package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/agepath/agepath/internal/kernel/_asm/emit"
)

func distances(v *ISA) {
	Begin(v, "distances", "dst, x *float64, stride, n int, point *float64, dims int", "is Distances.")
	dst, x, stride, n := Pointer("dst"), Pointer("x"), Pointer("stride"), Pointer("n")
	SHLQ(U8(3), stride)
	left := GP64()
	step := func(label string, from Mem, to func(i int) Mem, vectors int, tail bool) {
		column, point := GP64(), Pointer("point")
		LEAQ(from, column)
		Load(Param("dims"), left)
		var sums []reg.VecVirtual
		for range vectors {
			sums = append(sums, v.Zero())
		}
		Label(label)
		entry := v.Broadcast(Mem{Base: point})
		for i, sum := range sums {
			r := v.Load(Mem{Base: column, Disp: i * v.Bytes()}, tail)
			VSUBPD(r, entry, r)
			VFMADD231PD(r, r, sum)
		}
		ADDQ(stride, column)
		ADDQ(U8(8), point)
		DECQ(left)
		JNZ(LabelRef(label))
		for i, sum := range sums {
			v.Store(sum, to(i), tail)
		}
	}
	Label("four")
	CMPQ(n, U8(4*v.Lanes))
	JL(LabelRef("few"))
	step("four_dimensions", Mem{Base: x}, func(i int) Mem { return Mem{Base: dst, Disp: i * v.Bytes()} }, 4, false)
	ADDQ(U32(4*v.Bytes()), x)
	ADDQ(U32(4*v.Bytes()), dst)
	SUBQ(U8(4*v.Lanes), n)
	JMP(LabelRef("four"))
	Label("few")
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		label := "dimensions"
		if tail {
			label += "_tail"
		}
		step(label, At(x, o, 0), func(int) Mem { return At(dst, o, 0) }, 1, tail)
	})
	End(v)
}

func gauss(v *ISA) {
	TEXT(v.Name("gauss"), NOSPLIT, "func(dst, d, s, t *float64, n int, a, b, gamma float64) float64")
	Pragma("noescape")
	Doc(v.Name("gauss") + " is Gauss.")
	dst, d, s, t, n := Pointer("dst"), Pointer("d"), Pointer("s"), Pointer("t"), Pointer("n")
	a, b, gamma := Float(v, "a"), Float(v, "b"), Float(v, "gamma")
	floor, total, none := YMM(), v.Zero(), v.Zero()
	VMOVUPD(Number(-708), floor)
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		x := v.Load(At(d, o, 0), tail)
		VFNMADD213PD(none, gamma, x)
		VMAXPD(x, floor, x) // a NaN stays
		e := v.Exp(x)
		w, second := v.Load(At(s, o, 0), tail), v.Load(At(t, o, 0), tail)
		VMULPD(a, w, w)
		VFMADD231PD(b, second, w)
		VMULPD(w, e, e)
		v.Store(e, At(dst, o, 0), tail)
		VADDPD(e, total, total)
	})
	r := v.Sum(total)
	Store(r.AsX(), ReturnIndex(0))
	End(v)
}

func exps(v *ISA) {
	Begin(v, "exps64", "x *float64, n int", "sets x <= 0 to exp x.")
	x, n, floor := Pointer("x"), Pointer("n"), YMM()
	VMOVUPD(Number(-708), floor)
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		e := v.Load(At(x, o, 0), tail)
		VMAXPD(e, floor, e) // a NaN stays
		v.Store(v.Exp(e), At(x, o, 0), tail)
	})
	End(v)
}
