package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func half(v *isa) reg.VecVirtual {
	g, x := GP64(), XMM()
	MOVQ(U64(0x3fe0000000000000), g)
	VMOVQ(g, x)
	r := v.vec()
	VBROADCASTSD(x, r)
	return r
}

func storeSums(v *isa, sums ...reg.VecVirtual) {
	out := pointer("out")
	for i, s := range sums {
		r := v.sum(s)
		VMOVSD(r.AsX(), Mem{Base: out, Disp: 8 * i})
	}
}

func kinked(v *isa) {
	begin(v, "kinked", "z, kink, lo, hi, center, slope, sum, bend *float64, n int, inv float64, out *[3]float64", "is Kinked.")
	z, kink, lo, hi := pointer("z"), pointer("kink"), pointer("lo"), pointer("hi")
	center, slope, g, h := pointer("center"), pointer("slope"), pointer("sum"), pointer("bend")
	n := pointer("n")
	value, dual, young := v.zero(), v.zero(), v.zero()
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		k, r := v.load(at(kink, o, 0), tail), v.load(at(z, o, 0), tail)
		VSUBPD(k, r, r)
		l, u := v.load(at(lo, o, 0), tail), v.load(at(hi, o, 0), tail)
		m, inv := v.vec(), float(v, "inv")
		VSUBPD(l, u, m)
		VMULPD(inv, m, m)
		a := v.load(at(center, o, 0), tail)
		VFMADD231PD(r, m, a)
		v.keepBetween(m, a, l, u)
		VMAXPD(l, a, a)
		VMINPD(u, a, a)
		v.store(a, at(slope, o, 0), tail)
		VFNMADD231PD(k, a, dual)
		t := v.load(at(g, o, 0), tail)
		VADDPD(a, t, t)
		v.store(t, at(g, o, 0), tail)
		t = v.load(at(h, o, 0), tail)
		VADDPD(m, t, t)
		v.store(t, at(h, o, 0), tail)
		VMULPD(r, l, l)
		VMULPD(r, u, u)
		VMAXPD(l, u, u)
		VADDPD(u, value, value)
		VFNMADD231PD(a, r, u)
		VADDPD(u, young, young)
	})
	storeSums(v, value, dual, young)
	end(v)
}

func kinkedAlong(v *isa) {
	begin(v, "kinkedAlong", "z, dz, kink, lo, hi, center *float64, n int, t, inv float64, out *[2]float64", "is KinkedAlong.")
	z, dz, kink, lo, hi, center := pointer("z"), pointer("dz"), pointer("kink"), pointer("lo"), pointer("hi"), pointer("center")
	n, t, inv := pointer("n"), float(v, "t"), float(v, "inv")
	first, second := v.zero(), v.zero()
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		k, r, e := v.load(at(kink, o, 0), tail), v.load(at(z, o, 0), tail), v.load(at(dz, o, 0), tail)
		VSUBPD(k, r, r)
		VFMADD231PD(t, e, r)
		l, u, m := v.load(at(lo, o, 0), tail), v.load(at(hi, o, 0), tail), v.vec()
		VSUBPD(l, u, m)
		VMULPD(inv, m, m)
		a := v.load(at(center, o, 0), tail)
		VFMADD231PD(r, m, a)
		v.keepBetween(m, a, l, u)
		VMAXPD(l, a, a)
		VMINPD(u, a, a)
		VFMADD231PD(a, e, first)
		VMULPD(e, e, e)
		VFMADD231PD(m, e, second)
	})
	storeSums(v, first, second)
	end(v)
}

func curved(v *isa) {
	begin(v, "curved", "z, kink, kl, kh, sigma, slope, sum, bend *float64, n int, out *[2]float64", "is Curved.")
	z, kink, kl, kh := pointer("z"), pointer("kink"), pointer("kl"), pointer("kh")
	sigma, slope, g, h := pointer("sigma"), pointer("slope"), pointer("sum"), pointer("bend")
	n, two := pointer("n"), half(v)
	value, dual := v.zero(), v.zero()
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		k, r := v.load(at(kink, o, 0), tail), v.load(at(z, o, 0), tail)
		VSUBPD(k, r, r)
		l, u := v.load(at(kl, o, 0), tail), v.load(at(kh, o, 0), tail)
		m, a := v.load(at(sigma, o, 0), tail), v.vec()
		VMAXPD(l, r, a)
		VMINPD(u, a, a)
		t := v.load(at(h, o, 0), tail)
		s := v.vec()
		VMULPD(m, a, s)
		v.keepBetween(m, r, l, u)
		VADDPD(m, t, t)
		v.store(t, at(h, o, 0), tail)
		v.store(s, at(slope, o, 0), tail)
		t = v.load(at(g, o, 0), tail)
		VADDPD(s, t, t)
		v.store(t, at(g, o, 0), tail)
		VFNMADD231PD(two, a, r)
		VFMADD231PD(s, r, value)
		VFMADD231PD(two, a, k)
		VFNMADD231PD(s, k, dual)
	})
	storeSums(v, value, dual)
	end(v)
}

func curvedAlong(v *isa) {
	begin(v, "curvedAlong", "z, dz, kink, kl, kh, sigma *float64, n int, t float64, out *[2]float64", "is CurvedAlong.")
	z, dz, kink, kl, kh, sigma := pointer("z"), pointer("dz"), pointer("kink"), pointer("kl"), pointer("kh"), pointer("sigma")
	n, t := pointer("n"), float(v, "t")
	first, second := v.zero(), v.zero()
	v.each("loop", n, func(o reg.GPVirtual, tail bool) {
		k, r, e := v.load(at(kink, o, 0), tail), v.load(at(z, o, 0), tail), v.load(at(dz, o, 0), tail)
		VSUBPD(k, r, r)
		VFMADD231PD(t, e, r)
		l, u, m := v.load(at(kl, o, 0), tail), v.load(at(kh, o, 0), tail), v.load(at(sigma, o, 0), tail)
		a := v.vec()
		VMAXPD(l, r, a)
		VMINPD(u, a, a)
		VMULPD(m, a, a)
		v.keepBetween(m, r, l, u)
		VFMADD231PD(a, e, first)
		VMULPD(e, e, e)
		VFMADD231PD(m, e, second)
	})
	storeSums(v, first, second)
	end(v)
}
