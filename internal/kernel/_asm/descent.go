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
		"func(x *float64, stride int, w *float64, tail int, inv, kink, lo, hi, slope, soft *float64, softs int, active *int32, count int, beyond float64, state *[4]float64, next *int32, nexts, part int) int")
	Pragma("noescape")
	Doc(fmt.Sprintf("descend%d%s is Descend for %d vectors of coefficients.", vectors, v.suffix, vectors))
	v.mask(pointer("tail"))
	x, stride, active := pointer("x"), pointer("stride"), pointer("active")
	inv, kink, lo, hi, slope := pointer("inv"), pointer("kink"), pointer("lo"), pointer("hi"), pointer("slope")
	SHLQ(U8(3), stride)
	w := coefficients(v, pointer("w"), vectors)
	intercept, estimate, spread := XMM(), XMM(), XMM()
	VMOVSD(Mem{Base: pointer("state")}, intercept)
	VXORPD(estimate, estimate, estimate)
	VXORPD(spread, spread, spread)
	i, kept := GP64(), GP64()
	XORQ(i, i)
	XORQ(kept, kept)
	// the score of the sample to come without the last update e, whose part of it is -e times
	// the product with the row before
	score, product, e := XMM(), XMM(), XMM()
	_, first := sampleRow(x, stride, active, i)
	dots(v, rowEntries(v, first, vectors), nil, w, score, nil)
	VADDSD(intercept, score, score)
	VXORPD(product, product, product)
	VXORPD(e, e, e)

	Label("loop")
	fetch(x, stride, active, i, vectors)

	Label("here")
	index, row := sampleRow(x, stride, active, i)
	a, l, u, soft, r := XMM(), XMM(), XMM(), XMM(), XMM()
	VMOVSD(cell(slope, index), a)
	VMOVSD(cell(lo, index), l)
	VMOVSD(cell(hi, index), u)
	VMOVSD(Mem{Base: softCell(index)}, soft)
	VSUBSD(cell(kink, index), score, r)
	VFNMADD231SD(a, soft, r)
	VFNMADD231SD(e, product, r) // the distance of the slope from where it would not change, times its curvature
	// the update
	f, q := XMM(), XMM()
	VMOVSD(cell(inv, index), f)
	VMULSD(f, soft, q)
	VADDSD(constant(1), q, q)
	VDIVSD(q, f, q)
	n := XMM()
	VMOVAPD(a, n)
	VFMADD231SD(q, r, n)
	VMAXSD(l, n, n)
	VMINSD(u, n, n)
	VSUBSD(a, n, e)
	gap(estimate, a, l, u, soft, r)

	dots(v, rowEntries(v, nextRow(x, stride, active, i), vectors), rowEntries(v, row, vectors), w, score, product)
	VADDSD(intercept, score, score)
	VADDSD(bend(), product, product)
	INCQ(i)
	zero := XMM()
	VXORPD(zero, zero, zero)
	VUCOMISD(zero, e)
	JE(LabelRef("still"))
	VMOVSD(n, cell(slope, index))
	keep(index, active, kept)
	d := v.vec()
	VBROADCASTSD(e, d)
	entries := rowEntries(v, row, vectors)
	for k := range vectors {
		VFNMADD231PD(entries(k), d, w[k])
	}
	VFNMADD231SD(bend(), e, intercept)
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

// bend is that of Pass's state.
func bend() Mem { return Mem{Base: pointer("state"), Disp: 8} }

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
// another row y, product to that of the two.
func dots(v *isa, x, y func(k int) Op, w []reg.VecPhysical, score, product reg.VecVirtual) {
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
	v.total(scores, score)
	if y != nil {
		v.total(products, product)
	}
}

// total sets x to the sum of the lanes of all sums.
func (v *isa) total(sums []reg.VecVirtual, x reg.VecVirtual) {
	for len(sums) > 1 {
		half := len(sums) / 2
		for k := range half {
			VADDPD(sums[len(sums)-1-k], sums[k], sums[k])
		}
		sums = sums[:len(sums)-half]
	}
	VMOVAPD(v.sum(sums[0]).AsX(), x)
}

// nextRow returns the address of the row of the active sample after i, or that of the last one.
func nextRow(x, stride, active, i reg.GPVirtual) reg.GPVirtual {
	row, last := GP64(), pointer("count")
	DECQ(last)
	LEAQ(Mem{Base: i, Disp: 1}, row)
	CMPQ(row, last)
	CMOVQGT(last, row)
	MOVLQSX(Mem{Base: active, Index: row, Scale: 4}, row)
	IMULQ(stride, row)
	ADDQ(x, row)
	return row
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
	where := pointer("softs")
	ANDQ(index, where)
	SHLQ(U8(3), where)
	ADDQ(argument("soft"), where)
	return where
}

// gap adds Young's gap of a term to the estimate, (b - a)(r - soft (b - a)/2), where b is the
// slope of the score: r/soft + a within lo and hi, and one of them where soft is zero. The
// score is r beyond where the slope would be a.
func gap(estimate, a, l, u, soft, r reg.VecVirtual) {
	b, t := XMM(), XMM()
	VMOVAPD(r, t)
	VFMADD231SD(a, soft, t)
	VDIVSD(soft, t, b)
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
