package emit

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Precision has the instructions of products for float64 or float32.
type Precision struct {
	ISA
	single                bool
	add, fma, xor, spread func(...Op)
}

// Precisions returns those of float64 and of float32.
func Precisions() []*Precision {
	return []*Precision{
		{ISA{Lanes: 4, suffix: "64AVX2"}, false, VADDPD, VFMADD231PD, VXORPD, VBROADCASTSD},
		{ISA{Lanes: 8, suffix: "32AVX2"}, true, VADDPS, VFMADD231PS, VXORPS, VBROADCASTSS},
	}
}

func (v *Precision) kind() string {
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

func (v *Precision) Zero() reg.VecVirtual {
	r := v.Vec()
	v.xor(r, r, r)
	return r
}

func (v *Precision) Broadcast(m Op) reg.VecVirtual {
	r := v.Vec()
	v.spread(m, r)
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
	Begin(&v.ISA, name, "c, a, b *"+v.kind()+", ldc, rowA, colA, ldb, k"+count+" int",
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
			v.add(old, s, s)
			v.Store(s, m, tail)
		}
		ADDQ(ldc, c)
	}
	End(&v.ISA)
}
