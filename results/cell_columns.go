package results

import (
	"fmt"
	"math"
	"strings"

	"github.com/agepath/agepath/experiment"
)

// cellColumns are the columns that a table of scores is made of, found by
// name.
type cellColumns struct {
	dimensions [dimensions]*experiment.Vector
	numeric    [dimensions]bool
	scores     [Optimism]*experiment.Vector
	method     *experiment.Vector
	status     *experiment.Vector
	metric     *experiment.Vector
	repeat     *experiment.Vector
	texts      map[string]string // one copy of each text, apart from the table's memory
}

func newCellColumns(cells *Frame) (*cellColumns, error) {
	c := &cellColumns{texts: map[string]string{}}
	var err error
	find := func(name string, t experiment.Type) *experiment.Vector {
		vector, problem := cells.Column(name, t)
		if err == nil {
			err = problem
		}
		return vector
	}
	for d, name := range dimensionColumns {
		t := experiment.Text
		if j := cells.Index(name); j >= 0 && cells.Columns[j].Type == experiment.Float {
			t, c.numeric[d] = experiment.Float, true
		}
		c.dimensions[d] = find(name, t)
	}
	for s, name := range selectionColumns {
		c.scores[s] = find(name, experiment.Float)
	}
	c.method = find("method", experiment.Text)
	c.status = find("status", experiment.Text)
	c.metric = find("metric", experiment.Text)
	c.repeat = find("repeat", experiment.Int)
	if err != nil {
		return nil, fmt.Errorf("table of cells: %w", err)
	}
	return c, nil
}

// setting returns the setting of a cell.
func (c *cellColumns) setting(row int) Setting {
	var s Setting
	for d, vector := range c.dimensions {
		switch {
		case vector.IsNull(row):
		case c.numeric[d]:
			s[d] = Value{Number: vector.Floats[row], IsNumber: true}
		default:
			s[d] = Value{Text: c.text(vector, row)}
		}
	}
	return s
}

// text returns a text that does not keep the table's memory alive.
func (c *cellColumns) text(vector *experiment.Vector, row int) string {
	shared := vector.Texts[row]
	own, ok := c.texts[shared]
	if !ok {
		own = strings.Clone(shared)
		c.texts[own] = own
	}
	return own
}

// sample returns the scores of a cell, NaN where there is none, and its
// metric, "" where there is none.
func (c *cellColumns) sample(row int) (RepeatScore, Metric) {
	r := RepeatScore{
		Repeat: c.repeat.Ints[row],
		row:    row,
		ok:     c.status.Texts[row] == string(experiment.OK),
	}
	for s, vector := range c.scores {
		r.Score[s] = math.NaN()
		if !vector.IsNull(row) {
			r.Score[s] = vector.Floats[row]
		}
	}
	if c.metric.IsNull(row) {
		return r, ""
	}
	return r, Metric(c.text(c.metric, row))
}
