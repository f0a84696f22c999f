package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// panelWidth is the number of columns of a panel.
const panelWidth = 16

// solvePanel takes eight rows at a time: it turns their entries into columns, solves for
// these, which stay in registers, and turns them back.
func solvePanel(v *isa) {
	begin(v, "solvePanel", "x *float64, stride, count int, l, inverse, panel, signed *float64, sign float64", "is SolvePanel for any number of rows.")
	p := &panels{v: v, x: pointer("x"), stride: pointer("stride"), thrice: GP64(), count: pointer("count"), inverse: pointer("inverse"), panel: pointer("panel"), signed: pointer("signed")}
	SHLQ(U8(3), p.stride)
	LEAQ(Mem{Base: p.stride, Index: p.stride, Scale: 2}, p.thrice)
	p.rows[0] = pointer("l")
	for i := 1; i < len(p.rows); i++ {
		p.rows[i] = GP64()
		LEAQ(Mem{Base: p.rows[i-1], Index: p.stride, Scale: 4}, p.rows[i])
	}
	for c := range p.columns {
		p.columns[c] = ZMM()
	}
	p.sign, p.opposite = float(v, "sign"), v.zero()
	VSUBPD(p.sign, p.opposite, p.opposite)
	Label("group")
	CMPQ(p.count, U8(block))
	JL(LabelRef("tail"))
	p.group(false)
	ADDQ(U8(8*block), p.panel)
	ADDQ(U8(8*block), p.signed)
	LEAQ(Mem{Base: p.x, Index: p.stride, Scale: 8}, p.x)
	SUBQ(U8(block), p.count)
	JMP(LabelRef("group"))
	Label("tail")
	TESTQ(p.count, p.count)
	JZ(LabelRef("end"))
	rest := GP64()
	MOVQ(p.count, rest)
	v.mask(rest)
	p.group(true)
	Label("end")
	end(v)
}

// panels is what groups of rows share.
type panels struct {
	v                 *isa
	x, stride, thrice reg.GPVirtual // the group's first row; bytes from row to row, and of three rows
	count             reg.GPVirtual // rows left
	rows              [panelWidth / 4]reg.GPVirtual
	inverse           reg.GPVirtual
	panel, signed     reg.GPVirtual
	columns           [panelWidth]reg.VecVirtual
	sign, opposite    reg.VecVirtual
}

// row returns where entry disp of row r of four is.
func (p *panels) row(base reg.GPVirtual, r, disp int) Mem {
	m := Mem{Base: base, Disp: disp}
	switch r {
	case 1, 2:
		m.Index, m.Scale = p.stride, uint8(r)
	case 3:
		m.Index, m.Scale = p.thrice, 1
	}
	return m
}

// each moves the rows in memory, of the tail as many as there are.
func (p *panels) each(label string, tail bool, move func(m Mem, r reg.VecVirtual)) {
	fifth := GP64()
	LEAQ(Mem{Base: p.x, Index: p.stride, Scale: 4}, fifth)
	for r := range block {
		if tail && r > 0 {
			CMPQ(p.count, U8(r))
			JLE(LabelRef(label))
		}
		base := p.x
		if r >= 4 {
			base = fifth
		}
		move(p.row(base, r%4, 0), p.columns[r])
		move(p.row(base, r%4, 8*block), p.columns[block+r])
	}
	if tail {
		Label(label)
	}
}

// group solves for a group of rows.
func (p *panels) group(tail bool) {
	if tail {
		for _, c := range p.columns {
			VPXORQ(c, c, c)
		}
	}
	p.each("loaded", tail, func(m Mem, r reg.VecVirtual) { VMOVUPD(m, r) })
	p.transpose()
	for _, c := range p.columns {
		VMULPD(p.sign, c, c)
	}
	for q, c := range p.columns {
		VMULPD_BCST(Mem{Base: p.inverse, Disp: 8 * q}, c, c)
		for r := q + 1; r < panelWidth; r++ {
			VFNMADD231PD_BCST(p.row(p.rows[r/4], r%4, 8*q), c, p.columns[r])
		}
	}
	to, also := GP64(), GP64()
	MOVQ(p.panel, to)
	MOVQ(p.signed, also)
	for _, c := range p.columns {
		p.v.store(c, Mem{Base: to}, tail)
		ADDQ(p.stride, to)
		t := ZMM()
		VMULPD(p.opposite, c, t)
		p.v.store(t, Mem{Base: also}, tail)
		ADDQ(p.stride, also)
	}
	p.transpose()
	p.each("stored", tail, func(m Mem, r reg.VecVirtual) { VMOVUPD(r, m) })
}

func (p *panels) transpose() {
	transpose((*[block]reg.VecVirtual)(p.columns[:block]))
	transpose((*[block]reg.VecVirtual)(p.columns[block:]))
}

// transpose exchanges rows and columns of an 8 x 8 square in registers.
func transpose(s *[block]reg.VecVirtual) {
	for i := 0; i < block; i += 2 { // pairs
		t := ZMM()
		VUNPCKLPD(s[i+1], s[i], t)
		VUNPCKHPD(s[i+1], s[i], s[i+1])
		s[i] = t
	}
	exchange := func(a, b int, low, high uint8) {
		t := ZMM()
		VSHUFF64X2(U8(low), s[b], s[a], t)
		VSHUFF64X2(U8(high), s[b], s[a], s[b])
		s[a] = t
	}
	for _, p := range [][2]int{{0, 2}, {1, 3}, {4, 6}, {5, 7}} { // pairs of pairs
		exchange(p[0], p[1], 0x88, 0xdd)
	}
	for i := range block / 2 { // halves
		exchange(i, i+4, 0x88, 0xdd)
	}
}
