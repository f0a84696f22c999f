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

// descend is a pass of coordinate descent with the coefficients in registers. What would
// bound its time is the way from an update by the coefficients to the next score: the score
// is therefore summed with the coefficients before the update, beside the product of the
// two rows, which corrects it by the update. Updates that change nothing are jumped over,
// so that the processor runs ahead to the next sample.
func descend(v *isa, vectors int) {
	TEXT(fmt.Sprintf("descend%d%s", vectors, v.suffix), NOSPLIT,
		"func(x *float64, stride int, w *float64, tail int, step, kink, lo, hi, slope, soft, stiff *float64, softs int, active *int32, count int, beyond float64, state *[4]float64, next *int32, nexts, part int) int")
	Pragma("noescape")
	Doc(fmt.Sprintf("descend%d%s is Descend for %d vectors of coefficients.", vectors, v.suffix, vectors))
	v.mask(pointer("tail"))
	x, stride, active := pointer("x"), pointer("stride"), pointer("active")
	step, kink, lo, hi, slope := pointer("step"), pointer("kink"), pointer("lo"), pointer("hi"), pointer("slope")
	SHLQ(U8(3), stride)
	w := coefficients(v, pointer("w"), vectors)
	intercept, estimate, spread := XMM(), XMM(), XMM()
	VMOVSD(Mem{Base: pointer("state")}, intercept)
	VMOVHPD(Mem{Base: pointer("state"), Disp: 8}, intercept, intercept) // bend, which products have more
	VXORPD(estimate, estimate, estimate)
	VXORPD(spread, spread, spread)
	i, kept := GP64(), GP64()
	XORQ(i, i)
	XORQ(kept, kept)
	// the score of the sample to come without the last update e, whose part of it is -e times
	// the product with the row before
	score, product, e := XMM(), XMM(), XMM()
	next := GP64()
	MOVLQSX(Mem{Base: active}, next)
	IMULQ(stride, next)
	ADDQ(x, next)
	dots(v, rowEntries(v, next, vectors), nil, w, score)
	VADDSD(intercept, score, score)
	VXORPD(product, product, product)
	VXORPD(e, e, e)

	Label("loop")
	fetch(x, stride, active, i, vectors)

	Label("here")
	index, row := GP64(), GP64()
	MOVLQSX(Mem{Base: active, Index: i, Scale: 4}, index)
	MOVQ(next, row)
	a, l, u, soft, stiff, r := XMM(), XMM(), XMM(), XMM(), XMM(), XMM()
	VMOVSD(cell(slope, index), a)
	VMOVSD(cell(lo, index), l)
	VMOVSD(cell(hi, index), u)
	where := pointer("softs")
	ANDQ(index, where)
	softness(where, "soft", soft)
	softness(where, "stiff", stiff)
	VSUBSD(cell(kink, index), score, r)
	VFNMADD231SD(a, soft, r)
	VFNMADD231SD(e, product, r) // the distance of the slope from where it would not change, times its curvature
	// the update
	f, n := XMM(), XMM()
	VMOVSD(cell(step, index), f)
	VMOVAPD(a, n)
	VFMADD231SD(f, r, n)
	VMAXSD(l, n, n)
	VMINSD(u, n, n)
	VSUBSD(a, n, e)
	gap(estimate, a, l, u, soft, stiff, r)

	nextRow(next, x, stride, active, i)
	entries := rowEntries(v, row, vectors)
	dots(v, rowEntries(v, next, vectors), entries, w, score)
	VADDPD(intercept, score, score)
	VUNPCKHPD(score, score, product)
	INCQ(i)
	zero := XMM()
	VXORPD(zero, zero, zero)
	VUCOMISD(zero, e)
	JE(LabelRef("still"))
	VMOVSD(n, cell(slope, index))
	keep(index, active, kept)
	d := v.vec()
	VBROADCASTSD(e, d)
	for k := range vectors {
		VFNMADD231PD(entries(k), d, w[k])
	}
	bend := XMM()
	VUNPCKHPD(intercept, intercept, bend)
	VFNMADD231SD(bend, e, intercept)
	size := XMM()
	VSUBSD(e, zero, size)
	VMAXSD(size, e, size)
	VDIVSD(f, size, size)
	VMAXSD(size, spread, spread)
	CMPQ(i, argument("count"))
	JL(LabelRef("loop"))
	JMP(LabelRef("end"))

	Label("still")  // keep it unless it is pressed against its bound
	VXORPD(e, e, e) // which does not wait for the update
	VSUBSD(r, zero, size)
	VMAXSD(size, r, size)
	VUCOMISD(argument("beyond"), size)
	JA(LabelRef("dropped"))
	keep(index, active, kept)
	Label("dropped")
	CMPQ(i, argument("count"))
	JL(LabelRef("loop"))

	Label("end")
	storeState(intercept, estimate, spread)
	storeCoefficients(v, w)
	Store(kept, ReturnIndex(0))
	end(v)
}

// argument is that of a name, where the caller left it.
func argument(name string) Mem {
	m, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return m.Addr
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
func fetch(x, stride, active, i reg.GPVirtual, vectors int) {
	ahead, at := GP64(), pointer("count")
	DECQ(at)
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

// dots sets score to the product of the row x with the coefficients and, where there is
// another row y, its second lane to that of the two.
func dots(v *isa, x, y func(k int) Op, w []reg.VecPhysical, score reg.VecVirtual) {
	var scores, products []reg.VecVirtual
	add := func(sums *[]reg.VecVirtual, most, k int, p Op, q reg.Register) {
		if k < most {
			s := v.vec()
			VMULPD(p, q, s)
			*sums = append(*sums, s)
			return
		}
		VFMADD231PD(p, q, (*sums)[k%most])
	}
	for k := range w {
		if y == nil {
			add(&scores, 4, k, x(k), w[k])
			continue
		}
		part := v.vec()
		VMOVUPD(x(k), part)
		add(&scores, 4, k, w[k], part)
		add(&products, 2, k, y(k), part)
	}
	s := v.total(scores)
	if y == nil {
		VMOVAPD(v.sum(s).AsX(), score)
		return
	}
	p, h := v.total(products), YMM()
	for _, r := range []reg.VecVirtual{s, p} {
		VEXTRACTF64X4(U8(1), r, h)
		VADDPD(h, r.AsY(), r.AsY())
	}
	VUNPCKLPD(p.AsY(), s.AsY(), h)
	VUNPCKHPD(p.AsY(), s.AsY(), s.AsY())
	VADDPD(h, s.AsY(), s.AsY())
	VEXTRACTF128(U8(1), s.AsY(), h.AsX())
	VADDPD(h.AsX(), s.AsX(), score)
}

// total adds all sums up.
func (v *isa) total(sums []reg.VecVirtual) reg.VecVirtual {
	for len(sums) > 1 {
		half := len(sums) / 2
		for k := range half {
			VADDPD(sums[len(sums)-1-k], sums[k], sums[k])
		}
		sums = sums[:len(sums)-half]
	}
	return sums[0]
}

// nextRow sets row to the address of that of the active sample after i, or of the last one.
func nextRow(row, x, stride, active, i reg.GPVirtual) {
	last := pointer("count")
	DECQ(last)
	LEAQ(Mem{Base: i, Disp: 1}, row)
	CMPQ(row, last)
	CMOVQGT(last, row)
	MOVLQSX(Mem{Base: active, Index: row, Scale: 4}, row)
	IMULQ(stride, row)
	ADDQ(x, row)
}

// softness loads an entry of soft or stiff: a sample's, or the only one there is.
func softness(index reg.GPVirtual, name string, r reg.VecVirtual) {
	VMOVSD(cell(pointer(name), index), r)
}

// gap adds Young's gap of a term to the estimate, (b - a)(r - soft (b - a)/2), where b is the
// slope of the score: r stiff + a within lo and hi, and one of them where soft is zero. The
// score is r beyond where the slope would be a.
func gap(estimate, a, l, u, soft, stiff, r reg.VecVirtual) {
	b, t := XMM(), XMM()
	VMOVAPD(r, t)
	VFMADD231SD(a, soft, t)
	VMULSD(stiff, t, b)
	VMAXSD(l, b, b)
	VMINSD(u, b, b)
	VSUBSD(a, b, b)
	VMULSD(constant(0.5), b, t)
	VFNMADD213SD(r, soft, t)
	VFMADD231SD(b, t, estimate)
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
