package rehline

import (
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
)

// arena is what a solver's vectors are cut from. Solve uses one again that an earlier call
// has done with, so that a solve neither asks for memory nor leaves garbage behind but for
// its solution.
type arena struct {
	numbers stock[float64]
	indices stock[int32]
}

// arenas are those that no solve uses.
var arenas = sync.Pool{New: func() any { return &arena{stock[float64]{ahead: 2}, stock[int32]{ahead: 2}} }}

// vector returns n zeros.
func (a *arena) vector(n int) []float64 {
	v := a.numbers.cut(n)
	clear(v)
	return v
}

// scratch returns n numbers, which may be anything.
func (a *arena) scratch(n int) []float64 { return a.numbers.cut(n) }

// matrix returns one whose entries may be anything.
func (a *arena) matrix(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: a.scratch(rows * cols)}
}

// list returns n indices, which may be anything.
func (a *arena) list(n int) []int32 { return a.indices.cut(n) }

// reset makes all that was cut available again.
func (a *arena) reset() {
	a.numbers.free, a.indices.free = a.numbers.whole, a.indices.whole
}

// stock is memory with a part that is free.
type stock[T any] struct {
	whole, free []T
	ahead       int // where memory is used again: times as much as before that is asked for
}

// cut cuts n entries off, of others where fewer are free. Those that are used again are soon
// enough for all.
func (s *stock[T]) cut(n int) []T {
	const line = 8 // vectors begin where the processor's vectors do
	padded := (n + line - 1) / line * line
	if len(s.free) < padded {
		s.whole = make([]T, max(padded, s.ahead*len(s.whole)))
		s.free = s.whole
	}
	v := s.free[:n:n]
	s.free = s.free[padded:]
	return v
}
