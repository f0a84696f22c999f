// Package emit declares kernels in AVX2 with FMA. Order and roundings of a kernel must match its Go
// loop: change both together.
package emit

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Kernels declares the kernels of internal/kernel.
func Kernels() {
	v := Doubles()
	dot(v)
	axpy(v)
	axpy4(v)
	mulVec(v)
	mulTransAdd(v)
	gram(v)
	logistic(v)
}

// Doubles returns the vectors of float64.
func Doubles() *ISA { return &ISA{Lanes: 4, Suffix: "AVX2"} }

// ISA is shared by the kernels: vectors of 4 float64 or of 8 float32. Loads of a tail read zeros
// beyond its end.
type ISA struct {
	Lanes  int
	Suffix string
	Tail   reg.Register // mask of the tail's lanes
}

func (v *ISA) Name(n string) string { return n + v.Suffix }
func (v *ISA) Bytes() int           { return 32 }
func (v *ISA) single() bool         { return v.Lanes == 8 }

func (v *ISA) Zero() reg.VecVirtual {
	r := YMM()
	VXORPD(r, r, r)
	return r
}

func (v *ISA) Broadcast(m Op) reg.VecVirtual {
	r := YMM()
	if v.single() {
		VBROADCASTSS(m, r)
	} else {
		VBROADCASTSD(m, r)
	}
	return r
}

// mask requires 0 < count < lanes and destroys count.
func (v *ISA) Mask(count reg.GPVirtual) {
	t, m := GP64(), YMM()
	LEAQ(TailMasks(), t)
	NEGQ(count)
	VMOVUPD(Mem{Base: t, Index: count, Scale: uint8(v.Bytes() / v.Lanes), Disp: 32}, m)
	v.Tail = m
}

var masks Mem

// TailMasks is four words of ones, then four of zeros: from 4 - count on, the first count lanes.
func TailMasks() Mem {
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

func (v *ISA) Load(m Mem, tail bool) reg.VecVirtual {
	r := YMM()
	switch {
	case !tail:
		VMOVUPD(m, r)
	case v.single():
		VMASKMOVPS(m, v.Tail, r)
	default:
		VMASKMOVPD(m, v.Tail, r)
	}
	return r
}

func (v *ISA) Store(r reg.VecVirtual, m Mem, tail bool) {
	switch {
	case !tail:
		VMOVUPD(r, m)
	case v.single():
		VMASKMOVPS(r, v.Tail, m)
	default:
		VMASKMOVPD(r, v.Tail, m)
	}
}

func (v *ISA) Sum(r reg.VecVirtual) reg.VecVirtual {
	y := r.AsY()
	x := XMM()
	VEXTRACTF128(U8(1), y, x)
	out := r.AsX()
	VADDPD(x, out, out)
	VHADDPD(out, out, out)
	return r
}

// each runs body by vectors, then for the tail; offset counts entries. It destroys count.
func (v *ISA) Each(label string, count reg.GPVirtual, body func(offset reg.GPVirtual, tail bool)) {
	offset := GP64()
	XORQ(offset, offset)
	Label(label)
	CMPQ(count, U8(v.Lanes))
	JL(LabelRef(label + "_tail"))
	body(offset, false)
	ADDQ(U8(v.Lanes), offset)
	SUBQ(U8(v.Lanes), count)
	JMP(LabelRef(label))
	Label(label + "_tail")
	TESTQ(count, count)
	JZ(LabelRef(label + "_done"))
	v.Mask(count)
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

func At(base reg.Register, offset reg.Register, disp int) Mem {
	return Mem{Base: base, Index: offset, Scale: 8, Disp: disp}
}

func Pointer(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

func Float(v *ISA, name string) reg.VecVirtual {
	return v.Broadcast(argument(name))
}

func Begin(v *ISA, name, args, doc string) {
	TEXT(v.Name(name), NOSPLIT, fmt.Sprintf("func(%s)", args))
	Pragma("noescape")
	Doc(v.Name(name) + " " + doc)
}

func End(v *ISA) {
	VZEROUPPER()
	RET()
}
