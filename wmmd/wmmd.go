// Package wmmd estimates the word-level maximum mean discrepancy of Gao and Dai ("Word-level
// Maximum Mean Discrepancy Regularization for Word Embedding"): the distance between the
// distributions of embedded words of several classes of texts.
//
// For two classes with n⁻ and n⁺ texts of d words, the rows M_w of an embedding and the Gaussian
// kernel K(x, y) = exp(-‖x - y‖²/(2σ²)),
//
//	wMMD² = 1/(d² n⁻(n⁻-1)) Σ_{i≠i' in -} Σ_{j,j'} K(M_xij, M_xi'j')
//	      - 2/(d² n⁻n⁺) Σ_{i in -, i' in +} Σ_{j,j'} K(M_xij, M_xi'j')
//	      + 1/(d² n⁺(n⁺-1)) Σ_{i≠i' in +} Σ_{j,j'} K(M_xij, M_xi'j')
//
// is an unbiased estimate of the squared distance of the mean embeddings, given σ². For more
// classes the pairs of classes are summed. If texts differ in length, each mean is over the
// existing pairs of words.
//
// # Computation
//
// With the counts c_i of a text's words and s = Σ_i c_i over a class, the pairs of words of
// different texts of a class have the weights P = s sᵀ - Σ_i c_i c_iᵀ, and those of two classes s⁻
// s⁺ᵀ. All three sums are therefore one sum over the pairs of distinct words, with weights of rank
// 2, minus one sum per text over the pairs of its own distinct words.
//
// # Bandwidth
//
// σ² is the median of the squared distances with the weights of all pairs of words of two classes,
// P⁻ + P⁺ + s⁻ s⁺ᵀ + s⁺ s⁻ᵀ. The gradient does not go through σ². Special cases:
//
//   - If more than half of the weight is at distance 0, as with padding, σ² is the median of the
//     nonzero distances.
//   - If all distances are 0, the value and the gradient are 0.
//   - A pair with a class without two texts with words counts as 0, as does a sample with one
//     class.
//
// # Same bits
//
// The sample alone determines the parts into which sums are cut, and the parts are added in order.
// Other instruction sets round differently.
package wmmd

import "fmt"

// Float is the number type of embeddings. Sums are in float64 for both.
type Float interface{ float32 | float64 }

// Embedding has a row of Dim numbers for each word.
type Embedding[T Float] struct {
	Data []T // row-major
	Dim  int
}

func (e Embedding[T]) Row(word int32) []T {
	return e.Data[int(word)*e.Dim:][:e.Dim:e.Dim]
}

// Sample is labelled texts: the words of each, as rows of an embedding, and its class, from 0.
type Sample struct {
	Texts  [][]int32
	Labels []int
}

// Options of an [Estimator].
type Options struct {
	// Without are words to leave out.
	Without []int32
	// Bigrams uses pairs of neighbouring words as words, with concatenated rows, except pairs with
	// a word of Without.
	Bigrams bool
}

// Estimator computes wMMD² and reuses its memory. It is not safe for concurrent use.
type Estimator[T Float] struct {
	bigrams bool
	without map[int32]bool
	counts  counts
	pair    pair
	point   []float64
	slope   []float64
}

// New returns an estimator.
func New[T Float](options Options) *Estimator[T] {
	e := &Estimator[T]{bigrams: options.Bigrams, without: map[int32]bool{}}
	for _, w := range options.Without {
		e.without[w] = true
	}
	return e
}

// Value returns wMMD² of a sample. It panics for words without a row and wrong labels.
func (e *Estimator[T]) Value(m Embedding[T], s Sample) float64 {
	return e.estimate(m, s, false)
}

// AddGradient adds scale times the gradient of wMMD² in m to the matrix to and returns wMMD².
func (e *Estimator[T]) AddGradient(to []T, scale float64, m Embedding[T], s Sample) float64 {
	if len(to) != len(m.Data) {
		panic("wmmd: the gradient has another size than the embedding")
	}
	value := e.estimate(m, s, true)
	dim := m.Dim
	for i, words := range e.counts.rows {
		slope := e.slope[i*e.counts.dim:][:e.counts.dim]
		for part, word := range words[:e.counts.dim/dim] {
			row := to[int(word)*dim:][:dim]
			for k := range row {
				row[k] += T(scale * slope[part*dim+k])
			}
		}
	}
	return value
}

// Bandwidth returns σ² of the classes a < b of a sample; 0 means that the pair counts as 0.
func (e *Estimator[T]) Bandwidth(m Embedding[T], s Sample, a, b int) float64 {
	e.prepare(m, s)
	if !e.pair.between(&e.counts, e.point, a, b) {
		return 0
	}
	return e.pair.bandwidth()
}

func (e *Estimator[T]) prepare(m Embedding[T], s Sample) {
	if m.Dim < 1 || len(m.Data)%m.Dim != 0 {
		panic(fmt.Sprintf("wmmd: %d numbers are no rows of %d", len(m.Data), m.Dim))
	}
	c := &e.counts
	c.count(s, len(m.Data)/m.Dim, e.without, e.bigrams)
	parts := 1
	if e.bigrams {
		parts = 2
	}
	c.dim = parts * m.Dim
	e.point = resize(e.point, len(c.rows)*c.dim)
	for i, words := range c.rows {
		for part, word := range words[:parts] {
			to := e.point[i*c.dim+part*m.Dim:]
			for k, v := range m.Row(word) {
				to[k] = float64(v)
			}
		}
	}
}

func (e *Estimator[T]) estimate(m Embedding[T], s Sample, gradient bool) float64 {
	e.prepare(m, s)
	c := &e.counts
	e.slope = resize(e.slope, len(c.rows)*c.dim)
	clear(e.slope)
	total := 0.0
	for b := range c.classes {
		for a := range b {
			if !e.pair.between(c, e.point, a, b) {
				continue
			}
			sigma2 := e.pair.bandwidth()
			if sigma2 == 0 {
				continue
			}
			total += e.pair.evaluate(1/(2*sigma2), gradient)
			if gradient {
				e.pair.addSlope(e.slope)
			}
		}
	}
	return total
}

func resize[E any](x []E, n int) []E {
	if cap(x) < n {
		return make([]E, n, n+n/4)
	}
	return x[:n]
}
