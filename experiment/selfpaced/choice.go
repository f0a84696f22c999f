package selfpaced

import (
	"cmp"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

// Choice is how the validation scores choose the age. The zero value is [choice.Best] of the
// metric. Its JSON is part of the canonical form of a cell.
type Choice struct {
	Rule    choice.Rule `json:"rule,omitempty"`    // "" for the best
	Trimmed float64     `json:"trimmed,omitempty"` // share of the largest errors that scores leave out; of regression only
}

// choiceNeed is that of cells with another choice than the zero value.
var choiceNeed = experiment.Need{Name: "choice", Version: 1}

func (c Choice) rule() choice.Rule { return cmp.Or(c.Rule, choice.Best) }

// of returns the choice without what a task or a split does not use.
func (c Choice) of(task dataset.Task, split dataset.Split) Choice {
	if split.Validation == 0 {
		return Choice{}
	}
	if task != dataset.Regression {
		c.Trimmed = 0
	}
	return c
}

// words names the choice in results, "" where there is none.
func (c Choice) words(split dataset.Split) string {
	if split.Validation == 0 {
		return ""
	}
	return c.rule().Words(c.Trimmed)
}

// check refuses what no grid can ask for.
func (c Choice) check() error {
	switch {
	case c.Rule == choice.Best, c.Rule != "" && !slices.Contains(choice.Rules, c.Rule):
		return fmt.Errorf("there is no rule of choice %q", c.Rule)
	case !gridfile.ProperShare.Allows(c.Trimmed):
		return fmt.Errorf("the trimmed share is %g; %s is allowed", c.Trimmed, gridfile.ProperShare.Want)
	}
	return nil
}

// choices reads the key choose, and returns the sweeps with each of its values. Sweeps without a
// validation part have none.
func (r *sectionReader) choices(n gridfile.Item, sweeps []Sweep) []Sweep {
	if !n.Given() {
		return sweeps
	}
	choices := gridfile.Variants(r.Reader, n, r.choice)
	var list []Sweep
	chosen := false
	for _, s := range sweeps {
		if s.Settings.Split.Validation == 0 {
			list = append(list, s)
			continue
		}
		chosen = true
		for _, s.Choice = range choices {
			list = append(list, s)
		}
	}
	if len(sweeps) > 0 && !chosen {
		r.Problem(n, "has no effect: split.validation is 0, and the age is chosen by the test part; a fraction > 0 is allowed there")
	}
	return list
}

// choice reads a rule, or a map: a choice for each combination of its values.
func (r *sectionReader) choice(n gridfile.Item) (list []Choice) {
	rules, shares := []choice.Rule{choice.Best}, []float64{0}
	if n.Kind == yaml.MappingNode {
		r.Keys(n,
			gridfile.On("rule", gridfile.Into(&rules, gridfile.Words(r.Reader, choice.Rules...))),
			gridfile.On("trimmed", func(n gridfile.Item) { shares = r.Numbers(n, gridfile.ProperShare) }))
	} else {
		rules = []choice.Rule{gridfile.OneOf(r.Reader, n, choice.Rules...)}
	}
	if r.TooMany(n, "rule and trimmed", [3][]float64{make([]float64, len(rules)), shares, {0}}) {
		return nil
	}
	for _, rule := range rules {
		if rule == choice.Best {
			rule = ""
		}
		for _, share := range shares {
			list = append(list, Choice{rule, share})
		}
	}
	return list
}
