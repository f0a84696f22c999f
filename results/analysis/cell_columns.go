package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
)

type cellColumns struct {
	schema         *schema
	dimensions     []*experiment.Vector
	numeric        []bool
	scores         [SelectionBias]*experiment.Vector
	bestValidation *experiment.Vector
	steps          [9]*experiment.Vector // as [RepeatScore.Step], [layout.Step.Ends] and [layout.Layout.Split]
	path           [2]*experiment.Vector // points of the path, and those with their own model
	seconds        [2]*experiment.Vector
	unit           *experiment.Vector
	far            *experiment.Vector
	without        [len(metric.Shares)]*experiment.Vector // as [RepeatScore.Without]
	method         *experiment.Vector
	params         *experiment.Vector
	status         *experiment.Vector
	metric         *experiment.Vector
	repeat         *experiment.Vector
	cell           *experiment.Vector
	rows           int
	keys           map[[2]string]string // exactMethod by method and settings
	texts          map[string]string    // shared copies, outside the batch's memory
}

// unitColumn has the unit of the scaled target.
const unitColumn = "target_scale"

const farColumn = "test_outliers"

// timeColumns has the decisive time first.
var timeColumns = [2]string{"cpu_seconds", "wall_seconds"}

func newCellColumns(schema *schema, cells *results.Frame, texts map[string]string) (*cellColumns, error) {
	n := len(schema.Dimensions)
	c := &cellColumns{
		schema: schema, dimensions: make([]*experiment.Vector, n), numeric: make([]bool, n),
		keys: map[[2]string]string{}, texts: texts, rows: cells.Rows(),
	}
	var err error
	find := func(name string, t experiment.Type) *experiment.Vector {
		if !schema.has(name) {
			return nil
		}
		vector, problem := cells.Column(name, t)
		if err == nil {
			err = problem
		}
		return vector
	}
	for d, name := range schema.Columns() {
		t := experiment.Text
		if j := cells.Index(name); j >= 0 && cells.Columns[j].Type != experiment.Text {
			t, c.numeric[d] = cells.Columns[j].Type, true
		}
		c.dimensions[d] = find(name, t)
	}
	for s, name := range ScoreColumns {
		c.scores[s] = find(name, experiment.Float)
	}
	c.bestValidation = find("best_validation", experiment.Float)
	for i, name := range schema.stepColumns() {
		for _, column := range schema.there(name) {
			c.steps[i] = find(name, column.Type)
		}
	}
	c.path = [2]*experiment.Vector{find(schema.pathColumn(0), experiment.Int), find(schema.pathColumn(1), experiment.Int)}
	for i, name := range timeColumns {
		c.seconds[i] = find(name, experiment.Float)
	}
	c.unit = find(unitColumn, experiment.Float)
	c.far = find(farColumn, experiment.Float)
	for k, name := range metric.WithoutColumns() {
		c.without[k] = find(name, experiment.Float)
	}
	c.method = find("method", experiment.Text)
	c.params = find("method_params", experiment.Text)
	c.status = find("status", experiment.Text)
	c.metric = find("metric", experiment.Text)
	c.repeat = find("repeat", experiment.Int)
	c.cell = find("cell", experiment.Text)
	if err != nil {
		return nil, fmt.Errorf("table of cells: %w", err)
	}
	return c, nil
}

// isNull is true for a column that the kind lacks.
func isNull(vector *experiment.Vector, row int) bool { return vector == nil || vector.IsNull(row) }

// number is NaN for null and for a column that the kind lacks.
func number(vector *experiment.Vector, row int) float64 {
	switch {
	case isNull(vector, row):
		return math.NaN()
	case len(vector.Ints) > 0:
		return float64(vector.Ints[row])
	}
	return vector.Floats[row]
}

func (c *cellColumns) setting(row int) layout.Setting {
	var s layout.Setting
	for d, vector := range c.dimensions {
		switch {
		case vector.IsNull(row):
		case len(vector.Ints) > 0:
			s[d] = layout.Value{Number: float64(vector.Ints[row]), IsNumber: true}
		case c.numeric[d] && math.IsNaN(vector.Floats[row]): // NaN does not distinguish settings
		case c.numeric[d]:
			s[d] = layout.Value{Number: vector.Floats[row], IsNumber: true}
		default:
			s[d] = layout.Value{Text: c.text(vector, row)}
		}
	}
	if c.schema.Complete != nil {
		c.schema.Complete(&s)
	}
	return s
}

// methodKey returns the method with its settings, numbers rounded.
func (c *cellColumns) methodKey(row int) string { return shortMethod(c.exactMethod(row)) }

func (c *cellColumns) exactMethod(row int) string {
	method := c.text(c.method, row)
	if isNull(c.params, row) {
		return method
	}
	at := [2]string{method, c.params.Texts[row]}
	key, ok := c.keys[at]
	if !ok {
		key = method + " " + SettingsText(at[1])
		c.keys[at] = key
	}
	return key
}

// text lets the batch's memory be freed.
func (c *cellColumns) text(vector *experiment.Vector, row int) string {
	shared := vector.Texts[row]
	own, ok := c.texts[shared]
	if !ok {
		own = strings.Clone(shared)
		c.texts[own] = own
	}
	return own
}

// sample returns scores of the scaled target.
func (c *cellColumns) sample(row int) (RepeatScore, Metric, error) {
	r := RepeatScore{Unit: 1, Repeat: c.repeat.Ints[row], Status: experiment.Status(c.text(c.status, row))}
	var err error
	if r.Cell, err = results.ParseCell(c.cell.Texts[row]); err != nil {
		return r, "", err
	}
	ofWhole := func(vector *experiment.Vector) float64 {
		if !r.Whole() {
			return math.NaN()
		}
		return number(vector, row)
	}
	for s, vector := range c.scores {
		r.Score[s] = ofWhole(vector)
	}
	r.BestValidation = ofWhole(c.bestValidation)
	for i := range r.Step {
		r.Step[i] = ofWhole(c.steps[i])
	}
	for i := 3; i < 7; i += 2 {
		switch last := number(c.steps[i+1], row); {
		case r.Step[0] == number(c.steps[i], row) && r.Step[2] > 0 && r.Step[2] >= r.Step[0]:
			r.AtEnd = -1
		case r.Step[0] == last && r.Step[2] > 0 && r.Step[2] >= last:
			r.AtEnd = 1
		}
	}
	if !isNull(c.path[0], row) && !isNull(c.path[1], row) {
		r.Points, r.Fits = c.path[0].Ints[row], c.path[1].Ints[row]
	}
	if train := number(c.steps[8], row); train > 0 {
		r.Ratio = number(c.steps[7], row) / train
	}
	for i, vector := range c.seconds {
		r.Seconds[i] = number(vector, row)
	}
	r.Far = ofWhole(c.far)
	for k, vector := range c.without {
		r.Without[k] = number(vector, row)
	}
	if c.metric.IsNull(row) {
		return r, "", nil
	}
	return r, Metric(c.text(c.metric, row)), nil
}

type schema struct {
	*layout.Layout

	columns []experiment.Column
}

func schemaOf(kind *experiment.Registration) *schema {
	return &schema{Layout: kind.Layout, columns: kind.Tables().Cells().Columns}
}

func (s *schema) has(column string) bool { return len(s.there(column)) > 0 }

// pathColumn returns the measure that counts the points of a path (0) or those with their own model
// (1); "" for kinds without.
func (s *schema) pathColumn(i int) string {
	if s.Path == nil {
		return ""
	}
	return [...]string{s.Path.Points, s.Path.Fits}[i]
}

func (s *schema) there(names ...string) (columns []experiment.Column) {
	for _, name := range names {
		if j := slices.IndexFunc(s.columns, func(c experiment.Column) bool { return c.Name == name }); j >= 0 {
			columns = append(columns, s.columns[j])
		}
	}
	return columns
}

// stepColumns are in the order of cellColumns.steps.
func (s *schema) stepColumns() []string {
	return slices.Concat([]string{s.Step.Chosen, s.Step.Oracle, s.Step.LastOut}, s.Step.Ends[:], s.Split[:])
}

func (s *schema) scored() (has [scores]bool) {
	for score, column := range ScoreColumns {
		has[score] = s.has(column)
	}
	has[SelectionBias] = has[TestAtBestValidation] && has[TestAtBestTest]
	return has
}

func (s *schema) cellColumns() []experiment.Column {
	return s.there(slices.Concat(s.Columns(), ScoreColumns, s.stepColumns(), timeColumns[:],
		[]string{"method", "method_params", "best_validation", unitColumn, farColumn, s.pathColumn(0), s.pathColumn(1), "repeat", "status", "metric", "cell"}, metric.WithoutColumns())...)
}
