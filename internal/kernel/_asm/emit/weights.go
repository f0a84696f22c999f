package emit

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// log of normal x > 0 comes from f with x = 2^k (1 + f), √½ <= 1 + f < √2.
func (v *ISA) log(x reg.VecVirtual) reg.VecVirtual {
	const root = 0x3fe6a09e667f3bcd // √½
	word := func(bits uint64) Mem { return Number(math.Float64frombits(bits)) }
	k, f := v.Vec(), v.Vec()
	VPADDQ(word(0x3ff<<52-root), x, f)
	VPSRLQ(U8(52), f, k)
	VPOR(Number(0x1p52), k, k)
	VSUBPD(Number(0x1p52+1023), k, k)
	VPAND(word(1<<52-1), f, f)
	VPADDQ(word(root), f, f)
	VSUBPD(Number(1), f, f)
	s, z, square := v.Vec(), v.Vec(), v.Vec()
	VADDPD(Number(2), f, s)
	VDIVPD(s, f, s)
	VMULPD(s, s, z)
	r := v.remez(z)
	VMULPD(f, f, square)
	VMULPD(Number(0.5), square, square)
	VADDPD(square, r, r)
	low := v.Vec()
	VMULPD(Number(ln2Lo), k, low)
	VFMADD213PD(low, s, r) // s (square + R) + low
	VSUBPD(r, square, square)
	VSUBPD(f, square, square)
	VFMSUB132PD(Number(ln2Hi), square, k)
	return k
}

func logs(v *ISA) {
	Begin(v, "logs", "dst, x *float64, n int", "is Logs.")
	dst, x, n := Pointer("dst"), Pointer("x"), Pointer("n")
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		v.Store(v.log(v.Load(At(x, o, 0), tail)), At(dst, o, 0), tail)
	})
	End(v)
}

// weigh takes no logarithm for the exponent -1.
func weigh(v *ISA) {
	Begin(v, "weigh", "w *[8]float64, inside, m, u, y, loss, slope, curvature, phi, phiU, phiAge, size *float64, n int, ratio bool, out *[2]float64", "is Weights.Terms.")
	w, n, ratio := Pointer("w"), Pointer("n"), GP8()
	Load(Param("ratio"), ratio)
	of := func(k int) reg.VecVirtual { return v.Broadcast(Mem{Base: w, Disp: 8 * k}) }
	extent, least, one := v.Zero(), v.Vec(), v.Vec()
	VMOVUPD(Number(1), one)
	VMOVUPD(Number(1), least)
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		argument := func(name string) reg.VecVirtual { return v.Load(At(Pointer(name), o, 0), tail) }
		store := func(r reg.VecVirtual, name string) { v.Store(r, At(Pointer(name), o, 0), tail) }
		in := argument("inside")
		VCMPPD(U8(4), v.Zero(), in, in) // not equal
		base := of(0)
		VFMADD231PD(of(1), argument("loss"), base)
		base = v.choose(in, base, one)
		VMINPD(least, base, least)
		inverse, weight := v.Vec(), v.Vec()
		VDIVPD(base, one, inverse)
		VMOVAPD(inverse, weight)
		label := fmt.Sprintf("ratio_%v", tail)
		TESTB(ratio, ratio)
		JNZ(LabelRef(label))
		VMAXPD(Number(0x1p-1000), base, base)
		x, limit := v.log(base), v.Vec()
		VMULPD(of(2), x, x)
		VMOVUPD(Number(708), limit)
		VMINPD(x, limit, x)
		VMOVUPD(Number(-708), limit)
		VMAXPD(x, limit, x)
		VMOVAPD(v.Exp(x), weight)
		Label(label)
		weight = v.choose(in, weight, of(6))
		bent := of(3)
		VMULPD(inverse, bent, bent)
		VMULPD(weight, bent, bent)
		VANDPD(in, bent, bent)
		dage := of(4)
		VFMADD231PD(of(5), inverse, dage)
		VANDPD(in, dage, dage)

		slope, mass, phi := argument("slope"), argument("m"), v.Vec()
		VMULPD(weight, mass, phi)
		VMULPD(slope, phi, phi)
		store(phi, "phi")
		VMULPD(dage, phi, dage)
		store(dage, "phiAge")
		VMULPD(slope, bent, bent)
		curvature, sum := argument("curvature"), v.Vec()
		VMULPD(slope, bent, sum)
		VFMADD231PD(curvature, weight, sum)
		VMULPD(mass, sum, sum)
		store(sum, "phiU")

		v.abs(slope)
		v.abs(bent)
		size, distance := argument("u"), argument("y")
		v.abs(size)
		v.abs(distance)
		VADDPD(size, distance, distance)
		VFMADD213PD(slope, curvature, size) // curvature |u| + |slope|
		VMULPD(weight, size, size)
		VMULPD(of(7), bent, bent)
		VMULPD(distance, bent, bent)
		VMINPD(bent, one, bent) // a NaN stays
		VFMADD231PD(slope, bent, size)
		VMULPD(mass, size, size)
		store(size, "size")
		VADDPD(size, extent, extent)
	})
	half, x := XMM(), least.AsX()
	VEXTRACTF128(U8(1), least.AsY(), half)
	VMINPD(half, x, x)
	VPERMILPD(U8(1), x, half)
	VMINSD(half, x, x)
	out := Pointer("out")
	VMOVSD(v.Sum(extent).AsX(), Mem{Base: out})
	VMOVSD(x, Mem{Base: out, Disp: 8})
	End(v)
}
