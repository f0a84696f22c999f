package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stripVectors is how many vectors the tiles of mulAddRows have at most.
const stripVectors = 3

// strips adds products to four rows of a matrix by some vectors, the last of which is masked,
// kept in registers over all the products' terms.
func strips(v *isa) {
	begin(v, "strip", "c, a, b *float64, ldc, rowA, colA, ldb, n, k int", "adds the product of four rows of a with columns of b to c.")
	for vectors := 1; vectors < stripVectors; vectors++ {
		CMPQ(argument("n"), U8(vectors*v.lanes))
		JLE(LabelRef(fmt.Sprintf("strip%d", vectors)))
	}
	strip(v, "wide", stripVectors)
	for vectors := 1; vectors < stripVectors; vectors++ {
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
