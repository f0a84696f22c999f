package rehline

import (
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
)

// arena is the memory of a solver's vectors, reused by later calls of Solve.
type arena struct {
	numbers stock[float64]
	indices stock[int32]
}

var arenas = sync.Pool{New: func() any { return &arena{stock[float64]{ahead: 2}, stock[int32]{ahead: 2}} }}

func (a *arena) vector(n int) []float64 {
	v := a.numbers.cut(n)
	clear(v)
	return v
}

// scratch returns undefined numbers, as do matrix and list.
func (a *arena) scratch(n int) []float64 { return a.numbers.cut(n) }

func (a *arena) matrix(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: a.scratch(rows * cols)}
}

func (a *arena) list(n int) []int32 { return a.indices.cut(n) }

func (a *arena) reset() {
	a.numbers.free, a.indices.free = a.numbers.whole, a.indices.whole
}

type stock[T any] struct {
	whole, free []T
	ahead       int // for reused memory: growth factor of a new allocation
}

func (s *stock[T]) cut(n int) []T {
	const line = 8 // vectors are aligned with cache lines
	padded := (n + line - 1) / line * line
	if len(s.free) < padded {
		s.whole = make([]T, max(padded, s.ahead*len(s.whole)))
		s.free = s.whole
	}
	v := s.free[:n:n]
	s.free = s.free[padded:]
	return v
}
