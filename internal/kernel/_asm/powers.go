package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stripVectors is how many vectors the tiles of mulAddRows have at most.
func (v *isa) stripVectors() int {
	if v.wide {
		return 5
	}
	return 3
}

// strips adds products to four rows of a matrix by some vectors, the last of which is masked,
// kept in registers over all the products' terms.
func strips(v *isa) {
	begin(v, "strip", "c, a, b *float64, ldc, rowA, colA, ldb, n, k int", "adds the product of four rows of a with columns of b to c.")
	most := v.stripVectors()
	for vectors := 1; vectors < most; vectors++ {
		CMPQ(argument("n"), U8(vectors*v.lanes))
		JLE(LabelRef(fmt.Sprintf("strip%d", vectors)))
	}
	strip(v, "wide", most)
	for vectors := 1; vectors < most; vectors++ {
		label := fmt.Sprintf("strip%d", vectors)
		Label(label)
		strip(v, label+"_", vectors)
	}
}

func strip(v *isa, label string, vectors int) {
	rest := pointer("n")
	SUBQ(U8((vectors-1)*v.lanes), rest)
	v.mask(rest)
	c, a, b, k := pointer("c"), pointer("a"), pointer("b"), pointer("k")
	ldc, rowA, colA, ldb := pointer("ldc"), pointer("rowA"), pointer("colA"), pointer("ldb")
	for _, stride := range []reg.GPVirtual{ldc, rowA, colA, ldb} {
		SHLQ(U8(3), stride)
	}
	triple := GP64()
	LEAQ(Mem{Base: rowA, Index: rowA, Scale: 2}, triple)
	rows := [4]Mem{{Base: a}, {Base: a, Index: rowA, Scale: 1}, {Base: a, Index: rowA, Scale: 2}, {Base: a, Index: triple, Scale: 1}}
	var sums [4][]reg.VecVirtual
	for i := range sums {
		for range vectors {
			sums[i] = append(sums[i], v.zero())
		}
	}
	Label(label + "loop")
	var right []reg.VecVirtual
	for j := range vectors {
		right = append(right, v.load(Mem{Base: b, Disp: j * v.bytes()}, j == vectors-1))
	}
	for i, row := range rows {
		left := v.broadcast(row)
		for j, r := range right {
			VFMADD231PD(r, left, sums[i][j])
		}
	}
	ADDQ(colA, a)
	ADDQ(ldb, b)
	DECQ(k)
	JNZ(LabelRef(label + "loop"))
	for _, row := range sums {
		for j, s := range row {
			m := Mem{Base: c, Disp: j * v.bytes()}
			old := v.load(m, j == vectors-1)
			VADDPD(old, s, s)
			v.store(s, m, j == vectors-1)
		}
		ADDQ(ldc, c)
	}
	end(v)
}

// pairRows writes rows and the products of two of their entries.
func pairRows(v *isa) {
	begin(v, "pairRows", "dst *float64, ld int, x *float64, stride, cols int, index *int32, count int", "is PairRows for at most two vectors of columns.")
	CMPQ(argument("cols"), U8(v.lanes))
	JG(LabelRef("two"))
	pairRowsBy(v, "one", 1)
	Label("two")
	pairRowsBy(v, "both", 2)
}

func pairRowsBy(v *isa, label string, vectors int) {
	dst, ld, x, stride := pointer("dst"), pointer("ld"), pointer("x"), pointer("stride")
	index, count := pointer("index"), pointer("count")
	SHLQ(U8(3), ld)
	SHLQ(U8(3), stride)
	last := pointer("cols")
	SUBQ(U8((vectors-1)*v.lanes), last)
	v.mask(last)
	zero := v.zero()
	Label(label + "row")
	row, to, left := GP64(), GP64(), GP64()
	MOVLQSX(Mem{Base: index}, row)
	IMULQ(stride, row)
	ADDQ(x, row)
	var entries []reg.VecVirtual
	for j := range vectors {
		e := v.load(Mem{Base: row, Disp: j * v.bytes()}, j == vectors-1)
		VMOVUPD(e, Mem{Base: dst, Disp: j * v.bytes()})
		entries = append(entries, e)
	}
	LEAQ(Mem{Base: dst, Disp: vectors * v.bytes()}, to)
	MOVQ(argument("cols"), left)
	Label(label + "pairs")
	first := v.vec()
	VBROADCASTSD(entries[0].AsX(), first)
	for j, e := range entries {
		product := v.vec()
		VMULPD(first, e, product)
		VMOVUPD(product, Mem{Base: to, Disp: j * v.bytes()})
	}
	for j, e := range entries { // by one entry
		next := zero
		if j+1 < vectors {
			next = entries[j+1]
		}
		VALIGNQ(U8(1), e, next, e)
	}
	LEAQ(Mem{Base: to, Index: left, Scale: 8}, to)
	DECQ(left)
	JNZ(LabelRef(label + "pairs"))
	ADDQ(ld, dst)
	ADDQ(U8(4), index)
	DECQ(count)
	JNZ(LabelRef(label + "row"))
	end(v)
}

func scaleRows(v *isa) {
	begin(v, "scaleRows", "dst *float64, ld int, x *float64, stride, cols int, a *float64, count int", "is ScaleRows.")
	dst, ld, x, stride := pointer("dst"), pointer("ld"), pointer("x"), pointer("stride")
	a, count := pointer("a"), pointer("count")
	Label("row")
	f := v.broadcast(Mem{Base: a})
	v.each("loop", pointer("cols"), func(o reg.GPVirtual, tail bool) {
		e := v.load(at(x, o, 0), tail)
		VMULPD(f, e, e)
		v.store(e, at(dst, o, 0), tail)
	})
	LEAQ(Mem{Base: dst, Index: ld, Scale: 8}, dst)
	LEAQ(Mem{Base: x, Index: stride, Scale: 8}, x)
	ADDQ(U8(8), a)
	DECQ(count)
	JNZ(LabelRef("row"))
	end(v)
}

// log returns the natural logarithm of x, a normal number > 0, and a NaN of x < 0: from f with x = 2^k (1 + f), as
// log1p does.
func (v *isa) log(x reg.VecVirtual) reg.VecVirtual {
	k, f, square := v.vec(), v.vec(), v.vec()
	VGETEXPPD(x, k)
	VGETMANTPD(U8(8), x, f) // from 1 to 2; a NaN of negative numbers
	large := K()
	const greater = 0x1e
	VCMPPD(U8(greater), constant(math.Sqrt2), f, large)
	VADDPD(constant(1), k, large, k)
	VMULPD(constant(0.5), f, large, f)
	VSUBPD(constant(1), f, f)
	s, z := v.vec(), v.vec()
	VADDPD(constant(2), f, s)
	VDIVPD(s, f, s)
	VMULPD(s, s, z)
	r := v.remez(z)
	VMULPD(f, f, square)
	VMULPD(constant(0.5), square, square)
	VADDPD(square, r, r)
	low := v.vec()
	VMULPD(constant(ln2Lo), k, low)
	VFMADD213PD(low, s, r) // s (square + R) + low
	VSUBPD(r, square, square)
	VSUBPD(f, square, square)
	VMULPD(constant(ln2Hi), k, k)
	VSUBPD(square, k, k)
	return k
}

// remez returns Remez's polynomial of FreeBSD's msun for ln(1 + f), of z = s², s = f/(2 + f).
func (v *isa) remez(z reg.VecVirtual) reg.VecVirtual {
	r := v.horner(z, 1.479819860510658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
		2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01)
	VMULPD(z, r, r)
	return r
}

// within bounds x to numbers whose exponential is normal.
func (v *isa) within(x reg.VecVirtual) {
	low, high := v.vec(), v.vec()
	VMOVUPD(constant(-708), low)
	VMOVUPD(constant(708), high)
	VMAXPD(x, low, x) // a NaN stays
	VMINPD(x, high, x)
}

func powers(v *isa) {
	begin(v, "powers", "dst, x *float64, n int, q float64", "is Powers.")
	dst, x, n, q := pointer("dst"), pointer("x"), pointer("n"), float(v, "q")
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		l := v.log(v.load(at(x, o, 0), tail))
		VMULPD(q, l, l)
		v.within(l)
		v.store(v.exp(l), at(dst, o, 0), tail)
	})
	end(v)
}

// The layout of the types Series and SeriesTerms.
const (
	seriesOrders = 10
	seriesBends  = 3
	seriesBlock  = 64
)

// field returns an entry of a structure of numbers.
func field(base reg.Register, entry int) Mem { return Mem{Base: base, Disp: 8 * entry} }

func series(v *isa) {
	begin(v, "series", "s, t *float64, groups int", "is Series.Terms for groups of eight samples.")
	s, t, groups := pointer("s"), pointer("t"), pointer("groups")
	const (
		exponent, slope, level, climb, third0, third1, third2, divisions = 0, 1, 2, 3, 4, 5, 6, 7
		own, ownLevel, ownClimb, bendOwn, bendLevel, bendClimb, bendBy   = 8, 9, 10, 11, 12, 13, 14
		ratio, first                                                     = 15, 18
		other, rise                                                      = first + seriesOrders, first + 2*seriesOrders
	)
	const (
		residual, rate, multiplicity = 0, seriesBlock, 2 * seriesBlock
		phi                          = 3 * seriesBlock
		phiU                         = phi + 12*seriesBlock
		phiUU                        = phiU + 12*seriesBlock
		weight                       = phiUU + 4*seriesBlock
		dweight, third, bent         = weight + seriesBlock, weight + 2*seriesBlock, weight + 3*seriesBlock
		value                        = weight + 4*seriesBlock
	)
	number := func(entry int) reg.VecVirtual { return v.broadcast(field(s, entry)) }
	times := func(x, y Op) reg.VecVirtual {
		r := v.vec()
		VMULPD(x, y, r)
		return r
	}
	offset := GP64()
	XORQ(offset, offset)
	in := func(entry int) Mem { return Mem{Base: t, Index: offset, Scale: 1, Disp: 8 * entry} }
	Label("group")
	r, dr, m := v.load(in(residual), false), v.load(in(rate), false), v.load(in(multiplicity), false)
	loss, sl := times(r, r), number(slope)
	base := number(level)
	VFMADD231PD(loss, sl, base)
	inverse := v.vec()
	VMOVUPD(constant(1), inverse)
	VDIVPD(base, inverse, inverse)
	b, c := times(r, dr), times(dr, dr)
	VMULPD(sl, b, b)
	VADDPD(b, b, b)
	VADDPD(number(climb), b, b)
	VMULPD(inverse, b, b)
	VMULPD(sl, c, c)
	VMULPD(inverse, c, c)

	q, g, start := number(exponent), v.vec(), v.vec()
	l := v.log(base)
	flag := GP64()
	MOVQ(field(s, exponent), flag)
	minus := GP64()
	MOVQ(U64(math.Float64bits(-1)), minus)
	CMPQ(flag, minus)
	JNE(LabelRef("power"))
	VMOVAPD(inverse, g)
	VMULPD(m, l, start)
	JMP(LabelRef("weighed"))
	Label("power")
	VMULPD(q, l, l)
	v.within(l)
	e := v.exp(l)
	VMOVAPD(e, g)
	VMULPD(e, base, start)
	VMULPD(m, start, start)
	Label("weighed")
	VMOVUPD(g, in(weight))
	dv := times(g, inverse)
	VMULPD(q, dv, dv)
	VMULPD(sl, dv, dv)
	VMOVUPD(dv, in(dweight))
	VMULPD(m, g, g)
	h := times(g, inverse)

	accumulate := func(k int, x reg.VecVirtual) {
		VMULPD(number(rise+k), x, x)
		at := Mem{Base: t, Disp: 8 * (value + 8*k)}
		VADDPD(at, x, x)
		VMOVUPD(x, at)
	}
	accumulate(0, start)

	// The third derivative, with the least base on the line.
	part := times(loss, inverse)
	VMULPD(sl, part, part)
	most := number(third2)
	VFMADD213PD(number(third1), part, most)
	VFMADD213PD(number(third0), part, most)
	VMULPD(h, most, most)
	v.abs(most)
	size, double := v.copy(b), v.vec()
	v.abs(size)
	VADDPD(c, c, double)
	least := v.copy(c)
	VSUBPD(size, least, least) // c - |b|
	inner := v.less(size, double)
	square := times(b, b)
	VMULPD(constant(-0.25), square, square)
	VDIVPD(c, square, square)
	least = v.choose(inner, square, least)
	VADDPD(constant(1), least, least)
	over := v.vec()
	VMOVUPD(constant(1), over)
	VDIVPD(least, over, over)
	count := GP64()
	MOVQ(field(s, divisions), count)
	Label("divide")
	TESTQ(count, count)
	JZ(LabelRef("divided"))
	VMULPD(over, most, most)
	DECQ(count)
	JMP(LabelRef("divide"))
	Label("divided")
	VMOVUPD(most, in(third))

	// Second derivatives: coefficients of the power g, and of h and low, one and two lower.
	turn := func(k int, g, g1 reg.VecVirtual) reg.VecVirtual { // the next coefficient of g
		f, o := times(number(first+k), b), times(number(other+k), c)
		VMULPD(g, f, f)
		if g1 != nil {
			VFMADD231PD(g1, o, f)
		}
		return f
	}
	lower := func(g, h, h1 reg.VecVirtual) reg.VecVirtual { // and of the power below
		n := times(g, inverse)
		VFNMADD231PD(h, b, n)
		if h1 != nil {
			VFNMADD231PD(h1, c, n)
		}
		return n
	}
	var bends [seriesBends + 1]reg.VecVirtual
	{
		g, h, low := g, h, times(h, inverse)
		var g1, h1, low1, inner1 reg.VecVirtual
		for k := range bends {
			if k > 0 {
				g, g1 = turn(k, g, g1), g
				h, h1 = lower(g, h, h1), h
				low, low1 = lower(h, low, low1), low
			}
			inner := times(number(bendOwn), h)
			VFMADD231PD(number(bendLevel), low, inner)
			if low1 != nil {
				VFMADD231PD(number(bendClimb), low1, inner)
			}
			bends[k] = times(r, inner)
			if inner1 != nil {
				VFMADD231PD(dr, inner1, bends[k])
			}
			VMULPD(number(bendBy), bends[k], bends[k])
			inner1 = inner
		}
	}
	rest := bends[seriesBends]
	for k := range seriesBends {
		VFMADD231PD(number(ratio+k), bends[seriesBends-1-k], rest)
	}
	VMULPD(constant(0.75), rest, rest)
	VADDPD(rest, bends[1], bends[1])
	for k, bend := range bends[:seriesBends] {
		VMOVUPD(bend, in(phiUU+k*seriesBlock))
	}
	v.abs(rest)
	VMULPD(constant(1./3), rest, rest)
	VMOVUPD(rest, in(bent))

	VADDPD(r, r, r)
	VADDPD(dr, dr, dr)
	var g1, g2, h1 reg.VecVirtual
	for k := range seriesOrders {
		if k > 0 {
			g, g1, g2 = turn(k, g, g1), g, g1
			h, h1 = lower(g, h, h1), h
			x := times(b, g1)
			if g2 != nil {
				VFMADD231PD(double, g2, x)
			}
			VMULPD(base, x, x)
			accumulate(k, x)
		}
		f, u := times(r, g), times(number(own), g)
		VFMADD231PD(number(ownLevel), h, u)
		if k > 0 {
			VFMADD231PD(dr, g1, f)
			VFMADD231PD(number(ownClimb), h1, u)
		}
		VMOVUPD(f, in(phi+k*seriesBlock))
		VMOVUPD(u, in(phiU+k*seriesBlock))
		if k == 0 {
			v.abs(u)
			VMOVUPD(u, in(phiU+seriesOrders*seriesBlock))
		}
	}
	ADDQ(U8(64), offset)
	DECQ(groups)
	JNZ(LabelRef("group"))
	end(v)
}
