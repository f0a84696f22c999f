package factor

import (
	"errors"
	"fmt"

	"github.com/agepath/agepath/internal/dense"
	"github.com/agepath/agepath/internal/kernel"
)

// DefaultTolerance is above the rounding of a sum of a thousand terms.
const DefaultTolerance = 1e-12

// ErrPositive reports that the positive part is or would not be positive definite.
var ErrPositive = errors.New("positive part: the block is not positive definite")

// ErrNegative reports that the Schur complement is or would not be negative definite.
var ErrNegative = errors.New("negative part: the Schur complement of the positive part is not negative definite")

// ErrLost reports that a change failed halfway by rounding: the factor is empty and needs Compute.
var ErrLost = errors.New("factor lost to rounding")

// Signed is the factor L of M = L J Lᵀ. Rows 0..Positive()-1 are the positive part, the others up
// to Len()-1 the negative part, in order: insertions and deletions shift the indices of later rows.
// Errors are returned unwrapped for comparison. Arguments of wrong length or out of range panic.
// Not safe for concurrent use, not even for solving.
type Signed struct {
	// Tolerance is the relative size at or below which a pivot or a ratio of determinants is zero.
	Tolerance float64

	layout
	changes int

	x, w []float64 // over slots
	turn dense.Rotations
	room int // largest n that fits the memory

	columns dense.Columns
	schur   schur
	next    pending
}

type pending struct {
	kind  kind
	pivot float64
	row   []float64 // over slots: L's new row, and for a positive row M's column below
	rest  []float64 // the Schur complement's new row
}

type kind int

const (
	none kind = iota
	positive
	negative
)

// New returns an empty factor with DefaultTolerance and room for capacity rows.
func New(capacity int) *Signed {
	if capacity < 0 {
		panic(fmt.Sprintf("factor: capacity %d, want at least 0", capacity))
	}
	s := &Signed{Tolerance: DefaultTolerance}
	s.Grow(capacity)
	return s
}

// Grow makes room for capacity rows. It discards a prepared row.
func (s *Signed) Grow(capacity int) {
	if capacity <= s.n {
		return
	}
	capacity = kernel.Pad(capacity)
	data, by := make([]float64, capacity*capacity), capacity-s.n
	for i := range s.p {
		copy(data[i*capacity:], s.data[i*s.n:i*s.n+i+1])
	}
	for i := s.n - s.q; i < s.n; i++ {
		row := data[(i+by)*capacity : (i+by+1)*capacity]
		copy(row, s.data[i*s.n:i*s.n+s.p])
		copy(row[i+by:], s.data[i*s.n+i:(i+1)*s.n])
	}
	s.n, s.room, s.data, s.schur.known = capacity, capacity, data, false
	s.x, s.w, s.products = make([]float64, capacity), make([]float64, capacity), make([]float64, capacity)
	s.turn = dense.NewRotations(capacity)
	s.next = pending{row: make([]float64, capacity), rest: make([]float64, capacity)}
}

// resize requires an empty factor and n a multiple of kernel.Width.
func (s *Signed) resize(n int) {
	s.n, s.data = n, s.data[:n*n]
	s.x, s.w, s.products = s.x[:n], s.w[:n], s.products[:n]
	s.next = pending{row: s.next.row[:n], rest: s.next.rest[:n]}
}

// Reset empties the factor and keeps its memory.
func (s *Signed) Reset() {
	s.p, s.q, s.changes, s.next.kind, s.schur.known = 0, 0, 0, none, false
}

func (s *Signed) Len() int { return s.p + s.q }

func (s *Signed) Positive() int { return s.p }

func (s *Signed) Negative() int { return s.q }

// Changes counts insertions, deletions and updates since Compute or Reset.
func (s *Signed) Changes() int { return s.changes }

func (s *Signed) check(name string, length, want int) {
	if length != want {
		panic(fmt.Sprintf("factor: %s has %d entries, want %d", name, length, want))
	}
}
