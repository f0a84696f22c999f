package rehline

import (
	"math"

	"github.com/agepath/agepath/internal/kernel"
)

// reading is what is known of the rows of X. Where a solve begins with some of the samples, the
// squared norms of all, by which their numbers are checked, are computed with the first scores.
type reading struct {
	norms []float64    // n: of the rows that were read, until descent has them inverted
	done  bool         // all were read
	check func() error // of the problem, where the norms leave doubt
}

// confirm returns an error where numbers of rows are wrong, whose squared norms are given.
func (r *reading) confirm(norms []float64) error {
	if kernel.Dot(norms, norms) <= moderateSum {
		return nil // and the norms are at most the root of it
	}
	return r.check()
}

// read reads the rows of X, unless they were.
func (s *state) read() error {
	r := s.reading
	if r.done {
		return nil
	}
	s.x.norms(r.norms)
	r.done = true
	return r.confirm(r.norms)
}

// readSome sets norms to those of a sample, which is known to be right then unless it returns an
// error.
func (s *state) readSome(norms []float64, sample features) error {
	sample.norms(norms)
	if s.reading.done {
		return nil
	}
	return s.reading.confirm(norms)
}

// sampled returns the rows of a sample: of so many rows the first one.
func (x full) sampled(every int) full {
	x.Rows, x.Stride = x.Rows/every, every*x.Stride
	return x
}

// firstScores is scoresFrom that reads the rows for the first time.
func (s *state) firstScores(from int, z, beta []float64) {
	x, d := s.x.(full), s.penalty.d
	kernel.MulVecNorms(z, s.reading.norms[from:from+len(z)], x.Data[from*x.Stride:], x.Stride, beta[:d])
	s.lift(z, beta)
}

// extent returns ‖x_i‖² of a sample, with 1 added for a penalized intercept.
func (d *descent) extent(i int) float64 {
	switch {
	case d.inv != nil:
		return 1 / d.inv[i]
	case d.reading.done:
		return d.reading.norms[i] + d.bend()
	}
	r := d.x.(full).row(i)
	return kernel.Dot(r, r) + d.bend()
}

// bend is 1 with a penalized intercept, else 0.
func (d *descent) bend() float64 { return float64(d.penalty.dim - d.penalty.d) }

// leastExtent is what the extent of a row of zeros counts as.
const leastExtent = 1e-300

// invert computes inv, which Newton steps do not need, in place of the norms.
func (d *descent) invert() {
	if d.inv == nil {
		kernel.Invert(d.reading.norms, d.bend(), leastExtent)
		d.inv = d.reading.norms
	}
}

// invertSome computes inv for a sample of rows that were not read.
func (d *descent) invertSome(every int) error {
	x := d.x.(full).sampled(every)
	norms := d.z[:x.Rows]
	if err := d.readSome(norms, x); err != nil {
		return err
	}
	d.inv = d.reading.norms
	for k, v := range norms {
		d.inv[k*every] = 1 / math.Max(v+d.bend(), leastExtent)
	}
	return nil
}
