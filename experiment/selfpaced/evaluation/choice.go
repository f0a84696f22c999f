package evaluation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
)

// chooser chooses ages again by the scores of the stored knots.
type chooser struct {
	rule  choice.Rule
	cells map[string]*analysis.ChosenCell // not read yet

	id    string // current
	curve choice.Curve
	test  []float64
}

var choiceColumns = []experiment.Column{
	{Name: "cell", Type: experiment.Text}, {Name: "age", Type: experiment.Float}, {Name: "test_score", Type: experiment.Float},
	{Name: "validation_score", Type: experiment.Float}, {Name: "validation_error", Type: experiment.Float}, {Name: "event", Type: experiment.Text}, {Name: "direction", Type: experiment.Text},
}

// chooseAgain relies on adjacent knots of a cell.
func chooseAgain(ctx context.Context, dir string, rule choice.Rule, cells map[string]*analysis.ChosenCell) error {
	c, of := &chooser{rule: rule, cells: maps.Clone(cells)}, selfpaced.Layout.Path
	path := filepath.Join(dir, of.File())
	err := results.EachBatchOf(ctx, path, func(cell string) bool { return cells[cell] != nil }, choiceColumns, func(v []*experiment.Vector) error {
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
	if len(c.cells) > 0 {
		return fmt.Errorf("the paths of %d of %d cells are not in %s, from which the rule %s chooses: they are there once a run with keep.%s: true has ended", len(c.cells), len(cells), path, rule, of.Table)
	}
	return nil
}

func (c *chooser) choose() {
	if cell := c.cells[c.id]; cell != nil {
		c.curve.Higher = cell.Metric.Of().Higher
		if point, value := c.rule.Choose(&c.curve); point >= 0 {
			for _, s := range cell.Samples {
				s.BestValidation, s.Score[analysis.TestAtBestValidation], s.Step[0] = value*s.Unit, c.test[point]*s.Unit, c.curve.Ages[point]
			}
		}
		delete(c.cells, c.id)
	}
	c.curve, c.test = choice.Curve{}, nil
}

func (c *chooser) add(v []*experiment.Vector, row int) {
	float := func(j int) float64 { return v[j].Float(row, math.NaN()) }
	c.curve.Add(float(1), float(3), float(4), v[5].Texts[row] == analysis.EventStart, v[6].Texts[row] == selfpaced.Layout.Path.Down)
	c.test = append(c.test, float(2))
}
