package emit

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Precision has the instructions for float64 or float32.
type Precision struct {
	ISA
	single                  bool
	Add, Mul, Sub, Div, Max func(...Op)
	Xor, And, Or            func(...Op)
	fma, move, spread       func(...Op)
}

// Precisions returns those of float64 and of float32.
func Precisions() []*Precision {
	return []*Precision{{
		ISA: ISA{Lanes: 4, suffix: "64AVX2"}, Add: VADDPD, Mul: VMULPD, Sub: VSUBPD, Div: VDIVPD,
		fma: VFMADD231PD, Max: VMAXPD, move: VMOVUPD, spread: VBROADCASTSD,
		Xor: VXORPD, And: VANDPD, Or: VORPD,
	}, {
		ISA: ISA{Lanes: 8, suffix: "32AVX2"}, single: true, Add: VADDPS, Mul: VMULPS, Sub: VSUBPS, Div: VDIVPS,
		fma: VFMADD231PS, Max: VMAXPS, move: VMOVUPS, spread: VBROADCASTSS,
		Xor: VXORPS, And: VANDPS, Or: VORPS,
	}}
}

func (v *Precision) Kind() string {
	if v.single {
		return "float32"
	}
	return "float64"
}

func (v *Precision) size() int {
	if v.single {
		return 4
	}
	return 8
}

func (v *Precision) At(base, offset reg.Register) Mem {
	return Mem{Base: base, Index: offset, Scale: uint8(v.size())}
}

func (v *Precision) Zero() reg.VecVirtual {
	r := v.Vec()
	v.Xor(r, r, r)
	return r
}

func (v *Precision) Broadcast(m Op) reg.VecVirtual {
	r := v.Vec()
	v.spread(m, r)
	return r
}

func (v *Precision) Constant(x float64) Mem {
	if !v.single {
		return Number(x)
	}
	return words(math.Float32bits(float32(x)))
}

func words(bits uint32) Mem {
	return Number(math.Float64frombits(uint64(bits)<<32 | uint64(bits)))
}

func (v *Precision) Signs() Mem {
	if v.single {
		return words(1 << 31)
	}
	return Number(math.Copysign(0, -1))
}

func (v *Precision) Fill(m Mem) reg.VecVirtual {
	r := v.Vec()
	v.move(m, r)
	return r
}

func (v *Precision) Mask(count reg.GPVirtual) {
	if !v.single {
		v.ISA.Mask(count)
		return
	}
	t, m := GP64(), YMM()
	LEAQ(tailMasks(), t)
	NEGQ(count)
	VMOVUPS(Mem{Base: t, Index: count, Scale: 4, Disp: 32}, m)
	v.tail = m
}

func (v *Precision) Load(m Mem, tail bool) reg.VecVirtual {
	if !v.single {
		return v.ISA.Load(m, tail)
	}
	r := v.Vec()
	if tail {
		VMASKMOVPS(m, v.tail, r)
	} else {
		VMOVUPS(m, r)
	}
	return r
}

func (v *Precision) Store(r reg.VecVirtual, m Mem, tail bool) {
	switch {
	case !v.single:
		v.ISA.Store(r, m, tail)
	case !tail:
		VMOVUPS(r, m)
	default:
		VMASKMOVPS(r, v.tail, m)
	}
}

func (v *Precision) Each(count reg.GPVirtual, body func(offset reg.GPVirtual, tail bool)) {
	offset := GP64()
	XORQ(offset, offset)
	Label("loop")
	CMPQ(count, U8(v.Lanes))
	JL(LabelRef("loop_tail"))
	body(offset, false)
	ADDQ(U8(v.Lanes), offset)
	SUBQ(U8(v.Lanes), count)
	JMP(LabelRef("loop"))
	Label("loop_tail")
	TESTQ(count, count)
	JZ(LabelRef("loop_done"))
	v.Mask(count)
	body(offset, true)
	Label("loop_done")
}

// exp is for x <= 0 with a normal exponential.
func (v *Precision) Exp(x reg.VecVirtual) reg.VecVirtual {
	if !v.single {
		return v.ISA.Exp(x)
	}
	n := v.Vec()
	VMULPS(v.Constant(math.Log2E), x, n)
	VROUNDPS(U8(8), n, n)
	r := v.Vec()
	VMOVAPS(x, r)
	high := float64(float32(math.Ln2))
	VFNMADD231PS(v.Constant(high), n, r)
	VFNMADD231PS(v.Constant(math.Ln2-high), n, r)
	p := v.Fill(v.Constant(1.0 / 5040))
	for _, c := range []float64{1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1} {
		VFMADD213PS(v.Constant(c), r, p)
	}
	VADDPS(v.Constant(0x1.8p23+127), n, n) // the low bits are now n + 127
	VPSLLD(U8(23), n, n)
	VMULPS(n, p, p)
	return p
}

func (v *Precision) Floor() Mem {
	if v.single {
		return v.Constant(-87)
	}
	return v.Constant(-708)
}

// MulAdd adds products to tiles of a matrix, rows by two vectors or a masked one, kept in
// registers.
func MulAdd(v *Precision) {
	for _, rows := range []int{height, 1} {
		for _, tail := range []bool{false, true} {
			mulAddTile(v, rows, tail)
		}
	}
}

// height rows of a tile fit into the registers.
const height = 4

func mulAddTile(v *Precision, rows int, tail bool) {
	name, count, vectors := "tile", "", 2
	if rows == 1 {
		name = "row"
	}
	if tail {
		name, count, vectors = name+"Tail", ", count", 1
	}
	Begin(&v.ISA, name, "c, a, b *"+v.Kind()+", ldc, rowA, colA, ldb, k"+count+" int",
		"adds the product of rows of a with columns of b to a tile of c.")
	if tail {
		v.Mask(Pointer("count"))
	}
	c, a, b, ldc := Pointer("c"), Pointer("a"), Pointer("b"), Pointer("ldc")
	rowA, colA, ldb, k := Pointer("rowA"), Pointer("colA"), Pointer("ldb"), Pointer("k")
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
			sums[i] = append(sums[i], v.Zero())
		}
	}
	Label("loop")
	var right []reg.VecVirtual
	for j := range vectors {
		right = append(right, v.Load(Mem{Base: b, Disp: j * v.size() * v.Lanes}, tail))
	}
	for i := range rows {
		left := v.Broadcast(row[i])
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
			m := Mem{Base: c, Disp: j * v.size() * v.Lanes}
			old := v.Load(m, tail)
			v.Add(old, s, s)
			v.Store(s, m, tail)
		}
		ADDQ(ldc, c)
	}
	End(&v.ISA)
}

// WhereNegative returns yes where the sign of t is set, else no.
func (v *Precision) WhereNegative(t, yes, no reg.VecVirtual) reg.VecVirtual {
	r := v.Vec()
	if v.single {
		VBLENDVPS(t, yes, no, r)
	} else {
		VBLENDVPD(t, yes, no, r)
	}
	return r
}
