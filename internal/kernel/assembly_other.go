//go:build !amd64 || purego

package kernel

// vector is false: there is no assembly.
const vector = false

func dotAVX2(_, _ *float64, _ int) float64                                          { return 0 }
func axpyAVX2(_ float64, _, _ *float64, _ int)                                      {}
func axpy4AVX2(_, _, _, _, _, _ *float64, _ int)                                    {}
func mulVecAVX2(_, _ *float64, _, _ int, _ *float64, _ int)                         {}
func mulTransAddAVX2(_, _ *float64, _, _ int, _ *float64, _ int, _ uint64)          {}
func gramTileAVX2(_, _, _ *float64, _, _ int)                                       {}
func kinkedAVX2(_, _, _, _, _, _, _, _ *float64, _ int, _ float64, _ *[3]float64)   {}
func kinkedAlongAVX2(_, _, _, _, _, _ *float64, _ int, _, _ float64, _ *[2]float64) {}
func curvedAVX2(_, _, _, _, _, _, _, _ *float64, _ int, _ *[2]float64)              {}
func curvedAlongAVX2(_, _, _, _, _, _ *float64, _ int, _ float64, _ *[2]float64)    {}
func logisticAVX2(_, _, _, _, _ *float64, _ int)                                    {}
func logsAVX2(_, _ *float64, _ int)                                                 {}
func weighAVX2(_ *[8]float64, _, _, _, _, _, _, _, _, _, _, _ *float64, _ int, _ bool, _ *[2]float64) {
}
func tile64AVX2(_, _, _ *float64, _, _, _, _, _ int)        {}
func tileTail64AVX2(_, _, _ *float64, _, _, _, _, _, _ int) {}
func row64AVX2(_, _, _ *float64, _, _, _, _, _ int)         {}
func rowTail64AVX2(_, _, _ *float64, _, _, _, _, _, _ int)  {}
