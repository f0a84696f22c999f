package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/agepath/agepath/internal/kernel/_asm/emit"
)

// mulAdd adds products to tiles of a matrix, rows by two vectors or a masked one, kept in
// registers.
func mulAdd(v *ISA) {
	for _, rows := range []int{height, 1} {
		for _, tail := range []bool{false, true} {
			mulAddTile(v, rows, tail)
		}
	}
}

// height rows of a tile fit into the registers.
const height = 4

func mulAddTile(v *ISA, rows int, tail bool) {
	name, count, vectors := "tile", "", 2
	if rows == 1 {
		name = "row"
	}
	if tail {
		name, count, vectors = name+"Tail", ", count", 1
	}
	kind, shift, add, fma := "float64", U8(3), VADDPD, VFMADD231PD
	if v.Lanes == 8 {
		kind, shift, add, fma = "float32", U8(2), VADDPS, VFMADD231PS
	}
	Begin(v, name, "c, a, b *"+kind+", ldc, rowA, colA, ldb, k"+count+" int",
		"adds the product of rows of a with columns of b to a tile of c.")
	if tail {
		v.Mask(Pointer("count"))
	}
	c, a, b, ldc := Pointer("c"), Pointer("a"), Pointer("b"), Pointer("ldc")
	rowA, colA, ldb, k := Pointer("rowA"), Pointer("colA"), Pointer("ldb"), Pointer("k")
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
		right = append(right, v.Load(Mem{Base: b, Disp: j * v.Bytes()}, tail))
	}
	for i := range rows {
		left := v.Broadcast(row[i])
		for j := range right {
			fma(right[j], left, sums[i][j])
		}
	}
	ADDQ(colA, a)
	ADDQ(ldb, b)
	DECQ(k)
	JNZ(LabelRef("loop"))
	for i := range rows {
		for j, s := range sums[i] {
			m := Mem{Base: c, Disp: j * v.Bytes()}
			old := v.Load(m, tail)
			add(old, s, s)
			v.Store(s, m, tail)
		}
		ADDQ(ldc, c)
	}
	End(v)
}
