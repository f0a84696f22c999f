package emit

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func dot(v *ISA) {
	TEXT(v.Name("dot"), NOSPLIT, "func(x, y *float64, n int) float64")
	Pragma("noescape")
	Doc(v.Name("dot") + " returns x·y.")
	x, y, n := Pointer("x"), Pointer("y"), Pointer("n")
	s := [4]reg.VecVirtual{v.Zero(), v.Zero(), v.Zero(), v.Zero()}
	Label("long")
	CMPQ(n, U8(4*v.Lanes))
	JL(LabelRef("short"))
	for i := range s {
		a := v.Load(Mem{Base: x, Disp: i * v.Bytes()}, false)
		VFMADD231PD(Mem{Base: y, Disp: i * v.Bytes()}, a, s[i])
	}
	ADDQ(U32(4*v.Bytes()), x)
	ADDQ(U32(4*v.Bytes()), y)
	SUBQ(U8(4*v.Lanes), n)
	JMP(LabelRef("long"))
	Label("short")
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		a := v.Load(At(x, o, 0), tail)
		b := v.Load(At(y, o, 0), tail)
		VFMADD231PD(b, a, s[0])
	})
	VADDPD(s[1], s[0], s[0])
	VADDPD(s[3], s[2], s[2])
	VADDPD(s[2], s[0], s[0])
	r := v.Sum(s[0])
	Store(r.AsX(), ReturnIndex(0))
	End(v)
}

func axpy(v *ISA) {
	Begin(v, "axpy", "a float64, x, y *float64, n int", "adds a x to y.")
	x, y, n, a := Pointer("x"), Pointer("y"), Pointer("n"), Float(v, "a")
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		r, p := v.Load(At(y, o, 0), tail), v.Load(At(x, o, 0), tail)
		VFMADD231PD(p, a, r)
		v.Store(r, At(y, o, 0), tail)
	})
	End(v)
}

func rowsOf(x, stride reg.GPVirtual) [4]reg.GPVirtual {
	var r [4]reg.GPVirtual
	r[0] = x
	for i := 1; i < 4; i++ {
		r[i] = GP64()
		LEAQ(Mem{Base: r[i-1], Index: stride, Scale: 8}, r[i])
	}
	return r
}

func mulVec(v *ISA) {
	Begin(v, "mulVec", "dst, x *float64, stride, groups int, v *float64, n int", "sets dst to four products a group of rows of x with v.")
	dst, x, stride, groups, w := Pointer("dst"), Pointer("x"), Pointer("stride"), Pointer("groups"), Pointer("v")
	Label("group")
	TESTQ(groups, groups)
	JZ(LabelRef("end"))
	r := rowsOf(x, stride)
	var s [4]reg.VecVirtual
	for i := range s {
		s[i] = v.Zero()
	}
	v.Each("loop", Pointer("n"), func(o reg.GPVirtual, tail bool) {
		a := v.Load(At(w, o, 0), tail)
		for i := range r {
			if tail {
				VFMADD231PD(v.Load(At(r[i], o, 0), tail), a, s[i])
			} else {
				VFMADD231PD(At(r[i], o, 0), a, s[i])
			}
		}
	})
	VMOVUPD(v.total(s), Mem{Base: dst})
	ADDQ(U8(32), dst)
	LEAQ(Mem{Base: r[3], Index: stride, Scale: 8}, x)
	DECQ(groups)
	JMP(LabelRef("group"))
	Label("end")
	End(v)
}

// total destroys its vectors.
func (v *ISA) total(s [4]reg.VecVirtual) reg.VecVirtual {
	t := YMM()
	VHADDPD(s[1], s[0], s[0])
	VHADDPD(s[3], s[2], s[2])
	VPERM2F128(U8(0x21), s[2], s[0], t)
	VBLENDPD(U8(0b1100), s[2], s[0], s[0])
	VADDPD(t, s[0], s[0])
	return s[0]
}

func (v *ISA) addRows(w reg.GPVirtual, r [4]reg.GPVirtual, f [4]reg.VecVirtual, n reg.GPVirtual, bits reg.VecVirtual) {
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		s := v.Load(At(w, o, 0), tail)
		t := YMM()
		VMULPD(v.bitsOf(At(r[2], o, 0), tail, bits), f[2], t)
		for i, to := range []reg.VecVirtual{s, s, nil, t} {
			if to != nil {
				VFMADD231PD(v.bitsOf(At(r[i], o, 0), tail, bits), f[i], to)
			}
		}
		VADDPD(t, s, s)
		v.Store(s, At(w, o, 0), tail)
	})
}

// bitsOf is an operand of the bits of m, nil for all of them.
func (v *ISA) bitsOf(m Mem, tail bool, bits reg.VecVirtual) Op {
	var from Op = m
	if tail {
		from = v.Load(m, tail)
	}
	if bits == nil {
		return from
	}
	r := YMM()
	VANDPD(from, bits, r)
	return r
}

func axpy4(v *ISA) {
	Begin(v, "axpy4", "a, x0, x1, x2, x3, y *float64, n int", "adds four multiples of rows to y.")
	a, y, n := Pointer("a"), Pointer("y"), Pointer("n")
	r := [4]reg.GPVirtual{Pointer("x0"), Pointer("x1"), Pointer("x2"), Pointer("x3")}
	var f [4]reg.VecVirtual
	for i := range f {
		f[i] = v.Broadcast(Mem{Base: a, Disp: 8 * i})
	}
	v.addRows(y, r, f, n, nil)
	End(v)
}

// narrow vectors of w stay in registers.
const narrow = 8

func mulTransAdd(v *ISA) {
	Begin(v, "mulTransAdd", "w, x *float64, stride, groups int, a *float64, n int, bits uint64", "adds to w four multiples a group of rows of x, of which it takes the bits.")
	w, x, stride, groups, a, bits := Pointer("w"), Pointer("x"), Pointer("stride"), Pointer("groups"), Pointer("a"), Float(v, "bits")
	for vectors := 1; vectors <= narrow; vectors++ {
		CMPQ(argument("n"), U8(vectors*v.Lanes))
		JLE(LabelRef(fmt.Sprintf("narrow%d", vectors)))
	}
	v.groups("", x, stride, groups, a, func(r [4]reg.GPVirtual, f [4]reg.VecVirtual) {
		v.addRows(w, r, f, Pointer("n"), bits)
	})
	End(v)
	for vectors := 1; vectors <= narrow; vectors++ {
		label := fmt.Sprintf("narrow%d", vectors)
		Label(label)
		v.narrowRows(label+"_", w, x, stride, groups, a, vectors, bits)
		End(v)
	}
}

// narrowRows keeps sums in registers, in parts where few vectors would wait for each other. The
// last of w's vectors is a tail.
func (v *ISA) narrowRows(label string, w, x, stride, groups, a reg.GPVirtual, vectors int, bits reg.VecVirtual) {
	rest := Pointer("n")
	SUBQ(U8((vectors-1)*v.Lanes), rest)
	v.Mask(rest)
	split := max(1, min(4, narrow/vectors))
	sums := make([][]reg.VecVirtual, vectors)
	place := func(base reg.Register, k int) Mem { return Mem{Base: base, Disp: k * v.Bytes()} }
	for k := range sums {
		sums[k] = append(sums[k], v.Load(place(w, k), k == vectors-1))
		for len(sums[k]) < split {
			sums[k] = append(sums[k], v.Zero())
		}
	}
	v.groups(label, x, stride, groups, a, func(r [4]reg.GPVirtual, f [4]reg.VecVirtual) {
		for i := range r {
			for k, sum := range sums {
				VFMADD231PD(v.bitsOf(place(r[i], k), k == vectors-1, bits), f[i], sum[i%split])
			}
		}
	})
	for k, sum := range sums {
		for half := split / 2; half > 0; half /= 2 {
			for i := range half {
				VADDPD(sum[i+half], sum[i], sum[i])
			}
		}
		v.Store(sum[0], place(w, k), k == vectors-1)
	}
}

// groups runs body over groups of four rows of x whose factors are not all zero.
func (v *ISA) groups(label string, x, stride, groups, a reg.GPVirtual, body func(r [4]reg.GPVirtual, f [4]reg.VecVirtual)) {
	Label(label + "group")
	TESTQ(groups, groups)
	JZ(LabelRef(label + "end"))
	r := rowsOf(x, stride)
	any := GP64()
	MOVQ(Mem{Base: a}, any)
	for i := 1; i < 4; i++ {
		ORQ(Mem{Base: a, Disp: 8 * i}, any)
	}
	ADDQ(any, any) // the sign of a zero does not matter
	JZ(LabelRef(label + "next"))
	var f [4]reg.VecVirtual
	for i := range f {
		f[i] = v.Broadcast(Mem{Base: a, Disp: 8 * i})
	}
	body(r, f)
	Label(label + "next")
	ADDQ(U8(32), a)
	LEAQ(Mem{Base: r[3], Index: stride, Scale: 8}, x)
	DECQ(groups)
	JMP(LabelRef(label + "group"))
	Label(label + "end")
}

// gram adds tiles of the Gram matrix, height rows by two vectors, kept in registers.
func gram(v *ISA) {
	Begin(v, "gramTile", "tile, pi, pj *float64, ld, rows int", "adds to the tile the products of the panel's columns at pi with those at pj.")
	const vectors = 2
	h, pi, pj, ld, rows := Pointer("tile"), Pointer("pi"), Pointer("pj"), Pointer("ld"), Pointer("rows")
	SHLQ(U8(3), ld)
	height := v.Lanes
	acc := make([][]reg.VecVirtual, height)
	for i := range acc {
		for range vectors {
			acc[i] = append(acc[i], v.Zero())
		}
	}
	Label("loop")
	var b []reg.VecVirtual
	for j := range vectors {
		b = append(b, v.Load(Mem{Base: pj, Disp: j * v.Bytes()}, false))
	}
	for i := range acc {
		a := v.Broadcast(Mem{Base: pi, Disp: 8 * i})
		for j := range b {
			VFMADD231PD(b[j], a, acc[i][j])
		}
	}
	ADDQ(ld, pi)
	ADDQ(ld, pj)
	DECQ(rows)
	JNZ(LabelRef("loop"))
	for i := range acc {
		for j, s := range acc[i] {
			VADDPD(Mem{Base: h, Disp: j * v.Bytes()}, s, s)
			VMOVUPD(s, Mem{Base: h, Disp: j * v.Bytes()})
		}
		ADDQ(ld, h)
	}
	End(v)
}
