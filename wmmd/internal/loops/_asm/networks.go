package main

import (
	"github.com/mmcloughlin/avo/reg"

	. "github.com/agepath/agepath/internal/kernel/_asm/emit"
)

// sigmoid takes exp(-|x|).
func sigmoid(v *Precision) {
	Begin(&v.ISA, "sigmoid", "dst, x *"+v.Kind()+", n int", "is Sigmoid.")
	dst, x, n := Pointer("dst"), Pointer("x"), Pointer("n")
	one, sign, floor := v.Fill(v.Constant(1)), v.Fill(v.Signs()), v.Fill(v.Floor())
	v.Each(n, func(o reg.GPVirtual, tail bool) {
		t := v.Load(v.At(x, o), tail)
		e := v.Vec()
		v.Or(sign, t, e)
		v.Max(e, floor, e) // a NaN stays
		e = v.Exp(e)
		q := v.Vec()
		v.Add(e, one, q)
		v.Div(q, one, q)
		v.Mul(q, e, e)
		v.Store(v.WhereNegative(t, e, q), v.At(dst, o), tail)
	})
	End(&v.ISA)
}

// tanh takes e = exp(-2|x|) and the sign of x.
func tanh(v *Precision) {
	Begin(&v.ISA, "tanh", "dst, x *"+v.Kind()+", n int", "is Tanh.")
	dst, x, n := Pointer("dst"), Pointer("x"), Pointer("n")
	one, sign, floor := v.Fill(v.Constant(1)), v.Fill(v.Signs()), v.Fill(v.Floor())
	v.Each(n, func(o reg.GPVirtual, tail bool) {
		t := v.Load(v.At(x, o), tail)
		e := v.Vec()
		v.Or(sign, t, e)
		v.And(sign, t, t)
		v.Add(e, e, e)
		v.Max(e, floor, e) // a NaN stays
		e = v.Exp(e)
		q := v.Vec()
		v.Add(e, one, q)
		v.Sub(e, one, e)
		v.Div(q, e, q)
		v.Or(t, q, q)
		v.Store(q, v.At(dst, o), tail)
	})
	End(&v.ISA)
}
