//go:build !purego

package kernel

// solveBlocks solves for as many of x's unknowns as are in whole blocks, the first of them,
// and returns their number, or 0 where there is no kernel for that.
func solveBlocks(s system, x, t []float64, stride int) int {
	n := len(x) / block * block
	if level != avx512 || n == 0 {
		return 0
	}
	switch s {
	case lower:
		solveLowerAVX512(&x[0], &t[0], stride, n)
	case lowerTransposed:
		solveLowerTransAVX512(&x[0], &t[0], stride, n)
	case upper:
		solveUpperAVX512(&x[0], &t[0], stride, n)
	case upperTransposed:
		solveUpperTransAVX512(&x[0], &t[0], stride, n)
	}
	return n
}
