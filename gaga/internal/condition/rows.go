package condition

import (
	"slices"

	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

type rows struct {
	*sums.Scope
	gathered []float64
	columns  []int
	stale    bool
	beta     []float64
}

func newRows(s *sums.Scope) rows {
	return rows{Scope: s, stale: true, beta: make([]float64, s.P)}
}

// SetWatch sets the watched samples, ascending. The sums are then of no point.
func (s *rows) SetWatch(samples []int) {
	s.Watch, s.At = samples, nil
	s.Watched++
	s.stale = true
	s.gather()
}

func (s *rows) gather() {
	k := len(s.Active)
	if k == s.P && len(s.Watch) == s.N {
		s.Rows, s.stale = s.Samples.Rows, true
		return
	}
	if !s.stale && slices.Equal(s.columns, s.Active) {
		return
	}
	s.columns, s.stale = append(s.columns[:0], s.Active...), false
	if s.gathered == nil {
		s.gathered = make([]float64, s.N*s.P)
	}
	s.Rows = s.gathered[:len(s.Watch)*k]
	for slot, i := range s.Watch {
		s.Gather(s.Rows[slot*k:(slot+1)*k], s.Row(i))
	}
}

// Predict requires a θ, or rates, that is zero except in active and frozen coordinates.
func (s *rows) Predict(dst, theta []float64) {
	if s.Frozen {
		for slot, i := range s.Watch {
			dst[slot] = s.PredictOne(i, theta)
		}
		return
	}
	k := len(s.Active)
	if k == 0 || len(s.Watch) == 0 {
		clear(dst[:len(s.Watch)])
		return
	}
	kernel.MulVec(dst[:len(s.Watch)], s.Rows, k, s.Gather(s.beta, theta))
}

func (s *rows) PredictAll(dst, theta []float64) {
	kernel.MulVec(dst[:s.N], s.Samples.Rows, s.P, theta)
}

func (s *rows) PredictOne(i int, theta []float64) float64 {
	return dense.Dot(s.Row(i), theta)
}
