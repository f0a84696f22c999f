//go:build !amd64 || purego

package kernel

// vector is false: there is no assembly.
const vector = false

func dotAVX2(_, _ *float64, _ int) float64                                 { return 0 }
func axpyAVX2(_ float64, _, _ *float64, _ int)                             {}
func axpy4AVX2(_, _, _, _, _, _ *float64, _ int)                           {}
func mulVecAVX2(_, _ *float64, _, _ int, _ *float64, _ int)                {}
func mulTransAddAVX2(_, _ *float64, _, _ int, _ *float64, _ int, _ uint64) {}
func gramTileAVX2(_, _, _ *float64, _, _ int)                              {}
func logisticAVX2(_, _, _, _, _ *float64, _ int)                           {}
