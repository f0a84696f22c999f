//go:build !purego

package kernel

import (
	"math"
	"unsafe"
)

// Descend is a pass of dual coordinate descent over the active samples, for one
// term a sample, the maximum over lo <= a <= hi of a(z - kink) - soft a²/2: w, the
// coefficients -Σ slope_i x_i, is kept current. soft is empty where all are zero,
// else stiff_i is 1/soft_i. step_i is 1/(‖x_i‖² + soft_i), with 1 added where the pass's Bend is 1. A
// sample whose slope stays at its bound although its score is further than
// beyond from where it would not is dropped; the first ones of active, as many as
// returned, are those that are kept, in their order.
func Descend(x []float64, stride int, w, step, kink, lo, hi, slope, soft, stiff []float64, active []int32, beyond float64, p *Pass) int {
	n := len(slope)
	rows(x, n, stride, len(w))
	vectors := (len(w) + 7) / 8
	if level != avx512 || vectors == 0 || vectors > 16 || len(active) == 0 {
		return descendGo(x, stride, w, step, kink, lo, hi, slope, soft, stiff, active, beyond, p)
	}
	step, kink, lo, hi = step[:n], kink[:n], lo[:n], hi[:n]
	softs := -1
	if len(soft) == 0 {
		soft, stiff, softs = hard[:1], hard[1:], 0
	} else {
		soft, stiff = soft[:n], stiff[:n]
	}
	p.state = [4]float64{p.Intercept, p.Bend}
	kept := descents[vectors-1](&x[0], stride, &w[0], len(w)-8*(vectors-1), &step[0], &kink[0], &lo[0], &hi[0], &slope[0], &soft[0], &stiff[0], softs,
		&active[0], len(active), beyond, &p.state, unsafe.SliceData(p.Next), len(p.Next), p.Part*64*((vectors+Parts-1)/Parts))
	p.Intercept, p.Estimate, p.Spread = p.state[0], p.state[2], p.state[3]
	return kept
}

// hard is what stands for soft and stiff where all soft are zero.
var hard = [2]float64{0, math.Inf(1)}

// descents has the pass for each number of vectors of coefficients.
var descents = [16]func(x *float64, stride int, w *float64, tail int, step, kink, lo, hi, slope, soft, stiff *float64, softs int, active *int32, count int, beyond float64, state *[4]float64, next *int32, nexts, part int) int{
	descend1AVX512,
	descend2AVX512,
	descend3AVX512,
	descend4AVX512,
	descend5AVX512,
	descend6AVX512,
	descend7AVX512,
	descend8AVX512,
	descend9AVX512,
	descend10AVX512,
	descend11AVX512,
	descend12AVX512,
	descend13AVX512,
	descend14AVX512,
	descend15AVX512,
	descend16AVX512,
}
