package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// distances writes squared distances of a point from the columns of x, of four vectors of
// columns at a time, then of one.
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

// between picks the numbers within bounds, and adds the weights of those below.
func between(v *isa) {
	TEXT(v.name("between"), NOSPLIT, "func(d, w *float64, n int, lo, hi float64, index *int32) (count int, below float64)")
	Pragma("noescape")
	Doc(v.name("between") + " is Between.")
	d, w, n, lo, hi := pointer("d"), pointer("w"), pointer("n"), float(v, "lo"), float(v, "hi")
	index, next, step, total := pointer("index"), ZMM(), ZMM(), v.zero()
	VMOVDQU32(laneOffsets(), next)
	eight, start := GP32(), GP64()
	MOVL(U32(8), eight)
	VPBROADCASTD(eight, step)
	MOVQ(index, start)
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		const less = 0x11
		x := v.load(at(d, o, 0), tail)
		under, upTo, weight := K(), K(), v.vec()
		VCMPPD(U8(less), lo, x, under)
		VCMPPD(U8(less), hi, x, upTo)
		VMOVUPD_Z(at(w, o, 0), maskOf(v, under, tail), weight)
		VADDPD(weight, total, total)
		KANDNW(upTo, under, upTo)
		v.both(upTo, tail)
		picked, count := ZMM(), GP32()
		VPCOMPRESSD_Z(next, upTo, picked) // into memory it is slow
		VMOVDQU(picked.AsY(), Mem{Base: index})
		KMOVW(upTo, count)
		POPCNTL(count, count)
		LEAQ(Mem{Base: index, Index: count.As64(), Scale: 4}, index)
		VPADDD(step, next, next)
	})
	SUBQ(start, index)
	SHRQ(U8(2), index)
	Store(index, ReturnIndex(0))
	Store(v.sum(total).AsX(), ReturnIndex(1))
	end(v)
}

// maskOf is the lanes of k that the tail has.
func maskOf(v *isa, k reg.OpmaskVirtual, tail bool) reg.OpmaskVirtual {
	v.both(k, tail)
	return k
}

// gauss writes weighted Gaussian kernels of squared distances.
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
