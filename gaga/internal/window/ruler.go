package window

import (
	"math"
	"slices"

	"github.com/agepath/agepath/gaga/internal/model"
)

// Ruler measures lengths in θ, with columns scaled by their root mean squares: a step of length s
// moves the predictor of sample i by at most Norms()[i] s.
type Ruler struct {
	samples *model.Samples
	every   []int
	scale   []float64
	norms   []float64
	columns []int
}

// NewRuler returns a ruler for a linear predictor.
func NewRuler(s *model.Samples) *Ruler {
	r := &Ruler{samples: s, every: make([]int, s.P), scale: make([]float64, s.P), norms: make([]float64, s.N)}
	for i := range s.N {
		for j, x := range s.Row(i) {
			r.scale[j] += x * x / float64(s.N)
		}
	}
	for j, x := range r.scale {
		r.scale[j], r.every[j] = math.Sqrt(x), j
	}
	return r
}

// Distance returns the length of b - a; a nil a is zero.
func (r *Ruler) Distance(a, b []float64) float64 {
	var sum float64
	for j, x := range b {
		if a != nil {
			x -= a[j]
		}
		x *= r.scale[j]
		sum += x * x
	}
	return math.Sqrt(sum)
}

// Norms returns the rows' norms over the given columns, nil for all. The next call overwrites them.
func (r *Ruler) Norms(columns []int) []float64 {
	if columns == nil {
		columns = r.every
	}
	if r.columns != nil && slices.Equal(r.columns, columns) {
		return r.norms
	}
	r.columns = append(make([]int, 0, len(r.scale)), columns...)
	for i := range r.norms {
		row := r.samples.Row(i)
		var norm float64
		for _, j := range columns {
			if s := r.scale[j]; s > 0 {
				x := row[j] / s
				norm += x * x
			}
		}
		r.norms[i] = math.Sqrt(norm)
	}
	return r.norms
}
