//go:build !purego

package kernel

// solveBlocks solves for as many of x's unknowns as are in whole blocks, the first of them,
// and returns their number, or 0 where there is no kernel for that.
func solveBlocks(s system, x, t []float64, stride int) int {
	n := len(x) / block * block
	if !wide() || n == 0 {
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

// wide reports whether there are kernels for whole blocks.
func wide() bool { return level == avx512 }

func solvePanel(x []float64, stride, count int, l []float64, inverse *[PanelWidth]float64, panel, signed []float64, sign float64) {
	solvePanelAVX512(&x[0], stride, count, &l[0], &inverse[0], &panel[0], &signed[0], sign)
}
