package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type precision struct {
	isa
	single                          bool
	add, mul, sub, div, fma         func(...Op)
	max, move, spread, xor, and, or func(...Op)
}

func precisions() []*precision {
	return []*precision{{
		isa: isa{lanes: 4, suffix: "64AVX2"}, add: VADDPD, mul: VMULPD, sub: VSUBPD, div: VDIVPD,
		fma: VFMADD231PD, max: VMAXPD, move: VMOVUPD, spread: VBROADCASTSD,
		xor: VXORPD, and: VANDPD, or: VORPD,
	}, {
		isa: isa{lanes: 8, suffix: "32AVX2"}, single: true, add: VADDPS, mul: VMULPS, sub: VSUBPS, div: VDIVPS,
		fma: VFMADD231PS, max: VMAXPS, move: VMOVUPS, spread: VBROADCASTSS,
		xor: VXORPS, and: VANDPS, or: VORPS,
	}}
}

func (v *precision) kind() string {
	if v.single {
		return "float32"
	}
	return "float64"
}

func (v *precision) size() int {
	if v.single {
		return 4
	}
	return 8
}

func (v *precision) at(base, offset reg.Register) Mem {
	return Mem{Base: base, Index: offset, Scale: uint8(v.size())}
}

func (v *precision) zero() reg.VecVirtual {
	r := v.vec()
	v.xor(r, r, r)
	return r
}

func (v *precision) broadcast(m Op) reg.VecVirtual {
	r := v.vec()
	v.spread(m, r)
	return r
}

func (v *precision) constant(x float64) Mem {
	if !v.single {
		return constant(x)
	}
	return words(math.Float32bits(float32(x)))
}

func words(bits uint32) Mem {
	return constant(math.Float64frombits(uint64(bits)<<32 | uint64(bits)))
}

func (v *precision) signs() Mem {
	if v.single {
		return words(1 << 31)
	}
	return constant(math.Copysign(0, -1))
}

func (v *precision) fill(m Mem) reg.VecVirtual {
	r := v.vec()
	v.move(m, r)
	return r
}

func (v *precision) mask(count reg.GPVirtual) {
	if !v.single {
		v.isa.mask(count)
		return
	}
	t, m := GP64(), YMM()
	LEAQ(tailMasks(), t)
	NEGQ(count)
	VMOVUPS(Mem{Base: t, Index: count, Scale: 4, Disp: 32}, m)
	v.tail = m
}

func (v *precision) load(m Mem, tail bool) reg.VecVirtual {
	if !v.single {
		return v.isa.load(m, tail)
	}
	r := v.vec()
	if tail {
		VMASKMOVPS(m, v.tail, r)
	} else {
		VMOVUPS(m, r)
	}
	return r
}

func (v *precision) store(r reg.VecVirtual, m Mem, tail bool) {
	switch {
	case !v.single:
		v.isa.store(r, m, tail)
	case !tail:
		VMOVUPS(r, m)
	default:
		VMASKMOVPS(r, v.tail, m)
	}
}

func (v *precision) each(count reg.GPVirtual, body func(offset reg.GPVirtual, tail bool)) {
	offset := GP64()
	XORQ(offset, offset)
	Label("loop")
	CMPQ(count, U8(v.lanes))
	JL(LabelRef("loop_tail"))
	body(offset, false)
	ADDQ(U8(v.lanes), offset)
	SUBQ(U8(v.lanes), count)
	JMP(LabelRef("loop"))
	Label("loop_tail")
	TESTQ(count, count)
	JZ(LabelRef("loop_done"))
	v.mask(count)
	body(offset, true)
	Label("loop_done")
}

// exp is for x <= 0 with a normal exponential.
func (v *precision) exp(x reg.VecVirtual) reg.VecVirtual {
	if !v.single {
		return v.isa.exp(x)
	}
	n := v.vec()
	VMULPS(v.constant(math.Log2E), x, n)
	VROUNDPS(U8(8), n, n)
	r := v.vec()
	VMOVAPS(x, r)
	high := float64(float32(math.Ln2))
	VFNMADD231PS(v.constant(high), n, r)
	VFNMADD231PS(v.constant(math.Ln2-high), n, r)
	p := v.fill(v.constant(1.0 / 5040))
	for _, c := range []float64{1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1} {
		VFMADD213PS(v.constant(c), r, p)
	}
	VADDPS(v.constant(0x1.8p23+127), n, n) // the low bits are now n + 127
	VPSLLD(U8(23), n, n)
	VMULPS(n, p, p)
	return p
}

func (v *precision) floor() Mem {
	if v.single {
		return v.constant(-87)
	}
	return v.constant(-708)
}

// mulAdd adds products to tiles of a matrix, rows by two vectors or a masked one, kept in
// registers.
func mulAdd(v *precision) {
	for _, rows := range []int{height, 1} {
		for _, tail := range []bool{false, true} {
			mulAddTile(v, rows, tail)
		}
	}
}

// height rows of a tile fit into the registers.
const height = 4

func mulAddTile(v *precision, rows int, tail bool) {
	name, count, vectors := "tile", "", 2
	if rows == 1 {
		name = "row"
	}
	if tail {
		name, count, vectors = name+"Tail", ", count", 1
	}
	begin(&v.isa, name, "c, a, b *"+v.kind()+", ldc, rowA, colA, ldb, k"+count+" int",
		"adds the product of rows of a with columns of b to a tile of c.")
	if tail {
		v.mask(pointer("count"))
	}
	c, a, b, ldc := pointer("c"), pointer("a"), pointer("b"), pointer("ldc")
	rowA, colA, ldb, k := pointer("rowA"), pointer("colA"), pointer("ldb"), pointer("k")
	shift := U8(3)
	if v.single {
		shift = U8(2)
	}
	for _, stride := range []reg.GPVirtual{ldc, rowA, colA, ldb} {
		SHLQ(shift, stride)
	}
	triple := GP64()
	if rows > 1 {
		LEAQ(Mem{Base: rowA, Index: rowA, Scale: 2}, triple)
	}
	row := [height]Mem{{Base: a}, {Base: a, Index: rowA, Scale: 1}, {Base: a, Index: rowA, Scale: 2}, {Base: a, Index: triple, Scale: 1}}
	sums := make([][]reg.VecVirtual, rows)
	for i := range sums {
		for range vectors {
			sums[i] = append(sums[i], v.zero())
		}
	}
	Label("loop")
	var right []reg.VecVirtual
	for j := range vectors {
		right = append(right, v.load(Mem{Base: b, Disp: j * v.size() * v.lanes}, tail))
	}
	for i := range rows {
		left := v.broadcast(row[i])
		for j := range right {
			v.fma(right[j], left, sums[i][j])
		}
	}
	ADDQ(colA, a)
	ADDQ(ldb, b)
	DECQ(k)
	JNZ(LabelRef("loop"))
	for i := range rows {
		for j, s := range sums[i] {
			m := Mem{Base: c, Disp: j * v.size() * v.lanes}
			old := v.load(m, tail)
			v.add(old, s, s)
			v.store(s, m, tail)
		}
		ADDQ(ldc, c)
	}
	end(&v.isa)
}

// sigmoid takes exp(-|x|).
func sigmoid(v *precision) {
	begin(&v.isa, "sigmoid", "dst, x *"+v.kind()+", n int", "is Sigmoid.")
	dst, x, n := pointer("dst"), pointer("x"), pointer("n")
	one, sign, floor := v.fill(v.constant(1)), v.fill(v.signs()), v.fill(v.floor())
	v.each(n, func(o reg.GPVirtual, tail bool) {
		t := v.load(v.at(x, o), tail)
		e := v.vec()
		v.or(sign, t, e)
		v.max(e, floor, e) // a NaN stays
		e = v.exp(e)
		q := v.vec()
		v.add(e, one, q)
		v.div(q, one, q)
		v.mul(q, e, e)
		v.store(v.whereNegative(t, e, q), v.at(dst, o), tail)
	})
	end(&v.isa)
}

// whereNegative returns yes where the sign of t is set, else no.
func (v *precision) whereNegative(t, yes, no reg.VecVirtual) reg.VecVirtual {
	r := v.vec()
	if v.single {
		VBLENDVPS(t, yes, no, r)
	} else {
		VBLENDVPD(t, yes, no, r)
	}
	return r
}

// tanh takes e = exp(-2|x|) and the sign of x.
func tanh(v *precision) {
	begin(&v.isa, "tanh", "dst, x *"+v.kind()+", n int", "is Tanh.")
	dst, x, n := pointer("dst"), pointer("x"), pointer("n")
	one, sign, floor := v.fill(v.constant(1)), v.fill(v.signs()), v.fill(v.floor())
	v.each(n, func(o reg.GPVirtual, tail bool) {
		t := v.load(v.at(x, o), tail)
		e := v.vec()
		v.or(sign, t, e)
		v.and(sign, t, t)
		v.add(e, e, e)
		v.max(e, floor, e) // a NaN stays
		e = v.exp(e)
		q := v.vec()
		v.add(e, one, q)
		v.sub(e, one, e)
		v.div(q, e, q)
		v.or(t, q, q)
		v.store(q, v.at(dst, o), tail)
	})
	end(&v.isa)
}
