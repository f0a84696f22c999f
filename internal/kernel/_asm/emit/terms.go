package emit

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func half(v *ISA) reg.VecVirtual {
	g, x := GP64(), XMM()
	MOVQ(U64(0x3fe0000000000000), g)
	VMOVQ(g, x)
	r := v.Vec()
	VBROADCASTSD(x, r)
	return r
}

func storeSums(v *ISA, sums ...reg.VecVirtual) {
	out := Pointer("out")
	for i, s := range sums {
		r := v.Sum(s)
		VMOVSD(r.AsX(), Mem{Base: out, Disp: 8 * i})
	}
}

func kinked(v *ISA) {
	Begin(v, "kinked", "z, kink, lo, hi, center, slope, sum, bend *float64, n int, inv float64, out *[3]float64", "is Kinked.")
	z, kink, lo, hi := Pointer("z"), Pointer("kink"), Pointer("lo"), Pointer("hi")
	center, slope, g, h := Pointer("center"), Pointer("slope"), Pointer("sum"), Pointer("bend")
	n := Pointer("n")
	value, dual, young := v.Zero(), v.Zero(), v.Zero()
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		k, r := v.Load(At(kink, o, 0), tail), v.Load(At(z, o, 0), tail)
		VSUBPD(k, r, r)
		l, u := v.Load(At(lo, o, 0), tail), v.Load(At(hi, o, 0), tail)
		m, inv := v.Vec(), Float(v, "inv")
		VSUBPD(l, u, m)
		VMULPD(inv, m, m)
		a := v.Load(At(center, o, 0), tail)
		VFMADD231PD(r, m, a)
		v.keepBetween(m, a, l, u)
		VMAXPD(l, a, a)
		VMINPD(u, a, a)
		v.Store(a, At(slope, o, 0), tail)
		VFNMADD231PD(k, a, dual)
		t := v.Load(At(g, o, 0), tail)
		VADDPD(a, t, t)
		v.Store(t, At(g, o, 0), tail)
		t = v.Load(At(h, o, 0), tail)
		VADDPD(m, t, t)
		v.Store(t, At(h, o, 0), tail)
		VMULPD(r, l, l)
		VMULPD(r, u, u)
		VMAXPD(l, u, u)
		VADDPD(u, value, value)
		VFNMADD231PD(a, r, u)
		VADDPD(u, young, young)
	})
	storeSums(v, value, dual, young)
	End(v)
}

func kinkedAlong(v *ISA) {
	Begin(v, "kinkedAlong", "z, dz, kink, lo, hi, center *float64, n int, t, inv float64, out *[2]float64", "is KinkedAlong.")
	z, dz, kink, lo, hi, center := Pointer("z"), Pointer("dz"), Pointer("kink"), Pointer("lo"), Pointer("hi"), Pointer("center")
	n, t, inv := Pointer("n"), Float(v, "t"), Float(v, "inv")
	first, second := v.Zero(), v.Zero()
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		k, r, e := v.Load(At(kink, o, 0), tail), v.Load(At(z, o, 0), tail), v.Load(At(dz, o, 0), tail)
		VSUBPD(k, r, r)
		VFMADD231PD(t, e, r)
		l, u, m := v.Load(At(lo, o, 0), tail), v.Load(At(hi, o, 0), tail), v.Vec()
		VSUBPD(l, u, m)
		VMULPD(inv, m, m)
		a := v.Load(At(center, o, 0), tail)
		VFMADD231PD(r, m, a)
		v.keepBetween(m, a, l, u)
		VMAXPD(l, a, a)
		VMINPD(u, a, a)
		VFMADD231PD(a, e, first)
		VMULPD(e, e, e)
		VFMADD231PD(m, e, second)
	})
	storeSums(v, first, second)
	End(v)
}

func curved(v *ISA) {
	Begin(v, "curved", "z, kink, kl, kh, sigma, slope, sum, bend *float64, n int, out *[2]float64", "is Curved.")
	z, kink, kl, kh := Pointer("z"), Pointer("kink"), Pointer("kl"), Pointer("kh")
	sigma, slope, g, h := Pointer("sigma"), Pointer("slope"), Pointer("sum"), Pointer("bend")
	n, two := Pointer("n"), half(v)
	value, dual := v.Zero(), v.Zero()
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		k, r := v.Load(At(kink, o, 0), tail), v.Load(At(z, o, 0), tail)
		VSUBPD(k, r, r)
		l, u := v.Load(At(kl, o, 0), tail), v.Load(At(kh, o, 0), tail)
		m, a := v.Load(At(sigma, o, 0), tail), v.Vec()
		VMAXPD(l, r, a)
		VMINPD(u, a, a)
		t := v.Load(At(h, o, 0), tail)
		s := v.Vec()
		VMULPD(m, a, s)
		v.keepBetween(m, r, l, u)
		VADDPD(m, t, t)
		v.Store(t, At(h, o, 0), tail)
		v.Store(s, At(slope, o, 0), tail)
		t = v.Load(At(g, o, 0), tail)
		VADDPD(s, t, t)
		v.Store(t, At(g, o, 0), tail)
		VFNMADD231PD(two, a, r)
		VFMADD231PD(s, r, value)
		VFMADD231PD(two, a, k)
		VFNMADD231PD(s, k, dual)
	})
	storeSums(v, value, dual)
	End(v)
}

func curvedAlong(v *ISA) {
	Begin(v, "curvedAlong", "z, dz, kink, kl, kh, sigma *float64, n int, t float64, out *[2]float64", "is CurvedAlong.")
	z, dz, kink, kl, kh, sigma := Pointer("z"), Pointer("dz"), Pointer("kink"), Pointer("kl"), Pointer("kh"), Pointer("sigma")
	n, t := Pointer("n"), Float(v, "t")
	first, second := v.Zero(), v.Zero()
	v.Each("loop", n, func(o reg.GPVirtual, tail bool) {
		k, r, e := v.Load(At(kink, o, 0), tail), v.Load(At(z, o, 0), tail), v.Load(At(dz, o, 0), tail)
		VSUBPD(k, r, r)
		VFMADD231PD(t, e, r)
		l, u, m := v.Load(At(kl, o, 0), tail), v.Load(At(kh, o, 0), tail), v.Load(At(sigma, o, 0), tail)
		a := v.Vec()
		VMAXPD(l, r, a)
		VMINPD(u, a, a)
		VMULPD(m, a, a)
		v.keepBetween(m, r, l, u)
		VFMADD231PD(a, e, first)
		VMULPD(e, e, e)
		VFMADD231PD(m, e, second)
	})
	storeSums(v, first, second)
	End(v)
}
