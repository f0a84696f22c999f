//go:build !amd64 || purego

package loops

// vector is false: there is no assembly.
const vector = false

func distancesAVX2(_, _ *float64, _, _ int, _ *float64, _ int)      {}
func gaussAVX2(_, _, _, _ *float64, _ int, _, _, _ float64) float64 { return 0 }
func tile32AVX2(_, _, _ *float32, _, _, _, _, _ int)                {}
func tileTail32AVX2(_, _, _ *float32, _, _, _, _, _, _ int)         {}
func row32AVX2(_, _, _ *float32, _, _, _, _, _ int)                 {}
func rowTail32AVX2(_, _, _ *float32, _, _, _, _, _, _ int)          {}
func sigmoid32AVX2(_, _ *float32, _ int)                            {}
func tanh32AVX2(_, _ *float32, _ int)                               {}
func exps64AVX2(_ *float64, _ int)                                  {}
func tile64AVX2(_, _, _ *float64, _, _, _, _, _ int)                {}
func tileTail64AVX2(_, _, _ *float64, _, _, _, _, _, _ int)         {}
func row64AVX2(_, _, _ *float64, _, _, _, _, _ int)                 {}
func rowTail64AVX2(_, _, _ *float64, _, _, _, _, _, _ int)          {}
