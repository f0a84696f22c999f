package wmmd

import "github.com/agepath/agepath/internal/kernel"

// Witness is the difference of the mean embeddings of two classes, as a function on
// the space of rows: where it is positive, words of the first class are denser.
type Witness struct {
	x      []float64 // the words' rows, transposed
	weight []float64
	dim    int
	// Bandwidth is σ².
	Bandwidth float64
	d         []float64
}

// Witness returns the witness function of the classes a and b of a sample. It is 0
// everywhere where wMMD² counts as 0.
func (e *Estimator[T]) Witness(m Embedding[T], s Sample, a, b int) *Witness {
	e.prepare(m, s)
	w := &Witness{dim: e.counts.dim}
	sign := 1.0
	if a > b {
		a, b, sign = b, a, -1
	}
	if a == b || b >= len(e.counts.classes) || !e.pair.between(&e.counts, e.point, a, b) {
		return w
	}
	p := &e.pair
	if w.Bandwidth = p.bandwidth(e.options, 0); w.Bandwidth == 0 {
		return w
	}
	w.d, w.weight = make([]float64, p.n), make([]float64, p.n)
	for k := range p.dim {
		w.x = append(w.x, p.x[k*p.stride:][:p.n]...)
	}
	for j := range w.weight {
		w.weight[j] = sign * (p.sum[0][j]/p.class[0].words - p.sum[1][j]/p.class[1].words)
	}
	return w
}

// At returns the function's value at a point of as many entries as a row has.
func (w *Witness) At(point []float64) float64 {
	if len(w.weight) == 0 {
		return 0
	}
	kernel.Distances(w.d, w.x, len(w.weight), point[:w.dim])
	return kernel.Gauss(w.d, w.d, w.weight, w.weight, 1, 0, 1/(2*w.Bandwidth))
}
