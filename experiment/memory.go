package experiment

import (
	"fmt"

	"github.com/agepath/agepath/experiment/dataset"
)

// kernelCache is what the solver of kernel machines keeps of the kernel matrix
// at most, and once more of its factor.
const kernelCache = 512 << 20

// fits returns an error of status [Memory] where the cell needs more than the
// limit, 0 for none, by an estimate from the sizes of its data.
func (c *Cell) fits(prepared *dataset.Prepared, limit int64) error {
	if need := c.bytes(prepared); limit > 0 && need > limit {
		return &StatusError{Memory, fmt.Errorf("needs about %d MiB, the limit is %d MiB", need>>20, limit>>20)}
	}
	return nil
}

// bytes estimates the memory that computing the cell takes: the parts of the
// data and the solver's copy of them, for kernel machines the kernel matrices
// of training and prediction and the solver's factor, and what an age path adds.
func (c *Cell) bytes(prepared *dataset.Prepared) int64 {
	n, d := int64(prepared.Train.N), int64(prepared.Train.D)
	others := int64(prepared.Test.N + prepared.Validation.N)
	bytes := 8 * d * (3*n + 2*others)
	if c.Model.Kernel == RBF {
		bytes += 2*min(8*n*n, kernelCache) + 8*n*others
	}
	if c.Method.Name == GAGA {
		bytes += c.pathBytes(n, d)
	}
	return bytes
}

// pathBytes estimates what following an age path takes. With a kernel that is a
// factor over the multipliers that change with the age, at most n of them, else
// the tracker's copies of the data and matrices over the coefficients. Each knot
// holds all coefficients, or n multipliers; how many knots there are is a guess,
// as in [estimate].
func (c *Cell) pathBytes(n, d int64) int64 {
	knots := int64(pathKnots + pathPoints(c.Model.Name, float64(n)))
	if c.Model.Kernel == RBF {
		return 8*n*n + 8*n*knots
	}
	return 8*(2*n*d+10*d*d) + 8*d*knots
}
