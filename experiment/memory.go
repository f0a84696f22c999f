package experiment

import (
	"fmt"

	"github.com/agepath/agepath/experiment/dataset"
)

// kernelCache is what the solver of kernel machines keeps of the kernel matrix
// at most, and once more of its factor.
const kernelCache = 512 << 20

// MemoryError says that a cell was not computed because it needs more memory than
// its limit.
type MemoryError struct{ Need, Limit int64 } // bytes

func (e *MemoryError) Error() string {
	return fmt.Sprintf("needs about %d MiB, the limit is %d MiB", e.Need>>20, e.Limit>>20)
}

// fits returns a [*MemoryError] of status [Memory] where the cell needs more than the
// limit, 0 for none, by an estimate from the sizes of its data.
func (c *Cell) fits(prepared *dataset.Prepared, limit int64) error {
	if need := c.bytes(prepared); limit > 0 && need > limit {
		return &StatusError{Memory, &MemoryError{need, limit}}
	}
	return nil
}

// bytes estimates the memory that computing the cell takes: the parts of the
// data and the solver's copy of them, for kernel machines the kernel matrices
// of training and prediction and the solver's factor, and what the method adds.
func (c *Cell) bytes(prepared *dataset.Prepared) int64 {
	n, d := int64(prepared.Train.N), int64(prepared.Train.D)
	others := int64(prepared.Test.N + prepared.Validation.N)
	bytes := 8 * d * (3*n + 2*others)
	if c.Model.Kernel == RBF {
		bytes += 2*min(8*n*n, kernelCache) + 8*n*others
	}
	if method, err := c.Method.info(); err == nil && method.bytes != nil { // an unknown one fits nothing
		bytes += method.bytes(c, n, d)
	}
	return bytes
}
