package selfpaced

import (
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// kernelCache limits the solver's kernel matrix, and its factor.
const kernelCache = 512 << 20

// fits returns a [*experiment.MemoryError] if the estimate exceeds a limit > 0.
func (c *Cell) fits(prepared *dataset.Prepared, limit int64) error {
	if need := c.bytes(prepared); limit > 0 && need > limit {
		return &experiment.StatusError{Status: experiment.Memory, Err: &experiment.MemoryError{Need: need, Limit: limit}}
	}
	return nil
}

// bytes estimates peak memory: the parts of the data and the solver's copy, with a kernel the
// matrices of training and prediction and the solver's factor, and the method's own.
func (c *Cell) bytes(prepared *dataset.Prepared) int64 {
	n, d := int64(prepared.Train.N), int64(prepared.Train.D)
	others := int64(prepared.Test.N + prepared.Validation.N)
	bytes := 8 * d * (3*n + 2*others)
	if c.Settings.Protocol == dataset.Scripts { // clean rows
		bytes += 16 * d * n
	}
	if c.Choice.Folds > 0 { // rows of all folds, and a copy of one fold
		bytes += 8 * d * n * int64(c.Choice.Folds+3)
	}
	if c.Model.Kernel == RBF {
		bytes += 2*min(8*n*n, kernelCache) + 8*n*others
	}
	if method, err := c.Method.info(); err == nil && method.bytes != nil { // an unknown method does not run
		bytes += method.bytes(c, n, d)
	}
	return bytes
}
