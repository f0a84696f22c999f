package selfpaced

import (
	"iter"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/metric"
)

// group holds the cells of one data set, one entry of the models, one method and one entry of the
// regularizers: all combinations of noise, parameters and repeats.
type group struct {
	data        *plannedData
	preparation dataset.Settings // without noise
	noise       []dataset.Noise
	models      *Models // without what the method ignores
	method      *methodInfo
	settings    gridfile.Choices // the method's own
	regularizer *gridfile.Entry  // or noRegularizer
	age         Age
	choice      Choice
	metric      metric.Name // "" for metric.First
	sweep       int

	// earlier groups may hold some of the same cells, which are expanded there.
	earlier []*group
}

var noRegularizer = &gridfile.Entry{}

// dimensions are the settings of the model, its loss, its constraint, the regularizer and the
// method.
type dimensions [5]gridfile.Choices

type combination struct {
	noise  dataset.Noise
	values [len(dimensions{})]gridfile.Settings
}

func (g *group) dimensions() dimensions {
	m := g.models
	return dimensions{m.Choices, m.Loss.Choices, m.Constraint.Choices, g.regularizer.Choices, g.settings}
}

// most avoids overflow.
func (d dimensions) most() float64 {
	n := 1.0
	for _, c := range d {
		n *= c.Most()
	}
	return n
}

// at returns the i-th combination; the last dimension varies fastest.
func (d dimensions) at(i int) (values [len(dimensions{})]gridfile.Settings) {
	for k := len(d) - 1; k >= 0; k-- {
		n := d[k].Count()
		values[k] = d[k].At(i % n)
		i /= n
	}
	return values
}

// groups returns the sweep's groups for one data set, the constant last. Unusable methods are nil.
func (s *Sweep) groups(data *plannedData, preparation dataset.Settings, methods []*methodInfo, number int) []*group {
	constant := group{
		data: data, preparation: preparation, noise: s.Noise, models: &Models{}, method: &constantMethod, regularizer: noRegularizer,
		age: s.Age.of(data.Task), choice: s.Choice.of(data.Task, preparation.Split), metric: s.metric(data, preparation.Protocol), sweep: number,
	}
	var groups []*group
	for i := range s.Models {
		for k, entry := range s.Methods {
			method := methods[k]
			if method == nil || method.everywhere {
				continue
			}
			models := method.of(data.columns(&s.Models[i]))
			regularizers := []*gridfile.Entry{noRegularizer}
			if method.regularized {
				regularizers = nil
				for k := range s.Regularizers {
					regularizers = append(regularizers, &s.Regularizers[k])
				}
			}
			for _, regularizer := range regularizers {
				g := constant
				g.models, g.method, g.regularizer = models, method, regularizer
				g.settings = entry.Choices.Applying(regularizer.Name)
				groups = append(groups, &g)
			}
		}
	}
	return append(groups, &constant)
}

// metric returns "" for the one that cells had before they stated it.
func (s *Sweep) metric(data *plannedData, protocol dataset.Protocol) metric.Name {
	name := data.metric
	for _, given := range s.Metrics {
		if given.Of().Task == data.Task {
			name = given
		}
	}
	if name == metric.First(data.Task, protocol) {
		return ""
	}
	return name
}

func (g *group) cell(c *combination) (Model, Method) {
	regularizer := Regularizer{Name: g.regularizer.Name, Param: c.values[3][0].Number}
	return g.models.model(c.values[0], c.values[1], c.values[2]), g.method.with(regularizer, g.age, c.values[4])
}

// all yields the combinations that no earlier group has. Noise varies slowest, then the model, the
// regularizer, and the method's settings.
func (g *group) all() iter.Seq[combination] {
	return func(yield func(combination) bool) {
		dimensions := g.dimensions()
		for _, noise := range g.noise {
			for i := range int(dimensions.most()) {
				c := combination{noise, dimensions.at(i)}
				if !slices.ContainsFunc(g.earlier, func(e *group) bool { return e.has(&c) }) && !yield(c) {
					return
				}
			}
		}
	}
}

// has expects a combination of a linked group.
func (g *group) has(c *combination) bool {
	for k, dimension := range g.dimensions() {
		if !dimension.Has(c.values[k]) {
			return false
		}
	}
	return slices.Contains(g.noise, c.noise)
}

// count counts combinations that no earlier group has, by level of noise, and expands only possible
// overlaps.
func (g *group) count() []int64 {
	cells := make([]int64, len(g.noise))
	if len(g.earlier) == 0 {
		for i := range cells {
			cells[i] = int64(g.dimensions().most())
		}
		return cells
	}
	for c := range g.all() {
		cells[slices.Index(g.noise, c.noise)]++
	}
	return cells
}

// family has the labels of cells except noise and parameters. Groups of one family can share cells,
// or have cells that look the same in the results.
func (g *group) family() string {
	m, s := g.models, &g.preparation
	return string(gridfile.JSON([]any{
		g.data.Name, m.Name, m.Kernel, m.Loss.Name, m.Constraint.Name, g.method.name, g.regularizer.Name,
		g.data.train, g.data.test, s.Protocol, s.Split, s.Features, s.Target, m.Intercept, g.method.ages(g.age), g.choice,
	}))
}

func (g *group) overlaps(other *group) bool {
	others := other.dimensions()
	for k, dimension := range g.dimensions() {
		if !dimension.Overlaps(others[k]) {
			return false
		}
	}
	return gridfile.Intersect(g.noise, other.noise)
}

// link finds the earlier groups that share cells. Groups whose cells differ but would look the same
// in the results are a problem: all rows of a data set are requested, and the same number drawn.
func link(groups []*group, sweeps []Sweep, p *experiment.Planner) {
	families := map[string][]*group{}
	for _, g := range groups {
		key := g.family()
		for _, other := range families[key] {
			if !g.overlaps(other) {
				continue
			}
			if g.method.everywhere || canonical(g.preparation) == canonical(other.preparation) {
				g.earlier = append(g.earlier, other)
				continue
			}
			p.Problem(sweeps[g.sweep].place, "some cells cannot be told apart from those of %s in the results (data set %s): rows: %d is the whole data set; drop one of the two",
				sweeps[other.sweep].place.Name(), g.data.Name, g.data.N)
		}
		families[key] = append(families[key], g)
	}
}
