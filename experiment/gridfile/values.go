package gridfile

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/internal/spelling"
)

// MaxValues bounds a list or range. Larger grids are products.
const MaxValues = 100_000

// Rule says which numbers are allowed.
type Rule struct {
	Allows func(x float64) bool
	Want   string
	words  []string // for suggestions
}

// Common rules.
var (
	Positive    = Rule{Allows: func(x float64) bool { return x > 0 }, Want: "a number > 0"}
	Ratio       = Rule{Allows: func(x float64) bool { return x > 0 && x <= 1 }, Want: "a number > 0 and at most 1"}
	Fraction    = Rule{Allows: func(x float64) bool { return x >= 0 && x <= 1 }, Want: "a number from 0 to 1"}
	ProperShare = Rule{Allows: func(x float64) bool { return x >= 0 && x < 1 }, Want: "a number from 0 to below 1"}
	AnyNumber   = Rule{Allows: func(float64) bool { return true }, Want: "a finite number"}
	Level       = Rule{Allows: func(x float64) bool { return x > 0 && x < 1 }, Want: "a number > 0 and < 1"}
	AtLeastZero = Rule{Allows: func(x float64) bool { return x >= 0 }, Want: "a number >= 0"}
)

func (r *Reader) number(n Item, allowed Rule) (x float64, ok bool) {
	if n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float") {
		x, err := strconv.ParseFloat(n.Value, 64)
		if err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) && allowed.Allows(x) {
			return x + 0, true // -0 becomes 0
		}
	}
	r.Problem(n, "%s is not allowed; %s is%s%s", Describe(n.Node), allowed.Want, spelling.After(n.Value, allowed.words), plainly(n))
	return 0, false
}

// plainly says how to write a number or truth value that quotes, a decimal comma or a mark of
// thousands make another one.
func plainly(n Item) string {
	plain := strings.NewReplacer("_", "", "'", "", " ", "", ",", ".").Replace(n.Value)
	if strings.Count(plain, ".") > 1 {
		return ""
	}
	_, err := strconv.ParseFloat(plain, 64)
	if _, word := map[string]bool{"true": true, "false": true}[plain]; n.Kind != yaml.ScalarNode || err != nil && !word {
		return ""
	}
	switch {
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return "; quotes make a text of it: write " + plain
	case plain != n.Value:
		return "; write " + plain
	}
	return ""
}

// Whole returns the rule of integers from low to high.
func Whole(low, high int) Rule {
	return Rule{
		Allows: func(x float64) bool { return x >= float64(low) && x <= float64(high) && x == math.Trunc(x) },
		Want:   "a whole number from " + strconv.Itoa(low) + " to " + strconv.Itoa(high),
	}
}

// Numbers reads a number, a list of different numbers or a range.
func (r *Reader) Numbers(n Item, allowed Rule) []float64 {
	if n.Kind == yaml.MappingNode {
		return r.span(n, allowed)
	}
	elements := r.Many(n)
	if len(elements) > MaxValues {
		r.Problem(n, "the list has %d values; at most %d are allowed", len(elements), MaxValues)
		return nil
	}
	values := make([]float64, 0, len(elements))
	seen := make(map[float64]bool, len(elements))
	for _, element := range elements {
		x, ok := r.number(element, allowed)
		if !ok {
			continue
		}
		if seen[x] {
			r.Problem(element, "%s is given twice", element.Value)
			continue
		}
		seen[x] = true
		values = append(values, x)
	}
	return values
}

// Scales of a range with num.
const (
	linearScale = "linear" // equal differences
	logScale    = "log"    // equal ratios
)

// span is a range {from, to, step}, or {from, to, num} with a scale.
type span struct {
	from, to, step *big.Rat // step is nil with num
	num            int
	log            bool
	fields         map[string]Item
}

// span reads a range in decimal arithmetic: the third value of {from: 0.001, to: 0.03, step: 0.001}
// is exactly 0.003, and of {from: 0.001, to: 10, num: 5, scale: log} exactly 0.1. Values are the
// same on every machine, as cells' identities require.
func (r *Reader) span(n Item, allowed Rule) []float64 {
	s, ok := r.spanFields(n)
	if !ok {
		return nil
	}
	var next func() float64
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
		if math.IsInf(x, 0) || !allowed.Allows(x) {
			r.Problem(n, "the range holds %g, which is not allowed; %s is", x, allowed.Want)
			return nil
		}
		if i > 0 && x == values[i-1] {
			what := "small"
			if s.step == nil {
				what = "large"
			}
			r.Problem(finest, "%s is too %s relative to from to tell the values apart", finest.Value, what)
			return nil
		}
		values[i] = x + 0
	}
	return values
}

func (r *Reader) spanFields(n Item) (s span, ok bool) {
	before := r.reported
	if s.fields = r.Fields(n, "from", "to", "step", "num", "scale"); s.fields == nil {
		return s, false
	}
	Read(s.fields,
		Key{"from", Into(&s.from, r.exact)},
		Key{"to", Into(&s.to, r.exact)},
		Key{"step", Into(&s.step, r.exact)},
		Key{"num", Into(&s.num, Integer(r, 2, MaxValues))},
		Key{"scale", func(n Item) { s.log = OneOf(r, n, linearScale, logScale) == logScale }})
	if r.reported > before {
		return s, false
	}
	const example = "a range is {from: 1, to: 5, step: 0.5} or {from: 0.01, to: 10, num: 4, scale: log}"
	for _, name := range []string{"from", "to"} {
		if !s.fields[name].Given() {
			r.Problem(n, "the key %s is missing; %s", name, example)
		}
	}
	step, num, scale := s.fields["step"], s.fields["num"], s.fields["scale"]
	switch {
	case r.reported > before:
	case !step.Given() && !num.Given():
		r.Problem(n, "the key step is missing, or num; %s", example)
	case step.Given() && num.Given():
		r.Problem(num, "is not allowed with step; %s", example)
	case step.Given() && scale.Given():
		r.Problem(scale, "is for a range with num; %s", example)
	case num.Given() && s.from.Cmp(s.to) == 0:
		r.Problem(num, "%d values from %s to the same number; one value is a number or a list", s.num, s.fields["from"].Value)
	case s.log && (s.from.Sign() <= 0 || s.to.Sign() <= 0):
		r.Problem(n, "from and to have to be numbers > 0 with scale: %s", logScale)
	}
	return s, r.reported == before
}

// exact reads a decimal number, nil after a problem.
func (r *Reader) exact(n Item) *big.Rat {
	if _, ok := r.number(n, AnyNumber); !ok {
		return nil
	}
	x, ok := new(big.Rat).SetString(n.Value)
	if !ok || x.Denom().BitLen() > maxDenominator {
		r.Problem(n, "%s is not allowed; a decimal number with at most %d digits after the point is", Describe(n.Node), maxDigits)
		return nil
	}
	return x
}

func (r *Reader) steps(n Item, s *span) (count int, ok bool) {
	width := new(big.Rat).Sub(s.to, s.from)
	step := s.fields["step"]
	switch {
	case s.step.Sign() == 0:
		r.Problem(step, "0 is not allowed; a step > 0 is, or one < 0 where to is below from")
		return 0, false
	case width.Sign()*s.step.Sign() < 0:
		r.Problem(step, "the step %s leads away from to; its sign has to be that of to - from", step.Value)
		return 0, false
	}
	width.Quo(width, s.step)
	steps := new(big.Int).Quo(width.Num(), width.Denom())
	if steps.Cmp(big.NewInt(MaxValues)) >= 0 {
		r.Problem(n, "the range has more than %d values, which is the most allowed", MaxValues)
		return 0, false
	}
	return int(steps.Int64()) + 1, true
}

// stepping rounds each value once.
func stepping(from, step *big.Rat) func() float64 {
	next := new(big.Rat).Sub(from, step)
	return func() float64 {
		x, _ := next.Add(next, step).Float64()
		return x
	}
}

// logBits is the precision of a logarithmic range: errors, one rounding per value, reach 2^-300, so
// that the intended decimal is the nearest float64.
const logBits = 320

// multiplying yields num numbers with equal ratios, each the nearest float64, ends included.
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

// newtonSteps suffice: a relative error e becomes at most n e², and n is below MaxValues.
const newtonSteps = 7

func power(x *big.Float, n int) *big.Float {
	product := newFloat().SetInt64(1)
	for range n {
		product.Mul(product, x)
	}
	return product
}

// maxDigits bounds the decimals of a range's numbers, maxDenominator the bits of 10^maxDigits;
// beyond, float64 has only 0.
const (
	maxDigits      = 400
	maxDenominator = maxDigits*3322/1000 + 1
)
