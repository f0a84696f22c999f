package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// maxVectors is how many vectors of coefficients stay in registers.
const maxVectors = 16

// parts is kernel.Parts.
const parts = 4

// descend is a pass of coordinate descent with the coefficients in registers.
// Updates that change nothing are jumped over, so that the processor runs ahead
// to the next sample.
func descend(v *isa, vectors int) {
	TEXT(fmt.Sprintf("descend%d%s", vectors, v.suffix), NOSPLIT,
		"func(x *float64, stride int, w *float64, tail int, inv, kink, lo, hi, slope, soft *float64, softs int, active *int32, count int, beyond float64, state *[4]float64, next *int32, nexts, part int) int")
	Pragma("noescape")
	Doc(fmt.Sprintf("descend%d%s is Descend for %d vectors of coefficients.", vectors, v.suffix, vectors))
	v.mask(pointer("tail"))
	x, stride, active, count := pointer("x"), pointer("stride"), pointer("active"), pointer("count")
	inv, kink, lo, hi, slope := pointer("inv"), pointer("kink"), pointer("lo"), pointer("hi"), pointer("slope")
	SHLQ(U8(3), stride)
	state := GP64()
	Load(Param("state"), state)
	base := GP64()
	Load(Param("w"), base)
	w := coefficients(v, base, vectors)
	intercept, bend, estimate, spread := XMM(), XMM(), XMM(), XMM()
	VMOVSD(Mem{Base: state}, intercept)
	VMOVSD(Mem{Base: state, Disp: 8}, bend)
	VXORPD(estimate, estimate, estimate)
	VXORPD(spread, spread, spread)
	beyond := XMM()
	Load(Param("beyond"), beyond)
	// state's and base's registers are free from here on
	i, kept := GP64(), GP64()
	XORQ(i, i)
	XORQ(kept, kept)

	Label("loop")
	CMPQ(i, count)
	JGE(LabelRef("end"))
	fetch(x, stride, active, count, i, vectors)

	Label("here")
	index, row := sampleRow(x, stride, active, i)
	INCQ(i)

	entries := rowEntries(v, row, vectors)
	r := dotRegisters(v, entries, w)
	VADDSD(intercept, r, r)
	VSUBSD(cell(kink, index), r, r)

	a, l, u := XMM(), XMM(), XMM()
	VMOVSD(cell(slope, index), a)
	VMOVSD(cell(lo, index), l)
	VMOVSD(cell(hi, index), u)
	p, q := XMM(), XMM()
	soft := XMM()
	VMOVSD(Mem{Base: softCell(index)}, soft)
	gap(p, q, a, l, u, soft, r)
	VADDSD(p, estimate, estimate)
	// the update
	f, n := XMM(), XMM()
	VFNMADD231SD(a, soft, r)
	VMOVSD(cell(inv, index), f)
	VMULSD(f, soft, q)
	VADDSD(constant(1), q, q)
	VDIVSD(q, f, q)
	VMOVAPD(a, n)
	VFMADD231SD(q, r, n)
	VMAXSD(l, n, n)
	VMINSD(u, n, n)
	VSUBSD(a, n, q)
	zero := XMM()
	VXORPD(zero, zero, zero)
	VUCOMISD(zero, q)
	JE(LabelRef("still"))
	VMOVSD(n, cell(slope, index))
	keep(index, active, kept)
	d := v.vec()
	VBROADCASTSD(q, d)
	for k := range vectors {
		VFNMADD231PD(entries(k), d, w[k])
	}
	VFNMADD231SD(q, bend, intercept)
	VSUBSD(q, zero, p)
	VMAXSD(p, q, q)
	VDIVSD(f, q, q)
	VMAXSD(q, spread, spread)
	JMP(LabelRef("loop"))

	Label("still") // keep it unless it is pressed against its bound
	VSUBSD(r, zero, p)
	VMAXSD(p, r, p)
	VUCOMISD(beyond, p)
	JA(LabelRef("loop"))
	keep(index, active, kept)
	JMP(LabelRef("loop"))

	Label("end")
	storeState(intercept, estimate, spread)
	storeCoefficients(v, w)
	Store(kept, ReturnIndex(0))
	end(v)
}

// cell is entry index of an array.
func cell(base, index reg.Register) Mem { return Mem{Base: base, Index: index, Scale: 8} }

// coefficients loads vectors of them into registers that no other value takes.
func coefficients(v *isa, base reg.Register, vectors int) []reg.VecPhysical {
	upper := []reg.VecPhysical{reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31}
	w := upper[:vectors]
	last := vectors - 1
	for i := range last {
		VMOVUPD(Mem{Base: base, Disp: i * v.bytes()}, w[i])
	}
	VMOVUPD_Z(Mem{Base: base, Disp: last * v.bytes()}, v.tail, w[last])
	return w
}

// storeCoefficients writes them back.
func storeCoefficients(v *isa, w []reg.VecPhysical) {
	back := GP64()
	Load(Param("w"), back)
	last := len(w) - 1
	for k := range last {
		VMOVUPD(w[k], Mem{Base: back, Disp: k * v.bytes()})
	}
	VMOVUPD(w[last], v.tail, Mem{Base: back, Disp: last * v.bytes()})
}

// fetch has the row of an active sample to come brought into the first cache, and a
// part of one of the next block into the second.
func fetch(x, stride, active, count, i reg.GPVirtual, vectors int) {
	ahead, at := GP64(), GP64()
	LEAQ(Mem{Base: count, Disp: -1}, at)
	LEAQ(Mem{Base: i, Disp: 6}, ahead)
	CMPQ(ahead, at)
	CMOVQGT(at, ahead)
	MOVLQSX(Mem{Base: active, Index: ahead, Scale: 4}, ahead)
	IMULQ(stride, ahead)
	ADDQ(x, ahead)
	for k := range vectors {
		PREFETCHT0(Mem{Base: ahead, Disp: 64 * k})
	}
	Load(Param("nexts"), ahead) // a part of a row to come
	CMPQ(i, ahead)
	JGE(LabelRef("here"))
	Load(Param("next"), ahead)
	MOVLQSX(Mem{Base: ahead, Index: i, Scale: 4}, ahead)
	IMULQ(stride, ahead)
	ADDQ(x, ahead)
	Load(Param("part"), at)
	ADDQ(at, ahead)
	for k := range (vectors + parts - 1) / parts {
		PREFETCHT1(Mem{Base: ahead, Disp: 64 * k})
	}
}

// rowEntries returns the operands of a row's vectors: the last one, which may be
// shorter, in a register.
func rowEntries(v *isa, row reg.Register, vectors int) func(k int) Op {
	last := vectors - 1
	end := v.load(Mem{Base: row, Disp: last * v.bytes()}, true)
	return func(k int) Op {
		if k == last {
			return end
		}
		return Mem{Base: row, Disp: k * v.bytes()}
	}
}

// dotRegisters is the product of a row's vectors with those in registers.
func dotRegisters(v *isa, entries func(k int) Op, w []reg.VecPhysical) reg.Register {
	var sums []reg.VecVirtual
	for k := range w {
		if k < 4 {
			s := v.vec()
			VMULPD(entries(k), w[k], s)
			sums = append(sums, s)
		} else {
			VFMADD231PD(entries(k), w[k], sums[k%4])
		}
	}
	for len(sums) > 1 {
		half := len(sums) / 2
		for k := range half {
			VADDPD(sums[len(sums)-1-k], sums[k], sums[k])
		}
		sums = sums[:len(sums)-half]
	}
	return v.sum(sums[0]).AsX()
}

// sampleRow returns the number of active sample i and the address of its row.
func sampleRow(x, stride, active, i reg.GPVirtual) (index, row reg.GPVirtual) {
	index, row = GP64(), GP64()
	MOVLQSX(Mem{Base: active, Index: i, Scale: 4}, index)
	MOVQ(index, row)
	IMULQ(stride, row)
	ADDQ(x, row)
	return index, row
}

// softCell returns the address of a sample's entry of soft, or of the only one there is.
func softCell(index reg.GPVirtual) reg.GPVirtual {
	where := GP64()
	Load(Param("softs"), where)
	ANDQ(index, where)
	SHLQ(U8(3), where)
	base, err := Param("soft").Resolve()
	if err != nil {
		panic(err)
	}
	ADDQ(base.Addr, where)
	return where
}

// gap sets p to Young's gap of a term, (b - a)(r - soft (a + b)/2) where b is the slope of
// the score: r/soft within lo and hi, and one of them where soft is zero. q is scratch.
func gap(p, q, a, l, u, soft reg.VecVirtual, r reg.Register) {
	VDIVSD(soft, r, q)
	VMAXSD(l, q, q)
	VMINSD(u, q, q)
	VADDSD(a, q, p)
	VMULSD(soft, p, p)
	VMULSD(constant(-0.5), p, p)
	VADDSD(r, p, p)
	VSUBSD(a, q, q)
	VMULSD(q, p, p)
}

// keep leaves a sample in the active ones.
func keep(index, active, kept reg.GPVirtual) {
	MOVL(index.As32(), Mem{Base: active, Index: kept, Scale: 4})
	INCQ(kept)
}

// storeState writes what a pass changes of Pass's state.
func storeState(intercept, estimate, spread reg.VecVirtual) {
	out := GP64()
	Load(Param("state"), out)
	VMOVSD(intercept, Mem{Base: out})
	VMOVSD(estimate, Mem{Base: out, Disp: 16})
	VMOVSD(spread, Mem{Base: out, Disp: 24})
}
