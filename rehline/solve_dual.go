package rehline

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// spread writes the duals of the rows that a term is made of: the slope is
// their sum weighted by the rows' signs and sizes, and only the one of the
// slope's sign is not zero.
func spread(src source, slope []float64, ridge float64, p, dual blas64.General) {
	for _, r := range [2]int{src.first, src.second} {
		if r < 0 {
			continue
		}
		kernel.Share(row(dual, r), slope, row(p, r), ridge)
	}
}

// gather is the reverse of spread, within the bounds.
func gather(src source, slope []float64, ridge float64, p, dual blas64.General) {
	clear(slope)
	for _, r := range [2]int{src.first, src.second} {
		if r < 0 {
			continue
		}
		p, dual := row(p, r), row(dual, r)
		for i := range slope {
			slope[i] += dual[i] * p[i] / ridge
		}
	}
}
