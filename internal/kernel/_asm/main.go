// Command _asm writes kernel_amd64.s, in AVX2 with FMA, for "go generate ./internal/kernel". Order
// and roundings of a kernel must match its Go loop: change both together.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!purego")
	v := &isa{lanes: 4, suffix: "AVX2"}
	dot(v)
	axpy(v)
	axpy4(v)
	mulVec(v)
	mulTransAdd(v)
	gram(v)
	kinked(v)
	kinkedAlong(v)
	curved(v)
	curvedAlong(v)
	logistic(v)
	logs(v)
	weigh(v)
	distances(v)
	gauss(v)
	for _, p := range precisions() {
		mulAdd(p)
		sigmoid(p)
		tanh(p)
	}
	Generate()
}

// isa is shared by the kernels. Loads of a tail read zeros beyond its end.
type isa struct {
	lanes  int
	suffix string
	tail   reg.Register // mask of the tail's lanes
}

func (v *isa) name(n string) string { return n + v.suffix }
func (v *isa) bytes() int           { return 8 * v.lanes }

func (v *isa) vec() reg.VecVirtual { return YMM() }

func (v *isa) zero() reg.VecVirtual {
	r := v.vec()
	VXORPD(r, r, r)
	return r
}

func (v *isa) broadcast(m Op) reg.VecVirtual {
	r := v.vec()
	VBROADCASTSD(m, r)
	return r
}

// mask requires 0 < count < lanes and destroys count.
func (v *isa) mask(count reg.GPVirtual) {
	t, m := GP64(), YMM()
	LEAQ(tailMasks(), t)
	NEGQ(count)
	VMOVUPD(Mem{Base: t, Index: count, Scale: 8, Disp: 32}, m)
	v.tail = m
}

var masks Mem

// tailMasks is four words of ones, then four of zeros: from 4 - count on, the first count lanes.
func tailMasks() Mem {
	if masks.Symbol.Name == "" {
		masks = GLOBL("tailMasks", 8|16)
		for i := range 8 {
			var w uint64
			if i < 4 {
				w = ^uint64(0)
			}
			DATA(8*i, U64(w))
		}
	}
	return masks
}

func (v *isa) load(m Mem, tail bool) reg.VecVirtual {
	r := v.vec()
	if tail {
		VMASKMOVPD(m, v.tail, r)
	} else {
		VMOVUPD(m, r)
	}
	return r
}

func (v *isa) store(r reg.VecVirtual, m Mem, tail bool) {
	if tail {
		VMASKMOVPD(r, v.tail, m)
	} else {
		VMOVUPD(r, m)
	}
}

func (v *isa) keepBetween(r, x, lo, hi reg.VecVirtual) {
	const greater, less = 0x1e, 0x11
	a := YMM()
	VCMPPD(U8(greater), lo, x, a)
	VANDPD(a, r, r)
	VCMPPD(U8(less), hi, x, a)
	VANDPD(a, r, r)
}

func (v *isa) sum(r reg.VecVirtual) reg.VecVirtual {
	y := r.AsY()
	x := XMM()
	VEXTRACTF128(U8(1), y, x)
	out := r.AsX()
	VADDPD(x, out, out)
	VHADDPD(out, out, out)
	return r
}

// each runs body by vectors, then for the tail; offset counts entries. It destroys count.
func (v *isa) each(label string, count reg.GPVirtual, body func(offset reg.GPVirtual, tail bool)) {
	offset := GP64()
	XORQ(offset, offset)
	Label(label)
	CMPQ(count, U8(v.lanes))
	JL(LabelRef(label + "_tail"))
	body(offset, false)
	ADDQ(U8(v.lanes), offset)
	SUBQ(U8(v.lanes), count)
	JMP(LabelRef(label))
	Label(label + "_tail")
	TESTQ(count, count)
	JZ(LabelRef(label + "_done"))
	v.mask(count)
	body(offset, true)
	Label(label + "_done")
}

func argument(name string) Mem {
	m, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return m.Addr
}

func at(base reg.Register, offset reg.Register, disp int) Mem {
	return Mem{Base: base, Index: offset, Scale: 8, Disp: disp}
}

func pointer(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

func float(v *isa, name string) reg.VecVirtual {
	return v.broadcast(argument(name))
}

func begin(v *isa, name, args, doc string) {
	TEXT(v.name(name), NOSPLIT, fmt.Sprintf("func(%s)", args))
	Pragma("noescape")
	Doc(v.name(name) + " " + doc)
}

func end(v *isa) {
	VZEROUPPER()
	RET()
}
