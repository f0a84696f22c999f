package experiment

import (
	"math"
	"math/big"
)

// The scales of a range with a number of values.
const (
	linearScale = "linear" // equal differences
	logScale    = "log"    // equal ratios
)

// span is a range as a grid gives it: {from, to, step}, or {from, to, num} with
// the scale linear or log.
type span struct {
	from, to, step *big.Rat // step is nil for a range with num
	num            int      // values, where there is no step
	log            bool
	fields         map[string]item
}

// span reads a range. It counts in decimals, so that the third value of
// {from: 0.001, to: 0.03, step: 0.001} is exactly 0.003, and that of
// {from: 0.001, to: 10, num: 5, scale: log} exactly 0.1. The values are the same on
// every machine, as identities of cells need.
func (r *reader) span(n item, allowed rule) []float64 {
	s, ok := r.spanFields(n)
	if !ok {
		return nil
	}
	var next func() float64 // the first value, then those behind it
	count, finest := s.num, s.fields["num"]
	switch {
	case s.step != nil:
		finest = s.fields["step"]
		if count, ok = r.steps(n, &s); !ok {
			return nil
		}
		next = stepping(s.from, s.step)
	case s.log:
		next = multiplying(s.from, s.to, s.num)
	default:
		step := new(big.Rat).Sub(s.to, s.from)
		next = stepping(s.from, step.Quo(step, big.NewRat(int64(s.num-1), 1)))
	}
	values := make([]float64, count)
	for i := range values {
		x := next()
		if math.IsInf(x, 0) || !allowed.allows(x) {
			r.problem(n, "the range holds %g, which is not allowed; %s is", x, allowed.want)
			return nil
		}
		if i > 0 && x == values[i-1] {
			what := "small"
			if s.step == nil {
				what = "large"
			}
			r.problem(finest, "%s is too %s beside from to tell the values apart", finest.Value, what)
			return nil
		}
		values[i] = x + 0
	}
	return values
}

// spanFields reads the keys of a range; ok is false after a problem.
func (r *reader) spanFields(n item) (s span, ok bool) {
	before := r.reported
	if s.fields = r.fields(n, "from", "to", "step", "num", "scale"); s.fields == nil {
		return s, false
	}
	read(s.fields,
		key{"from", into(&s.from, r.exact)},
		key{"to", into(&s.to, r.exact)},
		key{"step", into(&s.step, r.exact)},
		key{"num", into(&s.num, integer(r, 2, maxValues))},
		key{"scale", func(n item) { s.log = oneOf(r, n, linearScale, logScale) == logScale }})
	if r.reported > before {
		return s, false
	}
	const example = "a range is {from: 1, to: 5, step: 0.5} or {from: 0.01, to: 10, num: 4, scale: log}"
	for _, name := range []string{"from", "to"} {
		if !s.fields[name].given() {
			r.problem(n, "the key %s is missing; %s", name, example)
		}
	}
	step, num, scale := s.fields["step"], s.fields["num"], s.fields["scale"]
	switch {
	case r.reported > before:
	case !step.given() && !num.given():
		r.problem(n, "the key step is missing, or num; %s", example)
	case step.given() && num.given():
		r.problem(num, "has no place beside step; %s", example)
	case step.given() && scale.given():
		r.problem(scale, "is for a range with num; %s", example)
	case num.given() && s.from.Cmp(s.to) == 0:
		r.problem(num, "%d values from %s to the same number; one value is a number or a list", s.num, s.fields["from"].Value)
	case s.log && (s.from.Sign() <= 0 || s.to.Sign() <= 0):
		r.problem(n, "from and to have to be numbers > 0 with scale: %s", logScale)
	}
	return s, r.reported == before
}

// exact reads a decimal number as it is written, nil after a problem.
func (r *reader) exact(n item) *big.Rat {
	if _, ok := r.number(n, anyNumber); !ok {
		return nil
	}
	x, ok := new(big.Rat).SetString(n.Value)
	if !ok || x.Denom().BitLen() > maxDenominator {
		r.problem(n, "%s is not allowed; a decimal number with at most %d digits behind the point is", describe(n.Node), maxDigits)
		return nil
	}
	return x
}

// steps counts the values of a range with a step.
func (r *reader) steps(n item, s *span) (count int, ok bool) {
	width := new(big.Rat).Sub(s.to, s.from)
	step := s.fields["step"]
	switch {
	case s.step.Sign() == 0:
		r.problem(step, "0 is not allowed; a step > 0 is, or one < 0 where to is below from")
		return 0, false
	case width.Sign()*s.step.Sign() < 0:
		r.problem(step, "the step %s leads away from to; its sign has to be that of to - from", step.Value)
		return 0, false
	}
	width.Quo(width, s.step)
	steps := new(big.Int).Quo(width.Num(), width.Denom())
	if steps.Cmp(big.NewInt(maxValues)) >= 0 {
		r.problem(n, "the range has more than %d values, which is the most allowed", maxValues)
		return 0, false
	}
	return int(steps.Int64()) + 1, true
}

// stepping returns a function that yields from, from + step, ..., each rounded once.
func stepping(from, step *big.Rat) func() float64 {
	next := new(big.Rat).Sub(from, step)
	return func() float64 {
		x, _ := next.Add(next, step).Float64()
		return x
	}
}

// logBits is the precision of a range with equal ratios. Its rounding errors, of
// which each value adds one, reach 2^-300: the decimal that is meant is the nearest.
const logBits = 320

// multiplying returns a function that yields num numbers from one to the other with
// equal ratios: the nearest ones of both ends, and of what is between them.
func multiplying(from, to *big.Rat, num int) func() float64 {
	next := newFloat().SetRat(from)
	ratio := root(newFloat().SetRat(new(big.Rat).Quo(to, from)), num-1)
	return func() float64 {
		x, _ := next.Float64()
		next.Mul(next, ratio)
		return x
	}
}

func newFloat() *big.Float { return new(big.Float).SetPrec(logBits) }

// root returns the n-th root of x > 0 by Newton's method, from the root in float64.
func root(x *big.Float, n int) *big.Float {
	fraction := newFloat()
	exponent := x.MantExp(fraction)
	f, _ := fraction.Float64()
	y := newFloat().SetFloat64(math.Exp2((math.Log2(f) + float64(exponent)) / float64(n)))
	for range newtonSteps { // y += y (x/y^n - 1)/n
		step := newFloat().Quo(x, power(y, n))
		step.Sub(step, big.NewFloat(1))
		step.Mul(step, y)
		y.Add(y, step.Quo(step, newFloat().SetInt64(int64(n))))
	}
	return y
}

// newtonSteps double the right digits of a root often enough: a relative error e
// becomes at most n e², and n is below maxValues.
const newtonSteps = 7

func power(x *big.Float, n int) *big.Float {
	product, square := newFloat().SetInt64(1), newFloat().Set(x)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			product.Mul(product, square)
		}
		square.Mul(square, square)
	}
	return product
}

// maxDigits bounds the decimal digits behind the point of a range's numbers, and
// maxDenominator the bits of 10^maxDigits; float64 has no numbers other than 0
// beyond.
const (
	maxDigits      = 400
	maxDenominator = maxDigits*3322/1000 + 1
)
