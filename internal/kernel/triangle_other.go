//go:build !amd64 || purego

package kernel

func solveBlocks(system, []float64, []float64, int) int { return 0 }

func wide() bool { return false }

func solvePanel([]float64, int, int, []float64, *[PanelWidth]float64, []float64, []float64, float64) {
}
