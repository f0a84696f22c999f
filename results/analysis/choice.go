package analysis

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/results/layout"
)

// choices describes the ways to choose; nil for kinds with one.
func (g *cellGroups) choices() []string {
	if path := g.schema.Path; path == nil || path.Choice == layout.Dataset {
		return nil
	}
	words := map[string]bool{}
	for setting := range g.entries {
		if text := setting[g.schema.Path.Choice].Text; text != "" {
			words[text] = true
		}
	}
	return slices.Sorted(maps.Keys(words))
}

// ChosenCell is a cell whose point was chosen by validation scores.
type ChosenCell struct {
	Samples []*RepeatScore // equal ones, for it can be in several entries
	Metric  Metric
}

func (g *cellGroups) chooseAgain(ctx context.Context, dir, kind string, rule choice.Rule) error {
	choose := owns[kind].Choose
	if choose == nil {
		return fmt.Errorf("the kind of experiment has one way to choose a %s; leave the rule %s out", g.schema.Step.Word, rule)
	}
	cells := map[string]*ChosenCell{}
	add := func(entry *ScoreEntry, metric Metric) {
		for i := range entry.Sample {
			s := &entry.Sample[i]
			if math.IsNaN(s.BestValidation) {
				continue
			}
			id := s.Cell.String()
			if cells[id] == nil {
				cells[id] = &ChosenCell{Metric: metric}
			}
			cells[id].Samples = append(cells[id].Samples, s)
		}
	}
	for setting, entries := range g.entries {
		for _, entry := range entries {
			add(entry, g.metric(setting))
		}
	}
	for setting, entry := range g.floors {
		add(entry, g.metric(setting))
	}
	if err := choose(ctx, dir, rule, cells); err != nil {
		return err
	}
	d, n := g.schema.Path.Choice, len(g.entries)
	g.rename(func(setting layout.Setting) layout.Setting {
		if !setting[d].IsNull() {
			setting[d].Text = rule.Instead(setting[d].Text)
		}
		return setting
	}, func(method string) string { return method })
	if len(g.entries) < n {
		return fmt.Errorf("with --choose, some cells would be identical: they differ only in their %s, which %s replaces; drop --choose", g.schema.Column(d), rule)
	}
	return nil
}
