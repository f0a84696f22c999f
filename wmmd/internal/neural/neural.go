// Package neural has the layers of small networks for texts, with forward and backward passes, and
// Adam. It runs on one core, so its numbers do not depend on the load. Training allocates nothing.
//
// Inputs and outputs are flat slices. A text is d words of e numbers, and n texts are n x d x e.
// Recurrent layers output d x n x width. Gradients are of the sum of the batch's losses, as
// weighted by [CrossEntropy].
package neural

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agepath/agepath/internal/kernel"
	"github.com/agepath/agepath/wmmd/internal/loops"
)

// Float is the number type of networks.
type Float = loops.Float

// Param is parameters with their accumulated gradient.
type Param[T Float] struct {
	Value, Slope []T
	// Rate multiplies Adam's rate; 0 is 1. A bias that replaces two has 2.
	Rate         T
	mean, square []T
}

func newParam[T Float](n int) *Param[T] {
	return &Param[T]{Value: make([]T, n), Slope: make([]T, n)}
}

func (p *Param[T]) uniform(r *rand.Rand, bound float64) {
	for i := range p.Value {
		p.Value[i] = T((2*r.Float64() - 1) * bound)
	}
}

func (p *Param[T]) part(i, j int, rate T) *Param[T] {
	return &Param[T]{Value: p.Value[i:j:j], Slope: p.Slope[i:j:j], Rate: rate}
}

// Layer is a step of a network. It owns its results.
type Layer[T Float] interface {
	Forward(x []T, n int) []T
	// Backward takes the gradient in the last output, accumulates the parameters' gradients and
	// returns the gradient in the input. It may change slope.
	Backward(slope []T) []T
	Params() []*Param[T]
}

// Chain is a sequence of layers.
type Chain[T Float] []Layer[T]

func (c Chain[T]) Forward(x []T, n int) []T {
	for _, l := range c {
		x = l.Forward(x, n)
	}
	return x
}

func (c Chain[T]) Backward(slope []T) []T {
	for _, l := range slices.Backward(c) {
		slope = l.Backward(slope)
	}
	return slope
}

func (c Chain[T]) Params() []*Param[T] {
	var list []*Param[T]
	for _, l := range c {
		list = append(list, l.Params()...)
	}
	return list
}

// Concat concatenates, for each text, the outputs of layers with one input.
type Concat[T Float] struct {
	layers []Layer[T]
	widths []int
	n      int
	out    []T
	part   []T
	slope  []T
}

// NewConcat joins layers of the given widths.
func NewConcat[T Float](layers []Layer[T], widths []int) *Concat[T] {
	return &Concat[T]{layers: layers, widths: widths}
}

func (c *Concat[T]) Forward(x []T, n int) []T {
	c.n = n
	total := 0
	for _, w := range c.widths {
		total += w
	}
	c.out = resize(c.out, n*total)
	start := 0
	for k, l := range c.layers {
		y, w := l.Forward(x, n), c.widths[k]
		for i := range n {
			copy(c.out[i*total+start:][:w], y[i*w:][:w])
		}
		start += w
	}
	return c.out
}

func (c *Concat[T]) Backward(slope []T) []T {
	total, start := len(c.out)/max(c.n, 1), 0
	for k, l := range c.layers {
		w := c.widths[k]
		c.part = resize(c.part, c.n*w)
		for i := range c.n {
			copy(c.part[i*w:][:w], slope[i*total+start:][:w])
		}
		start += w
		dx := l.Backward(c.part)
		if k == 0 {
			c.slope = append(c.slope[:0], dx...)
			continue
		}
		for i, v := range dx {
			c.slope[i] += v
		}
	}
	return c.slope
}

func (c *Concat[T]) Params() []*Param[T] { return Chain[T](c.layers).Params() }

// Adam is the optimizer of Kingma and Ba with β = 0.9 and 0.999, ε = 1e-8.
type Adam[T Float] struct {
	params []*Param[T]
	step   int
}

// NewAdam returns an optimizer of parameters.
func NewAdam[T Float](params []*Param[T]) *Adam[T] {
	for _, p := range params {
		p.mean, p.square = make([]T, len(p.Value)), make([]T, len(p.Value))
	}
	return &Adam[T]{params: params}
}

// Step moves the parameters and clears their gradients.
func (a *Adam[T]) Step(rate float64) {
	const first, second, epsilon = 0.9, 0.999, 1e-8
	a.step++
	bias1, bias2 := 1-math.Pow(first, float64(a.step)), 1-math.Pow(second, float64(a.step))
	by := loops.AdamStep[T]{first, 1 - first, second, 1 - second, T(1 / math.Sqrt(bias2)), epsilon}
	for _, p := range a.params {
		by[6] = T(rate / bias1)
		if p.Rate != 0 {
			by[6] *= p.Rate
		}
		loops.Adam(p.Value, p.Slope, p.mean, p.square, &by)
		clear(p.Slope)
	}
}

// CrossEntropy returns the mean of -ln of the softmax of the labels, and overwrites scores, n x
// classes, with its gradient.
func CrossEntropy[T Float](scores []T, labels []int) float64 {
	n := len(labels)
	classes := len(scores) / max(n, 1)
	total := 0.0
	for i, label := range labels {
		row := scores[i*classes:][:classes]
		largest := float64(row[Best(row)])
		sum := 0.0
		for _, v := range row {
			sum += kernel.Exp(float64(v) - largest)
		}
		total += math.Log(sum) + largest - float64(row[label])
		for k, v := range row {
			share := kernel.Exp(float64(v)-largest) / sum
			if k == label {
				share--
			}
			row[k] = T(share / float64(n))
		}
	}
	return total / float64(n)
}

// Best returns the index of the first largest score.
func Best[T Float](scores []T) int {
	best := 0
	for k, v := range scores {
		if v > scores[best] {
			best = k
		}
	}
	return best
}

// resize returns n undefined entries, in x if there is room.
func resize[E any](x []E, n int) []E {
	if cap(x) < n {
		return make([]E, n)
	}
	return x[:n]
}

func transpose[T Float](to, from []T, rows, cols int) {
	for i := range rows {
		for j, v := range from[i*cols:][:cols] {
			to[j*rows+i] = v
		}
	}
}

// addProduct adds AᵀB to C (a x b), in batches of rows that fit a cache.
func addProduct[T Float](c, left []T, a, stride int, right []T, b, rows int) {
	const atOnce = 256
	for i := 0; i < rows; i += atOnce {
		loops.MulAdd(c, b, left[i*stride:], 1, stride, right[i*b:], b, a, b, min(atOnce, rows-i))
	}
}
