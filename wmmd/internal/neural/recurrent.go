package neural

import (
	"math"
	"math/rand/v2"

	"github.com/agepath/agepath/wmmd/internal/loops"
)

// steps has, for each step and text, a row [x, 1, h] of the word, a 1 for the biases, and the state
// before the step.
type steps[T Float] struct {
	positions, dim, width int
	reverse               bool
	n                     int
	in                    []T // (positions + 1) x n x row
	out                   []T // positions x n x width
	dx                    []T // n x positions x dim
	slope                 []T // n x row, of in
	carry                 []T // n x width, of the state
}

func (s *steps[T]) row() int { return s.dim + 1 + s.width }

func (s *steps[T]) position(step int) int {
	if s.reverse {
		return s.positions - 1 - step
	}
	return step
}

func (s *steps[T]) begin(x []T, n int) {
	s.n = n
	row, size := s.row(), s.positions*s.dim
	s.in = resize(s.in, (s.positions+1)*n*row)
	s.out = resize(s.out, s.positions*n*s.width)
	for step := range s.positions {
		from := s.position(step) * s.dim
		for i := range n {
			to := s.in[(step*n+i)*row:][:row]
			copy(to[:s.dim], x[i*size+from:])
			to[s.dim] = 1
			if step == 0 {
				clear(to[s.dim+1:])
			}
		}
	}
}

func (s *steps[T]) inputs(step int) []T {
	size := s.n * s.row()
	return s.in[step*size:][:size]
}

func (s *steps[T]) state(step, i int) []T {
	return s.in[(step*s.n+i)*s.row()+s.dim+1:][:s.width]
}

func (s *steps[T]) emit(step, i int) {
	copy(s.out[(s.position(step)*s.n+i)*s.width:][:s.width], s.state(step+1, i))
}

func (s *steps[T]) beginBackward() {
	s.dx = resize(s.dx, s.n*s.positions*s.dim)
	s.slope = resize(s.slope, s.n*s.row())
	s.carry = resize(s.carry, s.n*s.width)
	clear(s.carry)
}

// gather adds the gradient in a step's output to that in its state, which it returns.
func (s *steps[T]) gather(slope []T, step int) []T {
	size := s.n * s.width
	from := slope[s.position(step)*size:][:size]
	for k, v := range from {
		s.carry[k] += v
	}
	return s.carry
}

// steepest bounds the gradient in states: over hundreds of steps it, or the squares that Adam sums,
// can exceed float32, and parameters freeze or become NaN.
const steepest = 1e12

// release splits the gradient in a step's rows: the words' part to dx, the state's to carry.
func (s *steps[T]) release(step int) {
	row, from := s.row(), s.position(step)*s.dim
	for i := range s.n {
		slope := s.slope[i*row:][:row]
		copy(s.dx[i*s.positions*s.dim+from:][:s.dim], slope)
		carry := s.carry[i*s.width:][:s.width]
		for k, v := range slope[s.dim+1:] {
			carry[k] = max(-steepest, min(carry[k]+v, steepest))
		}
	}
}

type weights[T Float] struct {
	*Param[T]
	rows, cols int
	turned     []T
}

func newWeights[T Float](rows, cols int, r *rand.Rand, bound float64) *weights[T] {
	w := &weights[T]{newParam[T](rows * cols), rows, cols, make([]T, rows*cols)}
	w.uniform(r, bound)
	return w
}

// merge redraws a row of biases as the sum of two, and returns the parameters with that row
// separate, at twice the rate.
func (w *weights[T]) merge(row int, r *rand.Rand, bound float64) []*Param[T] {
	i, j := row*w.cols, (row+1)*w.cols
	for k := i; k < j; k++ {
		w.Value[k] += T((2*r.Float64() - 1) * bound)
	}
	return []*Param[T]{w.part(0, i, 1), w.part(i, j, 2), w.part(j, len(w.Value), 1)}
}

// LSTM is a long short-term memory over positions, forward or in reverse. PyTorch's two biases are
// merged into one, with twice the rate.
type LSTM[T Float] struct {
	steps[T]
	w      *weights[T] // row x 4 width: input, forget and output gate, candidate
	params []*Param[T]
	gates  []T // positions x n x 4 width, or gradient
	cells  []T // (positions + 1) x n x width
	bent   []T // positions x n x width: tanh of cells
	dcells []T
}

// NewLSTM draws the parameters between ±1/√width, as PyTorch does.
func NewLSTM[T Float](positions, dim, width int, reverse bool, r *rand.Rand) *LSTM[T] {
	l := &LSTM[T]{steps: steps[T]{positions: positions, dim: dim, width: width, reverse: reverse}}
	bound := 1 / math.Sqrt(float64(width))
	l.w = newWeights[T](l.row(), 4*width, r, bound)
	l.params = l.w.merge(dim, r, bound)
	return l
}

func (l *LSTM[T]) Params() []*Param[T] { return l.params }

func (l *LSTM[T]) Forward(x []T, n int) []T {
	l.begin(x, n)
	h, size := l.width, n*l.width
	l.gates = resize(l.gates, 4*l.positions*size)
	l.cells = resize(l.cells, (l.positions+1)*size)
	l.bent = resize(l.bent, l.positions*size)
	clear(l.cells[:size])
	clear(l.gates)
	for step := range l.positions {
		gates := l.gates[4*step*size:][:4*size]
		loops.MulAdd(gates, 4*h, l.inputs(step), l.row(), 1, l.w.Value, 4*h, n, 4*h, l.row())
		old, cells := l.cells[step*size:][:size], l.cells[(step+1)*size:][:size]
		for i := range n {
			g := gates[4*i*h:][:4*h]
			loops.Sigmoid(g[:3*h], g[:3*h])
			loops.Tanh(g[3*h:], g[3*h:])
			input, forget, candidate := g[:h], g[h:][:h], g[3*h:][:h]
			before, c := old[i*h:][:h], cells[i*h:][:h]
			for k := range c {
				c[k] = forget[k]*before[k] + input[k]*candidate[k]
			}
		}
		bent := l.bent[step*size:][:size]
		loops.Tanh(bent, cells)
		for i := range n {
			output, b, state := gates[(4*i+2)*h:][:h], bent[i*h:][:h], l.state(step+1, i)
			for k := range state {
				state[k] = output[k] * b[k]
			}
			l.emit(step, i)
		}
	}
	return l.out
}

func (l *LSTM[T]) Backward(slope []T) []T {
	l.beginBackward()
	n, h, size := l.n, l.width, l.n*l.width
	transpose(l.w.turned, l.w.Value, l.w.rows, l.w.cols)
	l.dcells = resize(l.dcells, size)
	clear(l.dcells)
	for step := l.positions - 1; step >= 0; step-- {
		carry := l.gather(slope, step)
		gates := l.gates[4*step*size:][:4*size]
		for i := range n {
			l.gateSlopes(gates[4*i*h:][:4*h], carry[i*h:][:h], step*size+i*h, i*h)
		}
		clear(l.slope)
		loops.MulAdd(l.slope, l.row(), gates, 4*h, 1, l.w.turned, l.row(), n, l.row(), 4*h)
		clear(l.carry)
		l.release(step)
	}
	addProduct(l.w.Slope, l.in, l.row(), l.row(), l.gates, 4*h, l.positions*n)
	return l.dx
}

// gateSlopes replaces a text's gates by their gradient before activation. The cell before the step
// is at from, its gradient at to.
func (l *LSTM[T]) gateSlopes(gates, carry []T, from, to int) {
	h := l.width
	input, forget, output, candidate := gates[:h], gates[h:][:h], gates[2*h:][:h], gates[3*h:][:h]
	before, bent, dcell := l.cells[from:][:h], l.bent[from:][:h], l.dcells[to:][:h]
	for k, dh := range carry[:h] {
		i, f, o, c, b := input[k], forget[k], output[k], candidate[k], bent[k]
		d := dcell[k] + dh*o*(1-b*b)
		dcell[k] = d * f
		input[k] = d * c * i * (1 - i)
		forget[k] = d * before[k] * f * (1 - f)
		output[k] = dh * b * o * (1 - o)
		candidate[k] = d * i * (1 - c*c)
	}
}

// GRU is gated recurrent units over positions. The two biases of PyTorch's gates are merged into
// one, with twice the rate; the candidate has two.
type GRU[T Float] struct {
	steps[T]
	gate   *weights[T] // row x 2 width: reset, update
	word   *weights[T] // (dim + 1) x width: candidate from word
	memory *weights[T] // (1 + width) x width: candidate from state
	params []*Param[T]
	gates  []T // positions x n x 2 width, or gradient
	inner  []T // positions x n x width: from state, or gradient
	news   []T // positions x n x width: candidates, or gradient
}

// NewGRU draws the parameters between ±1/√width, as PyTorch does.
func NewGRU[T Float](positions, dim, width int, r *rand.Rand) *GRU[T] {
	l := &GRU[T]{steps: steps[T]{positions: positions, dim: dim, width: width}}
	bound := 1 / math.Sqrt(float64(width))
	l.gate = newWeights[T](l.row(), 2*width, r, bound)
	l.word = newWeights[T](dim+1, width, r, bound)
	l.memory = newWeights[T](1+width, width, r, bound)
	l.params = append(l.gate.merge(dim, r, bound), l.word.Param, l.memory.Param)
	return l
}

func (l *GRU[T]) Params() []*Param[T] { return l.params }

func (l *GRU[T]) Forward(x []T, n int) []T {
	l.begin(x, n)
	h, row, size := l.width, l.row(), n*l.width
	l.gates = resize(l.gates, 2*l.positions*size)
	l.inner, l.news = resize(l.inner, l.positions*size), resize(l.news, l.positions*size)
	clear(l.gates)
	clear(l.inner)
	clear(l.news)
	for step := range l.positions {
		in := l.inputs(step)
		gates, inner, news := l.gates[2*step*size:][:2*size], l.inner[step*size:][:size], l.news[step*size:][:size]
		loops.MulAdd(gates, 2*h, in, row, 1, l.gate.Value, 2*h, n, 2*h, row)
		loops.MulAdd(inner, h, in[l.dim:], row, 1, l.memory.Value, h, n, h, 1+h)
		loops.MulAdd(news, h, in, row, 1, l.word.Value, h, n, h, l.dim+1)
		loops.Sigmoid(gates, gates)
		for i := range n {
			reset := gates[2*i*h:][:h]
			m, c := inner[i*h:][:h], news[i*h:][:h]
			for k, v := range reset {
				c[k] += v * m[k]
			}
		}
		loops.Tanh(news, news)
		for i := range n {
			update, c := gates[(2*i+1)*h:][:h], news[i*h:][:h]
			before, state := l.state(step, i), l.state(step+1, i)
			for k, z := range update {
				state[k] = (1-z)*c[k] + z*before[k]
			}
			l.emit(step, i)
		}
	}
	return l.out
}

func (l *GRU[T]) Backward(slope []T) []T {
	l.beginBackward()
	n, h, row, size := l.n, l.width, l.row(), l.n*l.width
	for _, w := range []*weights[T]{l.gate, l.word, l.memory} {
		transpose(w.turned, w.Value, w.rows, w.cols)
	}
	for step := l.positions - 1; step >= 0; step-- {
		carry := l.gather(slope, step)
		gates, inner, news := l.gates[2*step*size:][:2*size], l.inner[step*size:][:size], l.news[step*size:][:size]
		for i := range n {
			reset, update, m, c := gates[2*i*h:][:h], gates[(2*i+1)*h:][:h], inner[i*h:][:h], news[i*h:][:h]
			before := l.state(step, i)
			for k, dh := range carry[i*h:][:h] {
				r, z, v := reset[k], update[k], c[k]
				d := dh * (1 - z) * (1 - v*v)
				update[k] = dh * (before[k] - v) * z * (1 - z)
				reset[k] = d * m[k] * r * (1 - r)
				m[k] = d * r
				c[k] = d
				carry[i*h+k] = dh * z
			}
		}
		clear(l.slope)
		loops.MulAdd(l.slope, row, gates, 2*h, 1, l.gate.turned, row, n, row, 2*h)
		loops.MulAdd(l.slope[l.dim:], row, inner, h, 1, l.memory.turned, 1+h, n, 1+h, h)
		loops.MulAdd(l.slope, row, news, h, 1, l.word.turned, l.dim+1, n, l.dim+1, h)
		l.release(step)
	}
	rows := l.positions * n
	addProduct(l.gate.Slope, l.in, row, row, l.gates, 2*h, rows)
	addProduct(l.word.Slope, l.in, l.dim+1, row, l.news, h, rows)
	addProduct(l.memory.Slope, l.in[l.dim:], 1+h, row, l.inner, h, rows)
	return l.dx
}
