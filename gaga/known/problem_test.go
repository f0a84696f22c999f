package known

import (
	"slices"
	"sort"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
)

// Problem is a problem with its age path.
type Problem struct {
	Name  string        // model, regularizer and what happens, such as "lasso linear: fold"
	Model *gaga.Problem // what to track
	// Age is the range to track. Its lower end may discard every sample that the
	// fit with all weights 1 keeps; Start is where the path begins.
	Age gaga.Range
	// Start is the first age of the path: Age.Min, or the age from which the fit
	// with all weights 1 keeps a sample, just above which a path begins.
	Start    float64
	Branches []Branch // in order of age, the first from Start
	Events   []Event  // in order of age; those of one age in order of their index
}

// Branch is a part of a path on which zones and active coordinates stay.
type Branch struct {
	From float64 // its first age; it ends where the next branch begins
	// Zones has a letter for each sample: E, M and D for the regularizer's easy,
	// middle and discarded zones. For the hinge loss with its gap g = 1 - y u
	// they mean g > 0; N means g < 0 and Z that g is pinned at 0.
	Zones string
	// Theta returns the coefficients in the form of [gaga.Path.At].
	Theta func(age float64) []float64
}

// Event is a critical point of a path.
type Event struct {
	Age  float64
	Kind gaga.Kind // Turning or Jump
	// Cause is SampleUp or SampleDown where a sample's zone changes, with the
	// order N, Z, E, M, D; a pinned sample's multiplier that reaches 0 takes it
	// down, one that reaches its bound up.
	Cause gaga.Cause
	Index int // sample or coordinate, -1 for a fold
}

// At returns the coefficients at an age from Start to Age.Max. At a jump they
// are those of the landing point.
func (p *Problem) At(age float64) []float64 { return p.branch(age).Theta(age) }

// Zones returns the zones at an age, as in [Branch]; at an event those behind.
func (p *Problem) Zones(age float64) string { return p.branch(age).Zones }

func (p *Problem) branch(age float64) *Branch {
	k := sort.Search(len(p.Branches), func(k int) bool { return p.Branches[k].From > age })
	return &p.Branches[max(0, k-1)]
}

// Problems returns all problems. They are made anew by each call, so that a
// caller may change them.
func Problems() []Problem {
	return slices.Concat(lasso(), lassoPairs(), ridge(), logistic(), logisticPairs(), machines(), lines(), biased(), planes())
}

// column returns a matrix of one feature.
func column(x ...float64) blas64.General {
	return blas64.General{Rows: len(x), Cols: 1, Stride: 1, Data: x}
}

// constant returns a branch's Theta that does not depend on the age.
func constant(theta ...float64) func(float64) []float64 {
	return func(float64) []float64 { return slices.Clone(theta) }
}

// slope returns the Theta of one feature's coefficient w(λ) without intercept.
func slope(w func(age float64) float64) func(float64) []float64 {
	return func(age float64) []float64 { return []float64{w(age), 0} }
}

// down and up are events of a sample that turn; jump is any that jumps.
func down(age float64, index int) Event {
	return Event{age, gaga.Turning, gaga.SampleDown, index}
}

func up(age float64, index int) Event {
	return Event{age, gaga.Turning, gaga.SampleUp, index}
}

func jump(age float64, cause gaga.Cause, index int) Event {
	return Event{age, gaga.Jump, cause, index}
}
