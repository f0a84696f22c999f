package selfpaced

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

// Choice says how validation scores choose the age. Its JSON is part of the canonical form of a
// cell. A grid without one has defaultChoice.
type Choice struct {
	Rule    choice.Rule `json:"rule,omitempty"`    // "" for the best
	Trimmed float64     `json:"trimmed,omitempty"` // share of the largest errors left out, or choice.Auto, in regression
	Folds   int         `json:"pooled,omitempty"`  // of the training part, whose held-out rows score with the validation part
	Labels  string      `json:"labels,omitempty"`  // "" for the given ones or correctedLabels, in classification
}

// defaultChoice had the least mean regret on one half of the data sets, and nearly so on the other:
// docs/choosing-an-age.md has the tables.
var defaultChoice = Choice{Rule: choice.Smoothed, Trimmed: choice.Auto, Labels: correctedLabels}

var foldCounts = gridfile.Whole(2, 100)

func (c Choice) rule() choice.Rule { return cmp.Or(c.Rule, choice.Best) }

// of drops what a task or a split does not use.
func (c Choice) of(task dataset.Task, split dataset.Split) Choice {
	if !c.scores(split) {
		return Choice{}
	}
	if task == dataset.Regression {
		c.Labels = ""
	} else {
		c.Trimmed = 0
	}
	return c
}

func (c Choice) words(split dataset.Split) string {
	if !c.scores(split) {
		return ""
	}
	return c.rule().Words(c.Trimmed, c.Labels, c.Folds)
}

// scores reports whether there are rows to choose by.
func (c Choice) scores(split dataset.Split) bool { return split.Validation > 0 || c.Folds > 0 }

func (c Choice) check() error {
	switch {
	case c.Rule == choice.Best, c.Rule != "" && !slices.Contains(choice.Rules, c.Rule):
		return fmt.Errorf("there is no rule of choice %q", c.Rule)
	case c.Trimmed != choice.Auto && !gridfile.ProperShare.Allows(c.Trimmed):
		return fmt.Errorf("the trimmed share is %g; %s is allowed, or %d for %s", c.Trimmed, gridfile.ProperShare.Want, choice.Auto, autoWord)
	case c.Labels != "" && c.Labels != correctedLabels:
		return fmt.Errorf("labels are %q; %s are allowed, or none for the given ones", c.Labels, correctedLabels)
	case c.Folds != 0 && !foldCounts.Allows(float64(c.Folds)):
		return fmt.Errorf("%d folds; %s is allowed", c.Folds, foldCounts.Want)
	}
	return nil
}

// choices returns the sweeps with each choice. Sweeps without a validation part get only those with
// folds.
func (r *sectionReader) choices(n gridfile.Item, sweeps []Sweep) []Sweep {
	choices := []Choice{defaultChoice}
	if n.Given() {
		choices = gridfile.Variants(r.Reader, n, r.choice)
	}
	var list []Sweep
	chosen := false
	for _, s := range sweeps {
		there := false
		for _, s.Choice = range choices {
			if s.Choice.scores(s.Settings.Split) {
				list, there = append(list, s), true
			}
		}
		if !there {
			s.Choice = Choice{}
			list = append(list, s)
		}
		chosen = chosen || there
		if s.Settings.Protocol == dataset.Scripts && slices.ContainsFunc(choices, func(c Choice) bool { return c.Folds > 0 }) {
			r.Problem(n, "the protocol %s starts paths from the clean training rows, and has no folds", dataset.Scripts)
		}
	}
	if n.Given() && len(sweeps) > 0 && len(choices) > 0 && !chosen {
		r.Problem(n, "has no effect: split.validation is 0, and the age is chosen by the test part; a fraction > 0 is allowed there, or choose.folds")
	}
	return list
}

// choice reads a rule, or a map: a choice for each combination of its values.
func (r *sectionReader) choice(n gridfile.Item) (list []Choice) {
	rules, shares, folds := []choice.Rule{defaultChoice.Rule}, []float64{defaultChoice.Trimmed}, []float64{0}
	labels := []string{defaultChoice.Labels}
	if n.Kind == yaml.MappingNode {
		r.Keys(n,
			gridfile.On("rule", gridfile.Into(&rules, gridfile.Words(r.Reader, choice.Rules...))),
			gridfile.On("trimmed", func(n gridfile.Item) {
				if shares = []float64{choice.Auto}; n.Value != autoWord {
					shares = r.Numbers(n, gridfile.ProperShare)
				}
			}),
			gridfile.On("labels", gridfile.Into(&labels, gridfile.Words(r.Reader, givenLabels, correctedLabels))),
			gridfile.On("folds", func(n gridfile.Item) { folds = r.Numbers(n, foldCounts) }))
	} else {
		rules = []choice.Rule{gridfile.OneOf(r.Reader, n, choice.Rules...)}
	}
	for _, rule := range rules {
		if rule == choice.Best {
			rule = ""
		}
		for _, v := range r.Combinations(n, "trimmed and folds", shares, folds) {
			for _, from := range labels {
				list = append(list, Choice{rule, v[0], int(v[1]), strings.TrimPrefix(from, givenLabels)})
			}
		}
	}
	return list
}
