package experiment

import (
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/internal/spelling"
)

// maxValues bounds the values of one list or range. Grids of many million
// cells are products of several.
const maxValues = 100_000

// rule says which numbers are allowed.
type rule struct {
	allows func(x float64) bool
	want   string
	words  []string // that are allowed too, for what may be meant by another one
}

var (
	positive    = rule{allows: func(x float64) bool { return x > 0 }, want: "a number > 0"}
	aboveOne    = rule{allows: func(x float64) bool { return x > 1 }, want: "a number > 1"}
	ratio       = rule{allows: func(x float64) bool { return x > 0 && x <= 1 }, want: "a number > 0 and at most 1"}
	fraction    = rule{allows: func(x float64) bool { return x >= 0 && x <= 1 }, want: "a number from 0 to 1"}
	properShare = rule{allows: func(x float64) bool { return x >= 0 && x < 1 }, want: "a number from 0 to below 1"}
	coverages   = rule{allows: func(x float64) bool { return x >= 0.5 && x <= 1 }, want: "a number from 0.5 to 1"}
	belowHalf   = rule{allows: func(x float64) bool { return x >= 0 && x < 0.5 }, want: "a number from 0 to below 0.5"}
	rowCounts   = rule{allows: func(x float64) bool { return x >= 3 && x <= math.MaxInt32 && x == math.Trunc(x) }, want: "a whole number from 3"}
	anyNumber   = rule{allows: func(float64) bool { return true }, want: "a finite number"}
	level       = rule{allows: func(x float64) bool { return x > 0 && x < 1 }, want: "a number > 0 and < 1"}
	atLeastZero = rule{allows: func(x float64) bool { return x >= 0 }, want: "a number >= 0"}
)

// number reads a finite number that the rule allows; ok is false after a
// problem.
func (r *reader) number(n item, allowed rule) (x float64, ok bool) {
	if n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float") {
		x, err := strconv.ParseFloat(n.Value, 64)
		if err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) && allowed.allows(x) {
			return x + 0, true // -0 becomes 0
		}
	}
	r.problem(n, "%s is not allowed; %s is%s", describe(n.Node), allowed.want, spelling.After(n.Value, allowed.words))
	return 0, false
}

// whole returns the rule of whole numbers from low to high.
func whole(low, high int) rule {
	return rule{
		allows: func(x float64) bool { return x >= float64(low) && x <= float64(high) && x == math.Trunc(x) },
		want:   "a whole number from " + strconv.Itoa(low) + " to " + strconv.Itoa(high),
	}
}

// numbers reads what varies: a number, a list of different numbers or a range, see
// span.
func (r *reader) numbers(n item, allowed rule) []float64 {
	if n.Kind == yaml.MappingNode {
		return r.span(n, allowed)
	}
	elements := r.many(n)
	if len(elements) > maxValues {
		r.problem(n, "the list has %d values; at most %d are allowed", len(elements), maxValues)
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
			r.problem(element, "%s is given twice", element.Value)
			continue
		}
		seen[x] = true
		values = append(values, x)
	}
	return values
}
