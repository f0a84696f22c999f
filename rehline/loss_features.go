package rehline

import (
	"cmp"

	"gonum.org/v1/gonum/blas/blas64"
)

// CompositeFeatures returns the features that CompositeQuantile needs for the
// given number Q of levels: x of n x d repeated Q times one below the other,
// and Q more columns, of which column d+k holds scale in the rows of level k
// and 0 elsewhere.
//
// The intercept of level k is b_k = scale β_d+k, so that the ridge penalty on
// it is ½ (b_k/scale)²: a scale well above 1 leaves the intercepts almost free,
// at the price of a worse condition. With FreeIntercept in the problem, b0 adds
// to all of them, and only their differences from it are penalized.
func CompositeFeatures(x blas64.General, levels int, scale float64) (blas64.General, error) {
	if err := cmp.Or(checkMatrix("CompositeFeatures: x", x, x.Cols), checkComposite("CompositeFeatures", levels, scale)); err != nil {
		return blas64.General{}, err
	}
	out := newMatrix(levels*x.Rows, x.Cols+levels)
	for k := range levels {
		for i := range x.Rows {
			r := row(out, k*x.Rows+i)
			copy(r, row(x, i))
			r[x.Cols+k] = scale
		}
	}
	return out, nil
}

// CompositeSparse is CompositeFeatures of sparse features.
func CompositeSparse(x *CSR, levels int, scale float64) (*CSR, error) {
	if x == nil {
		return nil, shapeError("CompositeSparse: x", "nil")
	}
	if err := cmp.Or(x.Check(), checkComposite("CompositeSparse", levels, scale)); err != nil {
		return nil, err
	}
	entries := levels * (len(x.Data) + x.Rows)
	out := &CSR{
		Rows: levels * x.Rows, Cols: x.Cols + levels,
		Start: make([]int, 1, levels*x.Rows+1),
		Index: make([]int, 0, entries), Data: make([]float64, 0, entries),
	}
	for k := range levels {
		for i := range x.Rows {
			lo, hi := x.Start[i], x.Start[i+1]
			out.Index = append(append(out.Index, x.Index[lo:hi]...), x.Cols+k)
			out.Data = append(append(out.Data, x.Data[lo:hi]...), scale)
			out.Start = append(out.Start, len(out.Data))
		}
	}
	return out, nil
}

func checkComposite(name string, levels int, scale float64) error {
	if levels < 1 {
		return shapeError(name+": levels", "%d; there is at least one", levels)
	}
	if !(scale > 0) || !finite(scale) {
		return rangeError(name+": scale", -1, -1, "%g; it is positive and finite", scale)
	}
	return nil
}

// DifferenceFeatures returns the features of TotalVariation for d coefficients:
// d-1 rows, of which row i is β_i+1 - β_i. Below d = 2 there are none.
func DifferenceFeatures(d int) *CSR {
	rows := max(d-1, 0)
	m := &CSR{
		Rows: rows, Cols: max(d, 0),
		Start: make([]int, rows+1), Index: make([]int, 2*rows), Data: make([]float64, 2*rows),
	}
	for i := range rows {
		m.Start[i+1] = 2 * (i + 1)
		m.Index[2*i], m.Index[2*i+1] = i, i+1
		m.Data[2*i], m.Data[2*i+1] = -1, 1
	}
	return m
}
