package analysis

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
)

// choices describes the ways to choose; nil for kinds with one.
func (g *cellGroups) choices() []string {
	if !g.schema.Path.HasChoice() {
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

// chooseAgain chooses by a rule from the stored points of the paths.
func (g *cellGroups) chooseAgain(ctx context.Context, dir string, rule choice.Rule) error {
	of := g.schema.Path
	if !of.HasChoice() {
		return fmt.Errorf("the kind of experiment has one way to choose a %s; leave the rule %s out", g.schema.Step.Word, rule)
	}
	c := &chooser{rule: rule, of: of, cells: map[string]*chosenCell{}}
	for setting, entries := range g.entries {
		for _, entry := range entries {
			c.want(entry, g.metric(setting))
		}
	}
	for setting, entry := range g.floors {
		c.want(entry, g.metric(setting))
	}
	if err := c.read(ctx, filepath.Join(dir, of.Table+".arrow")); err != nil {
		return err
	}
	return g.rename(rule)
}

func (g *cellGroups) rename(rule choice.Rule) error {
	d := g.schema.Path.Choice
	name := func(setting layout.Setting) layout.Setting {
		if !setting[d].IsNull() {
			setting[d].Text = rule.Instead(setting[d].Text)
		}
		return setting
	}
	entries, floors := map[layout.Setting]methodEntries{}, map[layout.Setting]*ScoreEntry{}
	for setting, of := range g.entries {
		if entries[name(setting)] != nil {
			return fmt.Errorf("some cells differ only in how they have chosen (%s), and would be the same by the rule %s; leave it out", g.schema.Column(d), rule)
		}
		entries[name(setting)] = of
	}
	for setting, entry := range g.floors {
		floors[name(setting)] = entry
	}
	g.entries, g.floors = entries, floors
	return nil
}

type chooser struct {
	rule  choice.Rule
	of    *layout.Path
	cells map[string]*chosenCell

	id    string // current
	curve choice.Curve
	test  []float64
}

type chosenCell struct {
	samples []*RepeatScore // a cell can be in several entries
	metric  Metric
	done    bool
}

// want adds cells that have chosen by validation scores.
func (c *chooser) want(entry *ScoreEntry, metric Metric) {
	for i := range entry.Sample {
		s := &entry.Sample[i]
		if math.IsNaN(s.BestValidation) {
			continue
		}
		id := s.Cell.String()
		if c.cells[id] == nil {
			c.cells[id] = &chosenCell{metric: metric}
		}
		c.cells[id].samples = append(c.cells[id].samples, s)
	}
}

// read relies on adjacent points of a cell.
func (c *chooser) read(ctx context.Context, path string) error {
	columns := []experiment.Column{
		{Name: "cell", Type: experiment.Text}, {Name: c.of.Step, Type: experiment.Float}, {Name: c.of.Score, Type: experiment.Float},
		{Name: c.of.Validation, Type: experiment.Float}, {Name: c.of.Error, Type: experiment.Float}, {Name: c.of.Event, Type: experiment.Text},
	}
	err := results.EachBatchOf(ctx, path, func(cell string) bool { return c.cells[cell] != nil }, columns, func(v []*experiment.Vector) error {
		for row, id := range v[0].Texts {
			if id != c.id {
				c.choose()
				c.id = strings.Clone(id) // outside the batch's memory
			}
			c.add(v, row)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	c.choose()
	left := 0
	for _, cell := range c.cells {
		if !cell.done {
			left++
		}
	}
	if left > 0 {
		return fmt.Errorf("the paths of %d of %d cells are not in %s, from which the rule %s chooses: they are there once a run with keep.%s: true has ended", left, len(c.cells), path, c.rule, c.of.Table)
	}
	return nil
}

func (c *chooser) choose() {
	if cell := c.cells[c.id]; cell != nil {
		c.curve.Higher = cell.metric == Accuracy
		steps := c.curve.Ages
		if slices.ContainsFunc(steps, math.IsNaN) {
			c.curve.Ages = nil
		}
		point, value := c.rule.Choose(&c.curve)
		for _, s := range cell.samples {
			if point >= 0 {
				s.BestValidation, s.Score[TestAtBestValidation], s.Step[0] = value, c.test[point], steps[point]
			}
		}
		cell.done = true
	}
	c.curve, c.test = choice.Curve{}, nil
}

func (c *chooser) add(v []*experiment.Vector, row int) {
	c.curve.Ages, c.test = append(c.curve.Ages, number(v[1], row)), append(c.test, number(v[2], row))
	c.curve.Scores, c.curve.Errors = append(c.curve.Scores, number(v[3], row)), append(c.curve.Errors, number(v[4], row))
	c.curve.Begins = append(c.curve.Begins, v[5].Texts[row] == "start")
}
