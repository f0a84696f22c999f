package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// count is begin for a function that returns a number.
func count(v *isa, name, args, doc string) {
	TEXT(v.name(name), NOSPLIT, fmt.Sprintf("func(%s) int", args))
	Pragma("noescape")
	Doc(v.name(name) + " " + doc)
}

// leading runs body over whole vectors of arrays of n entries until one has a lane that
// require denies, and returns how many entries come before it.
func leading(v *isa, body func(o reg.GPVirtual)) {
	n, o := pointer("n"), GP64()
	XORQ(o, o)
	SUBQ(U8(v.lanes), n)
	Label("loop")
	CMPQ(o, n)
	JG(LabelRef("end"))
	body(o)
	ADDQ(U8(v.lanes), o)
	JMP(LabelRef("loop"))
	Label("end")
	Store(o, ReturnIndex(0))
	end(v)
}

// Predicates of comparisons.
const (
	equal   = 0x00
	less    = 0x11
	atMost  = 0x12
	more    = 0x1e
	notLess = 0x1d
)

// require ends leading unless a compares with b as the predicate says in all lanes.
func require(predicate uint8, a reg.VecVirtual, b Op) {
	k, bits := K(), GP32()
	VCMPPD(U8(predicate), b, a, k)
	KMOVW(k, bits)
	CMPL(bits, U32(0xff))
	JNE(LabelRef("end"))
}

// opposite is with alike the one for terms of one size.
func opposite(v *isa, alike bool) {
	if alike {
		count(v, "mirrored", "p, q, r, s *float64, n int", "is Mirrored.")
	} else {
		count(v, "opposite", "p, q, r, s *float64, n int", "is Opposite.")
	}
	p, q, r, s := pointer("p"), pointer("q"), pointer("r"), pointer("s")
	zero, least := v.zero(), v.broadcast(constant(1e-50))
	leading(v, func(o reg.GPVirtual) {
		a, b, x := v.load(at(p, o, 0), false), v.load(at(r, o, 0), false), v.vec()
		VMULPD(a, b, x)
		require(less, x, zero)
		VMULPD(at(q, o, 0), b, x)
		t := v.load(at(s, o, 0), false)
		VFNMADD213PD(x, a, t) // x - a s
		v.abs(t)
		v.abs(x)
		v.abs(a)
		v.abs(b)
		if alike {
			require(equal, a, b)
		} else {
			VMINPD(a, b, b)
		}
		require(more, b, least)
		require(more, x, v.broadcast(constant(1e-200)))
		VMULPD(v.broadcast(constant(3*0x1p-52)), x, x)
		require(atMost, t, x)
	})
}

// atLeast is AtLeast.
func atLeast(v *isa) {
	count(v, "atLeast", "x *float64, n int, least float64", "is AtLeast.")
	x, least := pointer("x"), float(v, "least")
	leading(v, func(o reg.GPVirtual) {
		require(notLess, v.load(at(x, o, 0), false), least)
	})
}

// kinks is with ranges the one of curved terms.
func kinks(v *isa, ranges bool) {
	if ranges {
		count(v, "ranges", "p, q, tau, kink, lo, hi *float64, n int, others uint8", "is Ranges, others a mask.")
	} else {
		count(v, "kinks", "p, q, kink, lo, hi *float64, n int, others uint8", "is Kinks, others a mask.")
	}
	p, q, kink, lo, hi := pointer("p"), pointer("q"), pointer("kink"), pointer("lo"), pointer("hi")
	others, bits := K(), GP32()
	Load(Param("others"), bits)
	KMOVW(bits, others)
	zero, least, inv := v.zero(), v.broadcast(constant(1e-50)), newInverse(v)
	leading(v, func(o reg.GPVirtual) {
		a, t := v.load(at(p, o, 0), false), v.vec()
		VMOVAPD(a, t)
		v.abs(t)
		require(more, t, least)
		r := inv.of(a, "quotient")
		VSUBPD(at(q, o, 0), zero, t)
		v.store(v.over(t, a, r), at(kink, o, 0), false)
		if ranges {
			VMULPD(at(pointer("tau"), o, 0), r, a)
		}
		VMOVUPD_Z(at(lo, o, 0), others, t)
		VMINPD(t, a, t)
		v.store(t, at(lo, o, 0), false)
		VMOVUPD_Z(at(hi, o, 0), others, t)
		VMAXPD(t, a, t)
		v.store(t, at(hi, o, 0), false)
	})
}

// inverse has the reciprocals of the sizes met last. The entries of a row are mostly of one size,
// so that few divisions are needed.
type inverse struct {
	*isa
	size, value reg.VecVirtual
}

func newInverse(v *isa) inverse { return inverse{v, v.zero(), v.zero()} }

// of returns 1/a, up to rounding. The label is one of the function's own.
func (c inverse) of(a reg.VecVirtual, label string) reg.VecVirtual {
	size, r := c.copy(a), c.vec()
	c.abs(size)
	bits := GP32()
	if c.wide {
		k := K()
		VCMPPD(U8(equal), size, c.size, k)
		KMOVW(k, bits)
	} else {
		m := YMM()
		VCMPPD(U8(equal), size, c.size, m)
		VMOVMSKPD(m, bits)
	}
	CMPL(bits, U32(1<<c.lanes-1))
	JE(LabelRef(label))
	VMOVAPD(size, c.size)
	VDIVPD(size, c.broadcast(constant(1)), c.value)
	Label(label)
	if c.wide {
		VPXORQ(a, size, r) // the sign
		VPORQ(c.value, r, r)
	} else {
		VXORPD(a, size, r)
		VORPD(c.value, r, r)
	}
	return r
}

// over returns x/a, where r is 1/a up to rounding.
func (v *isa) over(x, a, r reg.VecVirtual) reg.VecVirtual {
	q, rest := v.vec(), v.copy(x)
	VMULPD(r, x, q)
	VFNMADD231PD(a, q, rest)
	VFMADD231PD(r, rest, q)
	return q
}

// squares is Squares.
func squares(v *isa) {
	begin(v, "squares", "y *float64, a float64, x *float64, n int", "is Squares.")
	x, y, n, a := pointer("x"), pointer("y"), pointer("n"), float(v, "a")
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		p := v.load(at(x, o, 0), tail)
		VMULPD(p, p, p)
		VMULPD(a, p, p)
		v.store(p, at(y, o, 0), tail)
	})
	end(v)
}

func invert(v *isa) {
	begin(v, "invert", "x *float64, n int, add, least float64", "is Invert.")
	x, n := pointer("x"), pointer("n")
	add, least, one := float(v, "add"), float(v, "least"), v.broadcast(constant(1))
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		r := v.load(at(x, o, 0), tail)
		VADDPD(add, r, r)
		VMAXPD(least, r, r)
		if !v.wide {
			VDIVPD(r, one, r)
			v.store(r, at(x, o, 0), tail)
			return
		}
		q := ZMM() // 14 bits, which each step of Newton's doubles
		VRCP14PD(r, q)
		for range 2 {
			e := v.copy(one)
			VFNMADD231PD(q, r, e)
			VFMADD231PD(e, q, q)
		}
		v.store(q, at(x, o, 0), tail)
	})
	end(v)
}

func stack(v *isa) {
	begin(v, "stack", "panel, scaled *float64, ld int, x *float64, stride, d int, index *int32, change *float64, rows int", "is Stack.")
	panel, scaled, ld, x, stride := pointer("panel"), pointer("scaled"), pointer("ld"), pointer("x"), pointer("stride")
	index, change, rows := pointer("index"), pointer("change"), pointer("rows")
	SHLQ(U8(3), ld)
	SHLQ(U8(3), stride)
	whole, last := pointer("d"), GP64() // entries before the last vector, and of it
	DECQ(whole)
	ANDQ(I8(-v.lanes), whole)
	Load(Param("d"), last)
	SUBQ(whole, last)
	v.mask(last)
	Label("row")
	row, o := GP64(), GP64()
	MOVLQSX(Mem{Base: index}, row)
	IMULQ(stride, row)
	ADDQ(x, row)
	c := v.broadcast(Mem{Base: change})
	XORQ(o, o)
	entries := func(tail bool) {
		e := v.load(at(row, o, 0), tail)
		v.store(e, at(panel, o, 0), tail)
		VMULPD(c, e, e)
		v.store(e, at(scaled, o, 0), tail)
	}
	Label("vector")
	CMPQ(o, whole)
	JGE(LabelRef("last"))
	entries(false)
	ADDQ(U8(v.lanes), o)
	JMP(LabelRef("vector"))
	Label("last")
	entries(true)
	ADDQ(ld, panel)
	ADDQ(ld, scaled)
	ADDQ(U8(4), index)
	ADDQ(U8(8), change)
	DECQ(rows)
	JNZ(LabelRef("row"))
	end(v)
}
