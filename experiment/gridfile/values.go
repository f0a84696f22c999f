package gridfile

import (
	"math"
	"strconv"

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
	r.Problem(n, "%s is not allowed; %s is%s", Describe(n.Node), allowed.Want, spelling.After(n.Value, allowed.words))
	return 0, false
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
