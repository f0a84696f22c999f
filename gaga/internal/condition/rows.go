package condition

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/internal/kernel"
)

// rows gathers the watched samples' active columns, and predicts by them.
type rows struct {
	*sums.Scope
	gathered []float64 // room for Scope.Rows
	columns  []int     // active coordinates of Scope.Rows, where these are gathered
	stale    bool      // Scope.Rows are to be gathered anew
	beta     []float64 // P, scratch: active entries of θ
	known    []float64 // N: the predictors of all samples there
	at       []float64 // P: where known was predicted; nil before the first
}

func newRows(s *sums.Scope) rows {
	return rows{Scope: s, stale: true, beta: zeros(s.P), known: zeros(s.N)}
}

// SetWatch makes the given samples, ascending, the watched ones.
func (s *rows) SetWatch(samples []int) {
	s.Watch = samples
	s.Watched++
	s.stale = true
	s.gather()
}

// gather makes Scope.Rows of the watched rows and the active columns.
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
		s.gathered = zeros(s.N * s.P)
	}
	s.Rows = s.gathered[:len(s.Watch)*k]
	for slot, i := range s.Watch {
		s.Gather(s.Rows[slot*k:(slot+1)*k], s.Row(i))
	}
}

// Predict writes the predictors of the watched samples at a θ, or at rates of θ, that
// is zero beside its active coordinates and those that are frozen.
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

// PredictAll writes the predictors of all samples. Those of the last θ are kept.
func (s *rows) PredictAll(dst, theta []float64) {
	if !slices.Equal(s.at, theta) {
		s.at = append(s.at[:0], theta...)
		kernel.MulVec(s.known, s.Samples.Rows, s.P, theta)
	}
	copy(dst, s.known)
}

// PredictOne returns the predictor of sample i.
func (s *rows) PredictOne(i int, theta []float64) float64 {
	return blas64.Dot(vector(s.Row(i)), vector(theta))
}
