package selfpaced

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/metric"
)

type plannedData struct {
	*experiment.PlannedData

	train, test int // rows in one sweep; train without validation
	features    []string
	otherTask   string // how to get the other task
	gaps        bool   // has missing values
	split       dataset.Split
	fixed       bool // nothing of the split is drawn
	metric      metric.Name
}

// columns replaces the constraint's feature names, checked by the planner, by indices.
func (d *plannedData) columns(m *Models) *Models {
	for i, c := range m.Constraint.Choices {
		if !c.Info.Columns {
			continue
		}
		word, err := resolve(c.Values[0].Word, d.features)
		if err != nil {
			continue
		}
		c.Values = []gridfile.Setting{{Name: c.Info.Name, Word: word}}
		resolved := *m
		resolved.Constraint.Choices = slices.Clone(m.Constraint.Choices)
		resolved.Constraint.Choices[i] = c
		return &resolved
	}
	return m
}

var planDimensions = []experiment.DimensionName{
	{Name: "dataset"}, {Name: "noise"}, {Name: "model"}, {Name: "regularizer"}, {Name: "method"},
	{Name: "protocol", Varying: true}, {Name: "split", Varying: true}, {Name: "scale", Varying: true}, {Name: "intercept", Varying: true},
	{Name: "choice", Varying: true},
}

func (g *group) Part() (data, method string) { return g.data.Name, g.method.name }

func (g *group) Needs() []experiment.Need {
	m := g.models
	return needs(g.method.need(), g.method.ages(g.age), g.choice, g.metric, m.Name, m.Loss.Name, m.Constraint.Name, g.regularizer.Name, g.preparation, g.noise...)
}

// steps is the number of ages at the given distance.
func (g *group) steps(step float64) float64 {
	if g.age.Auto != 0 {
		return autoAges
	}
	return math.Floor((g.age.Max-g.age.Min)/step) + 1
}

func (g *group) Seconds() float64 { return estimate(g) }

// Bytes is that of the settings of the method that need most.
func (g *group) Bytes() int64 {
	c := combination{values: g.dimensions().at(0)}
	cell := Cell{Settings: g.preparation, Choice: g.choice}
	cell.Model, cell.Method = g.cell(&c)
	n, d, validation := int64(g.data.train), int64(g.data.D), g.preparation.Split.Validation
	others := int64(g.data.test) + int64(float64(n)*validation/(1-validation))
	var most int64
	for i := range g.settings.Count() {
		cell.Method.Settings = g.settings.At(i)
		most = max(most, cell.bytes(n, d, others))
	}
	return processBytes + 8*int64(g.data.N)*(d+1) + collected*most
}

func (g *group) Most() float64 { return float64(len(g.noise)) * g.dimensions().most() }

func (g *group) Slices() []experiment.Slice {
	list, split := make([]experiment.Slice, len(g.noise)), g.preparation.Split
	for i, cells := range g.count() {
		noise := "none"
		if n := g.noise[i]; n.Kind != "" {
			noise = fmt.Sprintf("%s %g", n.Kind, n.Level)
		}
		list[i] = experiment.Slice{Cells: cells, Values: []string{
			g.data.Name, noise, cmp.Or(g.models.words(), "none"), cmp.Or(g.regularizer.Name, "none"), g.method.name,
			string(g.preparation.Protocol), fmt.Sprintf("%g:%g, validation %g", split.Train, split.Test, split.Validation),
			strings.TrimSuffix(fmt.Sprintf("%s, target %s", g.preparation.Features, g.preparation.Target), ", target "),
			g.intercept(), g.choice.words(split),
		}}
	}
	return list
}

// intercept is "" if the method has its own model or none.
func (g *group) intercept() string {
	if g.method.ownModel || g.method.everywhere {
		return ""
	}
	return strconv.FormatBool(g.models.Intercept)
}

type plannedCell struct {
	Cell
	group *group
}

func (g *group) Cells(repeats []experiment.Repeat) iter.Seq[experiment.Cell] {
	return func(yield func(experiment.Cell) bool) {
		cell := &plannedCell{group: g, Cell: Cell{
			Data:     CellData{Digest: g.data.Digest, Task: g.data.Task, Name: g.data.Name},
			Settings: g.preparation, Choice: g.choice, Metric: g.metric,
		}}
		for c := range g.all() {
			cell.Settings.Noise = c.noise
			cell.Model, cell.Method = g.cell(&c)
			for _, r := range repeats {
				cell.Repeat, cell.Seed = r.Number, r.Seed
				if !yield(cell) {
					return
				}
			}
		}
	}
}

func (c *plannedCell) Label(labels *experiment.Batch) error { return labelFields.Append(labels, c) }

// Digest is that of the cells whatever the order of their values: the canonical form of the cell with
// the first of each, all values, and the noise.
func (g *group) Digest() string {
	if g.method.everywhere {
		return ""
	}
	var first combination
	var values [len(first.values)][][]gridfile.Setting
	for k, choices := range g.dimensions() {
		values[k] = choices.Sorted()
		for j, list := range values[k] {
			first.values[k][j] = list[0]
		}
	}
	cell := Cell{Data: CellData{Digest: g.data.Digest, Task: g.data.Task}, Settings: g.preparation, Choice: g.choice, Metric: g.metric}
	cell.Model, cell.Method = g.cell(&first)
	kinds := map[string][]float64{} // encoded in the order of its keys
	for _, noise := range g.noise {
		key := noise.Kind
		if version := noiseVersion(key); version > 0 {
			key = fmt.Sprintf("%s %d", key, version)
		}
		kinds[key] = append(kinds[key], noise.Level)
	}
	for _, levels := range kinds {
		slices.Sort(levels)
	}
	return experiment.Identity(gridfile.JSON([]any{string(cell.Canonical()), values, kinds}))
}
