package dense

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// twin is a factor and its model, to which the same things happen.
type twin struct {
	t      testing.TB
	s      *Signed
	m      *model
	random *rand.Rand
	worst  float64 // largest error of L J Lᵀ so far
	made   [operations]int
	denied [operations]int
	ties   int
}

const (
	insertPositive = iota
	appendNegative
	deleteRow
	operations
)

// margin is the relative distance to singularity below which eigenvalues
// cannot tell either.
const margin = 1e-8

// column draws the new row of M: samples of the same kind as those there.
func (w *twin) column(at int, positive bool) []float64 {
	k := len(w.m.m)
	column := vectorOf(w.random, k+1)
	for i := range column {
		column[i] *= 0.5
	}
	if positive {
		column[at] = 2*w.random.Float64() + 0.3*float64(k)*w.random.Float64()
	} else {
		column[at] = 0.5 - 3*w.random.Float64() - 0.3*float64(k)*w.random.Float64()
	}
	return column
}

// step makes one random change, of the given operation, to both, and checks
// that it is refused exactly where eigenvalues say that it has to be.
func (w *twin) step(operation int) {
	w.t.Helper()
	k := len(w.m.m)
	before := w.s.rows()
	var next *model
	var err error
	switch operation {
	case insertPositive:
		column := w.column(w.m.p, true)
		next = w.m.inserted(w.m.p, column, true)
		tie, want := w.want(next)
		if tie {
			return
		}
		err = accepted(w.s.InsertPositive(column))
		// A pivot says nothing but right or wrong.
		if (err == nil) != (want == nil) {
			w.t.Fatalf("insertion into %d + %d: %v, want %v", w.m.p, k-w.m.p, err, want)
		}
	case appendNegative:
		column := w.column(k, false)
		next = w.m.inserted(k, column, false)
		tie, want := w.want(next)
		if tie {
			return
		}
		err = accepted(w.s.AppendNegative(column))
		if (err == nil) != (want == nil) {
			w.t.Fatalf("append to %d + %d: %v, want %v", w.m.p, k-w.m.p, err, want)
		}
	case deleteRow:
		if k == 0 {
			return
		}
		r := w.random.IntN(k)
		next = w.m.deleted(r)
		tie, want := w.want(next)
		if tie {
			return
		}
		if err = w.s.Delete(r); !errors.Is(err, want) {
			w.t.Fatalf("deletion of %d from %d + %d: %v, want %v", r, w.m.p, k-w.m.p, err, want)
		}
	}
	if err != nil {
		w.denied[operation]++
		if !slices.Equal(before, w.s.rows()) {
			w.t.Fatalf("operation %d was refused and left traces", operation)
		}
		return
	}
	w.made[operation]++
	w.m = next
	w.worst = max(w.worst, w.m.off(w.t, w.s))
}

// want is what eigenvalues say about the model after the change; a tie is one
// that they cannot tell.
func (w *twin) want(next *model) (tie bool, want error) {
	distance, want := next.exists(w.t)
	if tie = distance < margin; tie {
		w.ties++
	}
	return tie, want
}

var errRefused = errors.New("refused")

func accepted(_ float64, ok bool) error {
	if ok {
		return nil
	}
	return errRefused
}

// Hundreds of random changes, each checked by eigenvalues. The errors add up
// over the whole sequence and are held against those of a fresh factor.
func TestSequences(t *testing.T) {
	t.Parallel()
	made, denied := [operations]int{}, [operations]int{}
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 7))
		w := &twin{t: t, s: NewSigned(0), m: &model{}, random: random}
		for range 600 {
			operation := random.IntN(operations)
			if len(w.m.m) > 24 && operation < deleteRow {
				operation = deleteRow
			}
			w.step(operation)
		}
		distance, _ := w.m.exists(t)
		fresh := computed(t, w.m, len(w.m.m))
		t.Logf("seed %d: %d + %d rows, %d ties, error at most %.1e, now %.1e, fresh %.1e, distance to singular %.1e",
			seed, w.m.p, len(w.m.m)-w.m.p, w.ties, w.worst, w.m.off(t, w.s), w.m.off(t, fresh), distance)
		if w.worst > 1e-9 {
			t.Errorf("seed %d: L J Lᵀ was off by %g", seed, w.worst)
		}
		if w.ties > 10 {
			t.Errorf("seed %d: %d ties", seed, w.ties)
		}
		w.m.agrees(t, w.s, random, 1e-9)
		for i := range operations {
			made[i] += w.made[i]
			denied[i] += w.denied[i]
		}
	}
	for i := range operations {
		if made[i] < 100 || denied[i] < 50 {
			t.Errorf("operation %d: made %d times, refused %d times", i, made[i], denied[i])
		}
	}
}

// Thousands of events as on an age path of a support vector machine: samples
// change between pinned and curved or leave, and shifts move.
func TestErrorGrowth(t *testing.T) {
	t.Parallel()
	const n = 160
	random := rand.New(rand.NewPCG(9, 7))
	q := gram(random, n, 10)
	s, rows := NewSigned(n), []int{} // rows[i] is the sample of row i
	shift := make([]float64, n)
	entry := func(i, j int) float64 {
		if i == j {
			return q[i][i] - shift[i]
		}
		return q[i][j]
	}
	column := func(sample, at int) []float64 {
		order := slices.Insert(slices.Clone(rows), at, sample)
		c := make([]float64, len(order))
		for i, other := range order {
			c[i] = entry(sample, other)
		}
		return c
	}
	off := func() float64 {
		m := &model{p: s.p}
		for _, i := range rows {
			row := make([]float64, len(rows))
			for b, j := range rows {
				row[b] = entry(i, j)
			}
			m.m = append(m.m, row)
		}
		return m.off(t, s)
	}
	changes, refused, least := 0, 0, 1.0
	for event := range 6000 {
		sample := random.IntN(n)
		if at := slices.Index(rows, sample); at >= 0 {
			if err := s.Delete(at); err != nil {
				refused++
				continue
			}
			rows = slices.Delete(rows, at, at+1)
			changes++
		}
		switch random.IntN(3) {
		case 0:
			shift[sample] = 0
			if pivot, ok := s.InsertPositive(column(sample, s.p)); ok {
				least = min(least, pivot)
				rows = slices.Insert(rows, s.p-1, sample)
				changes++
			}
		case 1:
			shift[sample] = 0.3 + random.Float64()
			if pivot, ok := s.AppendNegative(column(sample, len(rows))); ok {
				least = min(least, -pivot)
				rows = append(rows, sample)
				changes++
			} else {
				refused++
			}
		}
		if event%1000 == 999 {
			t.Logf("%d changes, %d + %d rows, %d refused, least pivot %.1e: error %.1e", changes, s.p, s.Len()-s.p, refused, least, off())
		}
	}
	if off := off(); off > 1e-10 {
		t.Errorf("L J Lᵀ is off by %g", off)
	}
	if refused < 100 || changes < 4000 {
		t.Errorf("%d refused, %d changes", refused, changes)
	}
}

// FuzzSequence makes the changes that the bytes say.
func FuzzSequence(f *testing.F) {
	f.Add(uint64(1), []byte{0, 1, 0, 1, 2, 3, 4, 0, 0, 1, 1, 2, 2, 4, 4})
	f.Add(uint64(2), []byte{1, 1, 1, 1, 0, 2, 2, 2, 3, 3, 0, 0, 4, 1, 2})
	f.Fuzz(func(t *testing.T, seed uint64, steps []byte) {
		w := &twin{t: t, s: NewSigned(0), m: &model{}, random: rand.New(rand.NewPCG(seed, 3))}
		for _, b := range steps[:min(len(steps), 60)] {
			w.step(int(b) % operations)
		}
		if w.worst > 1e-8 {
			t.Errorf("L J Lᵀ was off by %g", w.worst)
		}
	})
}
