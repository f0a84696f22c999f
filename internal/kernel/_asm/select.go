package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var lanes Mem

// laneOffsets is 0, 1, ..., 15 as 32-bit integers.
func laneOffsets() Mem {
	if lanes.Symbol.Name == "" {
		lanes = GLOBL("laneOffsets", 8|16)
		for i := range 16 {
			DATA(4*i, U32(uint32(i)))
		}
	}
	return lanes
}

// picker appends the offsets whose lanes a mask selects to a list of 32-bit
// indices.
type picker struct {
	next, step reg.VecVirtual // offsets of the lanes, and how far they advance
	list       reg.GPVirtual  // where the next index goes
	room       reg.GPVirtual  // entries left
}

func newPicker() *picker {
	p := &picker{ZMM(), ZMM(), pointer("index"), pointer("room")}
	VMOVDQU32(laneOffsets(), p.next)
	eight := GP32()
	MOVL(U32(8), eight)
	VPBROADCASTD(eight, p.step)
	return p
}

// pick appends those of mask k, of at most eight lanes, and jumps to full where
// there is no room for eight.
func (p *picker) pick(k reg.OpmaskVirtual, full string) {
	CMPQ(p.room, U8(8))
	JL(LabelRef(full))
	VPCOMPRESSD(p.next, k, Mem{Base: p.list})
	count := GP32()
	KMOVW(k, count)
	POPCNTL(count, count)
	SUBQ(count.As64(), p.room)
	LEAQ(Mem{Base: p.list, Index: count.As64(), Scale: 4}, p.list)
	VPADDD(p.step, p.next, p.next)
}

// both returns the lanes of k that the tail has.
func (v *isa) both(k reg.OpmaskVirtual, tail bool) {
	if tail {
		KANDW(v.tail, k, k)
	}
}

func near(v *isa) {
	TEXT(v.name("near"), NOSPLIT, "func(z, kink, lo, hi, slope, inv *float64, n int, limit float64, index *int32, room int) int")
	Pragma("noescape")
	Doc(v.name("near") + " is Near; it returns the room left, less than 8 where there was not enough.")
	z, kink, lo, hi := pointer("z"), pointer("kink"), pointer("lo"), pointer("hi")
	slope, inv, n, limit := pointer("slope"), pointer("inv"), pointer("n"), float(v, "limit")
	p, zero := newPicker(), v.zero()
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		k, r := v.load(at(kink, o, 0), tail), v.load(at(z, o, 0), tail)
		VSUBPD(k, r, r)
		b, u := v.load(at(lo, o, 0), tail), v.load(at(hi, o, 0), tail)
		above, off, in := K(), K(), K()
		const greater, different, atMost = 0x1e, 0x04, 0x12
		VCMPPD(U8(greater), zero, r, above)
		VMOVAPD(u, above, b)
		VCMPPD(U8(different), v.load(at(slope, o, 0), tail), b, off)
		VMULPD(r, r, r)
		VMULPD(v.load(at(inv, o, 0), tail), r, r)
		VCMPPD(U8(atMost), limit, r, in)
		KORW(off, in, off)
		v.both(off, tail)
		p.pick(off, "full")
	})
	Label("full")
	Store(p.room, ReturnIndex(0))
	end(v)
}

func changed(v *isa) {
	TEXT(v.name("changed"), NOSPLIT, "func(x, y *float64, n int, unit, part float64, index *int32, room int) int")
	Pragma("noescape")
	Doc(v.name("changed") + " is Changed; it returns the room left, less than 8 where there was not enough.")
	x, y, n, unit, part := pointer("x"), pointer("y"), pointer("n"), float(v, "unit"), float(v, "part")
	p := newPicker()
	sign := v.vec()
	bits := GP64()
	MOVQ(U64(1<<63-1), bits)
	VPBROADCASTQ(bits, sign)
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		a := v.load(at(x, o, 0), tail)
		VMULPD(unit, a, a)
		e := v.vec()
		VSUBPD(v.load(at(y, o, 0), tail), a, e)
		VPANDQ(sign, e, e)
		VPANDQ(sign, a, a)
		VMULPD(part, a, a)
		k := K()
		const above = 0x1e
		VCMPPD(U8(above), a, e, k)
		v.both(k, tail)
		p.pick(k, "full")
	})
	Label("full")
	Store(p.room, ReturnIndex(0))
	end(v)
}

func share(v *isa) {
	begin(v, "share", "dst, slope, p *float64, n int, scale float64", "is Share.")
	dst, slope, p, n, scale := pointer("dst"), pointer("slope"), pointer("p"), pointer("n"), float(v, "scale")
	zero, inv := v.zero(), newInverse(v)
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		a, b := v.load(at(slope, o, 0), tail), v.load(at(p, o, 0), tail)
		VMULPD(scale, a, a)
		a = v.over(a, b, inv.of(b, fmt.Sprint("quotient", tail)))
		VMAXPD(zero, a, a) // zero where 0/0
		const different = 0x04
		if v.wide {
			k := K()
			VCMPPD(U8(different), zero, b, k)
			VMOVAPD_Z(a, k, a)
		} else {
			m := YMM()
			VCMPPD(U8(different), zero, b, m)
			VANDPD(m, a, a)
		}
		v.store(a, at(dst, o, 0), tail)
	})
	end(v)
}

// soon lists the samples that can come to an end of their zones soon.
func soon(v *isa) {
	begin(v, "soon", "u, du, y, norms *float64, zone *uint8, ends, rates *float64, n int, speed, leap, limit float64, index *int, near *float64) (count int", "is Soon for n samples, a multiple of eight.")
	u, du, y, norms, zone := pointer("u"), pointer("du"), pointer("y"), pointer("norms"), pointer("zone")
	ends, rates, n := pointer("ends"), pointer("rates"), pointer("n")
	index, near := pointer("index"), pointer("near")
	low, high := v.load(Mem{Base: ends}, false), v.load(Mem{Base: ends, Disp: 8}, false)
	fall, rise := v.load(Mem{Base: rates}, false), v.load(Mem{Base: rates, Disp: 8}, false)
	zero := v.zero()
	VMAXPD(zero, fall, fall)
	VMINPD(zero, rise, rise)
	speed, leap, limit := float(v, "speed"), float(v, "leap"), float(v, "limit")
	least, sign := v.vec(), v.vec()
	VMOVUPD(constant(0x1p-900), least)
	VMOVUPD(constant(math.Copysign(0, -1)), sign)
	next, step, eight := ZMM(), ZMM(), GP64()
	VPMOVZXDQ(laneOffsets(), next)
	MOVQ(U32(8), eight)
	VPBROADCASTQ(eight, step)
	o, first := GP64(), GP64()
	XORQ(o, o)
	MOVQ(index, first)
	Label("loop")
	CMPQ(o, n)
	JGE(LabelRef("done"))
	z := ZMM()
	VPMOVZXBQ(Mem{Base: zone, Index: o, Scale: 1}, z)
	r, dr := v.load(at(u, o, 0), false), v.load(at(du, o, 0), false)
	VSUBPD(at(y, o, 0), r, r)
	side := ZMM()
	VPANDQ(sign, r, side)
	VPXORQ(side, dr, dr)
	VPXORQ(side, r, r)
	norm := v.load(at(norms, o, 0), false)
	stray, jump := v.vec(), v.vec()
	VMOVAPD(least, stray)
	VFMADD231PD(speed, norm, stray)
	VMULPD(leap, norm, jump)
	look := func(table reg.VecVirtual) reg.VecVirtual {
		x := v.vec()
		VPERMPD(table, z, x)
		return x
	}
	down, up := look(fall), v.vec()
	VSUBPD(dr, down, down)
	VMAXPD(zero, down, down)
	VADDPD(stray, down, down)
	VSUBPD(look(rise), dr, up)
	VMAXPD(zero, up, up)
	VADDPD(stray, up, up)
	below, above := v.vec(), look(high)
	VSUBPD(look(low), r, below)
	VSUBPD(r, above, above)
	v.abs(below)
	v.abs(above)
	VSUBPD(jump, below, below)
	VSUBPD(jump, above, above)
	const lessOrEqual = 0x12
	k, other, bound := K(), K(), v.vec()
	VMULPD(limit, down, bound)
	VCMPPD(U8(lessOrEqual), bound, below, k)
	VMULPD(limit, up, bound)
	VCMPPD(U8(lessOrEqual), bound, above, other)
	KORW(k, other, k)
	count := GP32()
	KMOVW(k, count)
	TESTL(count, count)
	JZ(LabelRef("next"))
	VDIVPD(down, below, below)
	VDIVPD(up, above, above)
	VMINPD(below, above, above)
	VCOMPRESSPD(above, k, above)
	VMOVUPD(above, Mem{Base: near})
	chosen := ZMM()
	VPCOMPRESSQ(next, k, chosen)
	VMOVDQU64(chosen, Mem{Base: index})
	POPCNTL(count, count)
	LEAQ(Mem{Base: index, Index: count.As64(), Scale: 8}, index)
	LEAQ(Mem{Base: near, Index: count.As64(), Scale: 8}, near)
	Label("next")
	VPADDQ(step, next, next)
	ADDQ(U8(8), o)
	JMP(LabelRef("loop"))
	Label("done")
	SUBQ(first, index)
	SHRQ(U8(3), index)
	Store(index, ReturnIndex(0))
	end(v)
}
