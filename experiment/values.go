package experiment

import (
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxValues bounds the values of one list or range. Grids of many million
// cells are products of several.
const maxValues = 100_000

// rule says which numbers are allowed, and which words stand for numbers of
// their own.
type rule struct {
	allows func(x float64) bool
	want   string
	words  map[string]float64
}

var (
	positive    = rule{allows: func(x float64) bool { return x > 0 }, want: "a number > 0"}
	aboveOne    = rule{allows: func(x float64) bool { return x > 1 }, want: "a number > 1"}
	fraction    = rule{allows: func(x float64) bool { return x >= 0 && x <= 1 }, want: "a number from 0 to 1"}
	properShare = rule{allows: func(x float64) bool { return x >= 0 && x < 1 }, want: "a number from 0 to below 1"}
	anyNumber   = rule{allows: func(float64) bool { return true }, want: "a finite number"}
	widths      = rule{positive.allows, "a number > 0 or scale", map[string]float64{"scale": ScaleGamma}}
)

// number reads a finite number that the rule allows; ok is false after a
// problem.
func (r *reader) number(n item, allowed rule) (x float64, ok bool) {
	tag := ""
	if n.Kind == yaml.ScalarNode {
		tag = n.ShortTag()
		if x, is := allowed.words[n.Value]; is {
			return x, true
		}
	}
	if tag == "!!int" || tag == "!!float" {
		x, err := strconv.ParseFloat(n.Value, 64)
		if err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) && allowed.allows(x) {
			return x + 0, true // -0 becomes 0
		}
	}
	r.problem(n, "%s is not allowed; %s is", describe(n.Node), allowed.want)
	return 0, false
}

// numbers reads what varies: a number, a list of different numbers or a range
// {from, to, step}.
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

// span reads a range {from, to, step}: from, from + step, ... up to and
// including to. Values are rounded to the decimal digits of from and step, so
// that the third of {from: 0.001, to: 0.03, step: 0.001} is exactly 0.003.
func (r *reader) span(n item, allowed rule) []float64 {
	fields := r.fields(n, "from", "to", "step")
	if fields == nil {
		return nil
	}
	var from, to, step float64
	complete := true
	for _, part := range []struct {
		name string
		into *float64
	}{{"from", &from}, {"to", &to}, {"step", &step}} {
		field := fields[part.name]
		if !field.given() {
			r.problem(n, "the key %s is missing; a range is {from: 1, to: 5, step: 0.5}", part.name)
			complete = false
			continue
		}
		x, ok := r.number(field, anyNumber)
		*part.into, complete = x, complete && ok
	}
	if !complete {
		return nil
	}
	steps := math.Floor((to-from)/step + 1e-9)
	switch {
	case step == 0:
		r.problem(fields["step"], "0 is not allowed; a step > 0 is, or one < 0 where to is below from")
		return nil
	case steps < 0:
		r.problem(fields["step"], "the step %s leads away from to; its sign has to be that of to - from", fields["step"].Value)
		return nil
	case !(steps < maxValues):
		r.problem(n, "the range has more than %d values, which is the most allowed", maxValues)
		return nil
	}
	digits := max(decimals(fields["from"].Value), decimals(fields["step"].Value))
	values := make([]float64, int(steps)+1)
	for i := range values {
		x, err := strconv.ParseFloat(strconv.FormatFloat(from+float64(i)*step, 'f', digits, 64), 64)
		if err != nil || !allowed.allows(x) {
			r.problem(n, "the range holds %g, which is not allowed; %s is", x, allowed.want)
			return nil
		}
		if i > 0 && x == values[i-1] {
			r.problem(fields["step"], "%s is too small beside from to tell the values apart", fields["step"].Value)
			return nil
		}
		values[i] = x + 0
	}
	return values
}

// decimals returns how many digits behind the point it takes to write the
// number out: 3 for 0.001 and for 1e-3.
func decimals(number string) int {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	_, behind, _ := strings.Cut(mantissa, ".")
	digits := len(behind)
	if shift, err := strconv.Atoi(exponent); err == nil {
		digits -= shift
	}
	return min(max(digits, 0), 400)
}
