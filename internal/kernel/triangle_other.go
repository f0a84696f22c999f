//go:build !amd64 || purego

package kernel

func solveBlocks(system, []float64, []float64, int) int { return 0 }
