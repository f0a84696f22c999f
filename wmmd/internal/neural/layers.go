package neural

import (
	"math"
	"math/rand/v2"

	"github.com/agepath/agepath/wmmd/internal/loops"
)

// Linear is x W + b.
type Linear[T Float] struct {
	in, out  int
	w, b     *Param[T]
	x, y, dx []T
	turned   []T
}

// NewLinear draws the parameters between ±1/√in, as PyTorch does.
func NewLinear[T Float](in, out int, r *rand.Rand) *Linear[T] {
	l := &Linear[T]{in: in, out: out, w: newParam[T](in * out), b: newParam[T](out), turned: make([]T, in*out)}
	bound := 1 / math.Sqrt(float64(in))
	l.w.uniform(r, bound)
	l.b.uniform(r, bound)
	return l
}

func (l *Linear[T]) Forward(x []T, n int) []T {
	l.x, l.y = x, resize(l.y, n*l.out)
	for i := range n {
		copy(l.y[i*l.out:], l.b.Value)
	}
	loops.MulAdd(l.y, l.out, x, l.in, 1, l.w.Value, l.out, n, l.out, l.in)
	return l.y
}

func (l *Linear[T]) Backward(slope []T) []T {
	n := len(slope) / l.out
	addProduct(l.w.Slope, l.x, l.in, l.in, slope, l.out, n)
	for i := range n {
		for k, v := range slope[i*l.out:][:l.out] {
			l.b.Slope[k] += v
		}
	}
	transpose(l.turned, l.w.Value, l.in, l.out)
	l.dx = resize(l.dx, n*l.in)
	clear(l.dx)
	loops.MulAdd(l.dx, l.in, slope, l.out, 1, l.turned, l.in, n, l.in, l.out)
	return l.dx
}

func (l *Linear[T]) Params() []*Param[T] { return []*Param[T]{l.w, l.b} }

// ReLU is max(x, 0).
type ReLU[T Float] struct{ y []T }

func (l *ReLU[T]) Forward(x []T, _ int) []T {
	l.y = resize(l.y, len(x))
	for i, v := range x {
		l.y[i] = max(v, 0)
	}
	return l.y
}

func (l *ReLU[T]) Backward(slope []T) []T {
	for i, v := range l.y {
		if v <= 0 {
			slope[i] = 0
		}
	}
	return slope
}

func (l *ReLU[T]) Params() []*Param[T] { return nil }

// Dropout sets entries to 0 while Training, and divides the others by the probability of keeping
// them.
type Dropout[T Float] struct {
	Training bool
	share    float64
	random   *rand.Rand
	factor   []T
	y        []T
}

// NewDropout drops a share of the entries, 0 <= share < 1.
func NewDropout[T Float](share float64, r *rand.Rand) *Dropout[T] {
	return &Dropout[T]{share: share, random: r}
}

func (l *Dropout[T]) Forward(x []T, _ int) []T {
	l.factor, l.y = resize(l.factor, len(x)), resize(l.y, len(x))
	keep := T(1 / (1 - l.share))
	for i, v := range x {
		switch {
		case !l.Training:
			l.factor[i] = 1
		case l.random.Float64() < l.share:
			l.factor[i] = 0
		default:
			l.factor[i] = keep
		}
		l.y[i] = l.factor[i] * v
	}
	return l.y
}

func (l *Dropout[T]) Backward(slope []T) []T {
	for i, v := range l.factor {
		slope[i] *= v
	}
	return slope
}

func (l *Dropout[T]) Params() []*Param[T] { return nil }

// Embedding maps words to rows of a matrix. Look scales rows of a norm above 1 to norm 1, in the
// matrix itself while Training; no gradient goes through the scaling.
type Embedding[T Float] struct {
	*Param[T] // words x Dim
	Dim       int
	Training  bool
	words     []int32
	seen      []int32 // last pass that scaled a word
	pass      int32
	y         []T
}

// NewEmbedding draws from the standard normal distribution.
func NewEmbedding[T Float](words, dim int, r *rand.Rand) *Embedding[T] {
	e := &Embedding[T]{Param: newParam[T](words * dim), Dim: dim, seen: make([]int32, words)}
	for i := range e.Value {
		e.Value[i] = T(r.NormFloat64())
	}
	return e
}

func (e *Embedding[T]) Row(word int32) []T { return e.Value[int(word)*e.Dim:][:e.Dim] }

// Look returns the rows of words.
func (e *Embedding[T]) Look(words []int32) []T {
	e.words, e.y = words, resize(e.y, len(words)*e.Dim)
	e.pass++
	for i, word := range words {
		row, to := e.Row(word), e.y[i*e.Dim:][:e.Dim]
		if e.Training && e.seen[word] != e.pass {
			e.seen[word] = e.pass
			shorten(row)
		}
		copy(to, row)
		if !e.Training {
			shorten(to)
		}
	}
	return e.y
}

func shorten[T Float](row []T) {
	square := 0.0
	for _, v := range row {
		square += float64(v) * float64(v)
	}
	norm := math.Sqrt(square)
	if norm <= 1 {
		return
	}
	by := T(1 / (norm + 1e-7))
	for k := range row {
		row[k] *= by
	}
}

func (e *Embedding[T]) Backward(slope []T) {
	for i, word := range e.words {
		to := e.Slope[int(word)*e.Dim:][:e.Dim]
		for k, v := range slope[i*e.Dim:][:e.Dim] {
			to[k] += v
		}
	}
}

// MaxPositions is the maximum over positions; the first of equal values gets the gradient.
type MaxPositions[T Float] struct {
	positions, width int
	at               []int32
	y, dx            []T
}

// NewMaxPositions is for sequences of the given positions.
func NewMaxPositions[T Float](positions, width int) *MaxPositions[T] {
	return &MaxPositions[T]{positions: positions, width: width}
}

func (l *MaxPositions[T]) Forward(x []T, n int) []T {
	size := n * l.width
	l.y, l.at = append(l.y[:0], x[:size]...), resize(l.at, size)
	clear(l.at)
	for p := 1; p < l.positions; p++ {
		raise(l.y, l.at, x[p*size:][:size], int32(p))
	}
	return l.y
}

func raise[T Float](best []T, at []int32, row []T, place int32) {
	best, at = best[:len(row)], at[:len(row)]
	for k, v := range row {
		if v > best[k] {
			best[k], at[k] = v, place
		}
	}
}

func (l *MaxPositions[T]) Backward(slope []T) []T {
	l.dx = resize(l.dx, l.positions*len(slope))
	clear(l.dx)
	for k, v := range slope {
		l.dx[int(l.at[k])*len(slope)+k] = v
	}
	return l.dx
}

func (l *MaxPositions[T]) Params() []*Param[T] { return nil }

// Convolution has channels of weighted sums over windows of words, each of which outputs its
// maximum over positions, in texts padded with zeros.
type Convolution[T Float] struct {
	positions, dim, width, channels, padding int

	w      *Param[T] // channels x (width x dim)
	b      *Param[T]
	turned []T
	n      int
	padded []T // n x (positions + 2 padding) x dim
	sums   []T
	at     []int32
	y, dx  []T
}

// NewConvolution draws the parameters between ±1/√(width dim), as PyTorch does. The padding is half
// the width, rounded down.
func NewConvolution[T Float](positions, dim, width, channels int, r *rand.Rand) *Convolution[T] {
	l := &Convolution[T]{positions: positions, dim: dim, width: width, channels: channels, padding: width / 2}
	size := width * dim
	l.w, l.b, l.turned = newParam[T](channels*size), newParam[T](channels), make([]T, size*channels)
	l.w.uniform(r, 1/math.Sqrt(float64(size)))
	l.b.uniform(r, 1/math.Sqrt(float64(size)))
	return l
}

func (l *Convolution[T]) windows() int { return l.positions + 2*l.padding - l.width + 1 }

func (l *Convolution[T]) Forward(x []T, n int) []T {
	size, windows := l.width*l.dim, l.windows()
	text, long := l.positions*l.dim, (l.positions+2*l.padding)*l.dim
	l.n = n
	l.padded, l.sums = resize(l.padded, n*long), resize(l.sums, windows*l.channels)
	l.y, l.at = resize(l.y, n*l.channels), resize(l.at, n*l.channels)
	clear(l.padded)
	clear(l.at)
	transpose(l.turned, l.w.Value, l.channels, size)
	for i := range n {
		from := l.padded[i*long:][:long]
		copy(from[l.padding*l.dim:], x[i*text:][:text])
		clear(l.sums)
		loops.MulAdd(l.sums, l.channels, from, l.dim, 1, l.turned, l.channels, windows, l.channels, size)
		best, at := l.y[i*l.channels:][:l.channels], l.at[i*l.channels:][:l.channels]
		copy(best, l.sums)
		for p := 1; p < windows; p++ {
			raise(best, at, l.sums[p*l.channels:][:l.channels], int32(p))
		}
		for k, v := range l.b.Value {
			best[k] += v
		}
	}
	return l.y
}

// Backward has gradients only in the windows of the maxima.
func (l *Convolution[T]) Backward(slope []T) []T {
	size, text := l.width*l.dim, l.positions*l.dim
	long := text + 2*l.padding*l.dim
	l.dx = resize(l.dx, l.n*text)
	all := resize(l.sums, long)
	for i := range l.n {
		clear(all)
		from := l.padded[i*long:][:long]
		for k, v := range slope[i*l.channels:][:l.channels] {
			if v == 0 {
				continue
			}
			l.b.Slope[k] += v
			start := int(l.at[i*l.channels+k]) * l.dim
			window, to := from[start:][:size], all[start:][:size]
			weights, slopes := l.w.Value[k*size:][:size], l.w.Slope[k*size:][:size]
			for j, entry := range window {
				slopes[j] += v * entry
				to[j] += v * weights[j]
			}
		}
		copy(l.dx[i*text:][:text], all[l.padding*l.dim:])
	}
	l.sums = all
	return l.dx
}

func (l *Convolution[T]) Params() []*Param[T] { return []*Param[T]{l.w, l.b} }
