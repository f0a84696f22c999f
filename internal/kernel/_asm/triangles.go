package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// block is the number of unknowns that triangles are solved for at a time: the lanes of a
// vector.
const block = 8

// triangle writes a kernel for one of the four triangular systems, whose order is a
// multiple of block. Each step solves for the unknowns of a block on the diagonal, with the
// block's columns in registers. Rows of L or U take in what is known before the step; with
// transposed, they are taken off the unknowns behind it.
func triangle(v *isa, lower, transposed bool) {
	name := map[bool]string{true: "solveLower", false: "solveUpper"}[lower]
	if transposed {
		name += "Trans"
	}
	begin(v, name, "x, t *float64, stride, n int", "solves a triangular system of a multiple of eight unknowns.")
	t := &triangles{v: v, lower: lower, upwards: lower == transposed, x: pointer("x"), stride: pointer("stride"), i: GP64(), n: pointer("n")}
	t.row = pointer("t")
	SHLQ(U8(3), t.stride)
	t.thrice, t.diagonal = GP64(), GP64()
	LEAQ(Mem{Base: t.stride, Index: t.stride, Scale: 2}, t.thrice)
	LEAQ(Mem{Base: t.stride, Disp: 8}, t.diagonal)
	t.lanes(transposed)
	XORQ(t.i, t.i)
	if t.upwards {
		LEAQ(Mem{Base: t.n, Disp: -block}, t.i)
		last := GP64()
		MOVQ(t.i, last)
		IMULQ(t.stride, last)
		ADDQ(last, t.row)
	}
	Label("step")
	if transposed {
		t.takeOff(t.solve(v.load(at(t.x, t.i, 0), false), true))
	} else {
		known := t.takeIn()
		r := v.load(at(t.x, t.i, 0), false)
		VSUBPD(known, r, r)
		t.solve(r, false)
	}
	if t.upwards {
		back := GP64()
		LEAQ(Mem{Base: t.stride, Index: t.stride, Scale: 1}, back)
		SHLQ(U8(2), back)
		SUBQ(back, t.row)
		SUBQ(U8(block), t.i)
		JGE(LabelRef("step"))
	} else {
		LEAQ(Mem{Base: t.row, Index: t.stride, Scale: 8}, t.row)
		ADDQ(U8(block), t.i)
		CMPQ(t.i, t.n)
		JL(LabelRef("step"))
	}
	end(v)
}

// triangles is what the steps of a triangular system share.
type triangles struct {
	v                        *isa
	lower, upwards           bool
	x, row, stride, thrice   reg.GPVirtual // the unknowns; the block's first row; bytes from row to row, and of three rows
	diagonal                 reg.GPVirtual // bytes from one entry of the diagonal to the next
	i, n                     reg.GPVirtual // the block's first unknown; the order
	each                     [block]reg.VecVirtual
	one                      reg.VecVirtual
	downColumn, downDiagonal reg.VecVirtual // bytes to the entries of a column, and of the diagonal
}

// lanes prepares the vectors of the lanes' numbers.
func (t *triangles) lanes(transposed bool) {
	v := t.v
	numbers := v.vec()
	VPMOVZXDQ(laneOffsets(), numbers)
	offsets := func(by reg.GPVirtual) reg.VecVirtual {
		r := v.vec()
		VPBROADCASTQ(by, r)
		VPMULUDQ(r, numbers, r)
		return r
	}
	t.downDiagonal = offsets(t.diagonal)
	if !transposed {
		t.downColumn = offsets(t.stride)
	}
	for c := range t.each {
		t.each[c] = v.vec()
		lane := GP64()
		MOVQ(U32(uint32(c)), lane)
		VPBROADCASTQ(lane, t.each[c])
	}
	t.one = v.broadcast(constant(1))
}

// known returns a mask of the lanes of the triangle beside lane c of the diagonal, in its
// column or transposed in its row.
func (t *triangles) beside(c int, transposed bool) reg.OpmaskVirtual {
	lanes := uint32(1)<<c - 1 // before
	if t.lower != transposed {
		lanes = 0xff &^ (lanes<<1 | 1) // after
	}
	g, k := GP32(), K()
	MOVL(U32(lanes), g)
	KMOVW(g, k)
	return k
}

// solve returns the solution of the block on the diagonal with the right-hand side r, and
// stores it. Columns are scaled by the diagonal beforehand, so that no step waits for a division.
func (t *triangles) solve(r reg.VecVirtual, transposed bool) reg.VecVirtual {
	v := t.v
	corner := GP64()
	LEAQ(Mem{Base: t.row, Index: t.i, Scale: 8}, corner)
	inverse, all := v.zero(), K()
	KXNORW(all, all, all)
	VGATHERQPD(Mem{Base: corner, Index: t.downDiagonal, Scale: 1}, all, inverse)
	VDIVPD(inverse, t.one, inverse)
	for step := range block {
		c := step
		if t.upwards {
			c = block - 1 - step
		}
		if step == block-1 {
			break // nothing is beside it
		}
		beside, column, by := t.beside(c, transposed), v.zero(), v.vec()
		if transposed {
			place := Mem{Base: corner, Index: t.stride, Scale: 1}
			switch c {
			case 0:
				place = Mem{Base: corner}
			case 2, 4:
				place.Scale = uint8(c)
			case 3:
				place.Index = t.thrice
			case 5, 6, 7:
				middle := GP64()
				LEAQ(Mem{Base: corner, Index: t.stride, Scale: 4}, middle)
				place.Base = middle
				switch c {
				case 6:
					place.Scale = 2
				case 7:
					place.Index = t.thrice
				}
			}
			VMOVUPD_Z(place, beside, column)
		} else {
			VGATHERQPD(Mem{Base: corner, Disp: 8 * c, Index: t.downColumn, Scale: 1}, beside, column)
		}
		VPERMPD(inverse, t.each[c], by)
		VMULPD(by, column, column)
		value := v.vec()
		VPERMPD(r, t.each[c], value)
		VFNMADD231PD(value, column, r)
	}
	VMULPD(inverse, r, r)
	v.store(r, at(t.x, t.i, 0), false)
	return r
}

// rest begins a loop over the unknowns outside of the block, of the known ones or of those
// that are not known yet: it returns the pointers to them in rows 0 and 4 and in x, and their
// number, in vectors.
func (t *triangles) rest() (first, fifth, x, count reg.GPVirtual) {
	first, fifth, x, count = GP64(), GP64(), GP64(), GP64()
	if t.lower {
		MOVQ(t.row, first)
		MOVQ(t.x, x)
		MOVQ(t.i, count)
	} else {
		LEAQ(Mem{Base: t.row, Index: t.i, Scale: 8, Disp: 8 * block}, first)
		LEAQ(Mem{Base: t.x, Index: t.i, Scale: 8, Disp: 8 * block}, x)
		LEAQ(Mem{Base: t.n, Disp: -block}, count)
		SUBQ(t.i, count)
	}
	LEAQ(Mem{Base: first, Index: t.stride, Scale: 4}, fifth)
	return first, fifth, x, count
}

// entries returns where the eight rows' entries are.
func (t *triangles) entries(first, fifth reg.GPVirtual) (m [block]Mem) {
	for r := range m {
		m[r] = Mem{Base: first}
		if r >= 4 {
			m[r].Base = fifth
		}
		switch r % 4 {
		case 1, 2:
			m[r].Index, m[r].Scale = t.stride, uint8(r%4)
		case 3:
			m[r].Index, m[r].Scale = t.thrice, 1
		}
	}
	return m
}

// loop runs body over the rest.
func (t *triangles) loop(label string, first, fifth, x, count reg.GPVirtual, body func()) {
	TESTQ(count, count)
	JZ(LabelRef(label + "_end"))
	Label(label)
	body()
	for _, p := range []reg.GPVirtual{first, fifth, x} {
		ADDQ(U8(8*block), p)
	}
	SUBQ(U8(block), count)
	JNZ(LabelRef(label))
	Label(label + "_end")
}

// takeIn returns the products of the block's rows with the unknowns that are known.
func (t *triangles) takeIn() reg.VecVirtual {
	v := t.v
	var sums [block]reg.VecVirtual
	for r := range sums {
		sums[r] = v.zero()
	}
	first, fifth, x, count := t.rest()
	t.loop("in", first, fifth, x, count, func() {
		known := v.load(Mem{Base: x}, false)
		for r, m := range t.entries(first, fifth) {
			VFMADD231PD(m, known, sums[r])
		}
	})
	return v.sums(sums)
}

// takeOff takes the block's rows, each times its unknown, off those that are not known yet.
func (t *triangles) takeOff(y reg.VecVirtual) {
	v := t.v
	var by [block]reg.VecVirtual
	for r := range by {
		by[r] = v.vec()
		VPERMPD(y, t.each[r], by[r])
	}
	first, fifth, x, count := t.rest()
	t.loop("off", first, fifth, x, count, func() {
		one, other := v.load(Mem{Base: x}, false), v.zero()
		for r, m := range t.entries(first, fifth) {
			if r%2 == 0 {
				VFNMADD231PD(m, by[r], one)
			} else {
				VFNMADD231PD(m, by[r], other)
			}
		}
		VADDPD(other, one, one)
		v.store(one, Mem{Base: x}, false)
	})
}

// sums returns the sums of the lanes of eight vectors, one a lane, and overwrites these.
func (v *isa) sums(s [block]reg.VecVirtual) reg.VecVirtual {
	for i := 0; i < block; i += 2 { // of pairs of lanes
		low := v.vec()
		VUNPCKLPD(s[i+1], s[i], low)
		VUNPCKHPD(s[i+1], s[i], s[i])
		VADDPD(low, s[i], s[i])
	}
	half := func(a, b reg.VecVirtual) { // of pairs of pairs, into a
		even := v.vec()
		VSHUFF64X2(U8(0x88), b, a, even)
		VSHUFF64X2(U8(0xdd), b, a, a)
		VADDPD(even, a, a)
	}
	half(s[0], s[2])
	half(s[4], s[6])
	half(s[0], s[4])
	return s[0]
}
