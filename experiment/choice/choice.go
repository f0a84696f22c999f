// Package choice has the rules that choose a point of a path by scores on held-out rows. Cells
// apply them when computed, reports to the stored points.
package choice

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/internal/lists"
)

// Rule is a rule of choice. Of equally good points it chooses the one with the smallest age.
type Rule string

const (
	// Best takes the best score.
	Best Rule = "best"
	// OneStandardError takes the largest age whose score is within one standard error of the best.
	// Friedman, Hastie and Tibshirani (glmnet, 2010) take the most stable model within it. On an
	// age path this has the largest age: there the implicit objective Σ F_λ(l_i) is nearest to the
	// convex Σ l_i, and most samples have weight.
	OneStandardError Rule = "one-standard-error"
	// Smoothed takes the best mean score over the ages within a factor of [Window].
	Smoothed Rule = "smoothed"
)

// Rules lists the rules.
var Rules = []Rule{Best, OneStandardError, Smoothed}

// Auto in place of a trimmed share means that a robust scale scores the errors where they show
// contaminated rows. Identities have the number: until version 0.2 it was -1 for another score.
const Auto = -3

// Words names a choice: the rule, the share of largest errors that scores exclude, or [Auto], which
// labels score, "" for the given ones, and the number of folds, 0 for a validation part.
func (r Rule) Words(trimmed float64, labels string, folds int) string {
	words := string(r)
	if labels != "" {
		words += ", " + labels + " labels"
	}
	switch {
	case trimmed == Auto:
		words += ", trimmed auto"
	case trimmed != 0:
		words += fmt.Sprintf(", trimmed %g", trimmed)
	}
	if folds != 0 {
		words += fmt.Sprintf(", %d folds", folds)
	}
	return words
}

// Of returns the rule of a choice.
func Of(words string) Rule {
	rule, _, _ := strings.Cut(words, ", ")
	return Rule(rule)
}

// Instead returns the choice by this rule from the same scores.
func (r Rule) Instead(words string) string {
	return string(r) + strings.TrimPrefix(words, string(Of(words)))
}

// Window bounds the factor between an age and those that [Smoothed] averages for it. It had the
// least regret of 1.25, 2 and 4 over 360 settings with 60 held-out rows.
const Window = 1.25

// Curve is the score along a path.
type Curve struct {
	Ages   []float64 // ascending, then descending; nil or NaN for methods without ages, for which every rule is [Best]
	Scores []float64 // NaN if unknown
	Errors []float64 // standard errors for OneStandardError; NaN counts as 0
	Begins []bool    // whether a point begins a continuous piece, for Smoothed
	Down   int       // points of a path down, the last ones
	Higher bool
}

func (c *Curve) Add(age, score, deviation float64, begins, down bool) {
	if down {
		c.Down++
	}
	c.Ages, c.Scores = append(c.Ages, age), append(c.Scores, score)
	c.Errors, c.Begins = append(c.Errors, deviation), append(c.Begins, begins)
}

// tie is the relative difference up to which means are equal, since the mean of equal scores has
// rounding errors.
const tie = 1e-12

// Choose returns the chosen point, -1 if none has a score, and its score, for [Smoothed] its mean.
func (r Rule) Choose(c *Curve) (point int, value float64) {
	values, slack := c.Scores, 0.0
	if c.Ages == nil || slices.ContainsFunc(c.Ages, math.IsNaN) {
		r = Best
	}
	if r == Smoothed {
		values, slack = c.smoothed(), tie
	}
	point = c.best(values, slack)
	if point < 0 {
		return -1, math.NaN()
	}
	if r == OneStandardError && !math.IsNaN(c.Errors[point]) {
		from := point
		for k := range values {
			if c.Ages[k] >= c.Ages[point] && c.loss(values[k])-c.loss(values[from]) <= c.Errors[from] {
				point = k
			}
		}
	}
	return point, values[point]
}

// best returns the point of the smallest age within the slack of the best value.
func (c *Curve) best(values []float64, slack float64) (point int) {
	least := math.Inf(1)
	for _, x := range values {
		if !math.IsNaN(x) {
			least = math.Min(least, c.loss(x))
		}
	}
	if slack > 0 {
		least += slack * math.Abs(least)
	}
	point = -1
	for k, x := range values {
		if c.loss(x) <= least && (point < 0 || c.Ages != nil && c.Ages[k] < c.Ages[point]) {
			point = k
		}
	}
	return point
}

// loss is smaller for better scores.
func (c *Curve) loss(score float64) float64 {
	if c.Higher {
		return -score
	}
	return score
}

func (c *Curve) smoothed() []float64 {
	n, falling := len(c.Ages)-c.Down, Curve{}
	for k := len(c.Ages) - 1; k >= n; k-- {
		falling.Add(c.Ages[k], c.Scores[k], 0, k == len(c.Ages)-1 || c.Begins[k+1], false)
	}
	down := falling.means()
	slices.Reverse(down)
	return append((&Curve{Ages: c.Ages[:n], Scores: c.Scores[:n], Begins: c.Begins[:n]}).means(), down...)
}

// means returns each point's mean score over the ages within a factor of [Window], on the
// logarithm of the age. The score is linear between neighbors of a piece, so that close points do
// not count more; it is undefined between pieces. Ages ascend.
func (c *Curve) means() []float64 {
	half := math.Log(Window)
	place := lists.Map(c.Ages, math.Log)
	means := slices.Clone(c.Scores)
	begin := 0
	for i, at := range place {
		if math.IsNaN(means[i]) || math.IsInf(at, 0) {
			continue
		}
		for place[begin] < at-half {
			begin++
		}
		var area, length float64
		for k := max(begin, 1); k < len(place) && place[k-1] < at+half; k++ {
			a, b := place[k-1], place[k]
			if c.Begins[k] || !(b > a) || math.IsInf(a, 0) || math.IsNaN(c.Scores[k-1]+c.Scores[k]) {
				continue
			}
			from, to := math.Max(a, at-half), math.Min(b, at+half)
			middle := ((from+to)/2 - a) / (b - a)
			area += (to - from) * (c.Scores[k-1] + middle*(c.Scores[k]-c.Scores[k-1]))
			length += to - from
		}
		if length > 0 {
			means[i] = area / length
		}
	}
	return means
}
