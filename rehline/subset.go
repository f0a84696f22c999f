package rehline

import (
	"gonum.org/v1/gonum/blas/blas64"
)

// Subset returns the problem of the given samples, in their order: their
// features, losses and weights, copied, with the same costs, penalties and
// constraints. A sample may be there more than once. Errors: *InputError for a
// problem that Check refuses or a sample that does not exist.
func (p Problem) Subset(samples []int) (Problem, error) {
	if err := p.Check(); err != nil {
		return Problem{}, err
	}
	n, _ := p.Size()
	for k, i := range samples {
		if i < 0 || i >= n {
			return Problem{}, rangeError("Subset: samples", k, -1, "%d; samples are 0 to %d", i, n-1)
		}
	}
	return p.pick(samples), nil
}

// pick is Subset of samples that exist in a problem that has been checked.
func (p Problem) pick(samples []int) Problem {
	if p.Sparse != nil {
		p.Sparse = p.Sparse.pick(samples)
	} else {
		p.X = pickRows(p.X, samples)
	}
	p.Loss = p.Loss.Subset(samples)
	p.Weights = pickValues(p.Weights, samples)
	return p
}

// Subset returns the loss of the given samples, in their order. It panics where there is
// no such sample.
func (l Loss) Subset(samples []int) Loss {
	out := Loss{Offset: pickValues(l.Offset, samples), err: l.err}
	for _, m := range []struct {
		to   *blas64.General
		from blas64.General
	}{{&out.U, l.U}, {&out.V, l.V}, {&out.S, l.S}, {&out.T, l.T}, {&out.Tau, l.Tau}} {
		*m.to = newMatrix(m.from.Rows, len(samples))
		for r := range m.from.Rows {
			from, to := row(m.from, r), row(*m.to, r)
			for k, i := range samples {
				to[k] = from[i]
			}
		}
	}
	return out
}

// Shift returns the loss of scores to which shift_i, one for each sample, is added:
// L_i(z + shift_i).
func (l Loss) Shift(shift []float64) Loss {
	for _, m := range []struct {
		slope blas64.General
		at    *blas64.General
	}{{l.U, &l.V}, {l.S, &l.T}} {
		moved := newMatrix(m.slope.Rows, m.slope.Cols)
		for r := range m.slope.Rows {
			slope, at, to := row(m.slope, r), row(*m.at, r), row(moved, r)
			for i, s := range shift {
				to[i] = at[i] + slope[i]*s
			}
		}
		*m.at = moved
	}
	return l
}

// pick returns the given rows.
func (m *CSR) pick(rows []int) *CSR {
	entries := 0
	for _, i := range rows {
		entries += m.Start[i+1] - m.Start[i]
	}
	out := &CSR{Rows: len(rows), Cols: m.Cols, Start: make([]int, 1, len(rows)+1),
		Index: make([]int, 0, entries), Data: make([]float64, 0, entries)}
	for _, i := range rows {
		lo, hi := m.Start[i], m.Start[i+1]
		out.Index = append(out.Index, m.Index[lo:hi]...)
		out.Data = append(out.Data, m.Data[lo:hi]...)
		out.Start = append(out.Start, len(out.Data))
	}
	return out
}

func pickRows(m blas64.General, rows []int) blas64.General {
	out := newMatrix(len(rows), m.Cols)
	for k, i := range rows {
		copy(row(out, k), row(m, i))
	}
	return out
}

// pickValues returns the given values, nil of nil.
func pickValues(values []float64, index []int) []float64 {
	if values == nil {
		return nil
	}
	out := make([]float64, len(index))
	for k, i := range index {
		out[k] = values[i]
	}
	return out
}

// Scores writes x_i·β + intercept for every sample into dst, whose length is
// n, for coefficients of length d. It panics where the lengths are others.
func (p Problem) Scores(dst, beta []float64, intercept float64) {
	n, d := p.Size()
	if len(dst) != n || len(beta) != d {
		panic("rehline: Scores needs one destination per sample and one coefficient per feature")
	}
	p.features().mulVec(0, dst, beta)
	for i := range dst {
		dst[i] += intercept
	}
}
