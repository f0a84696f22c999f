package experiment

import (
	"iter"
	"slices"

	"github.com/agepath/agepath/experiment/dataset"
)

// group is the cells of one data set, one entry of the models, one method and
// one entry of the regularizers: all combinations of noise, parameters and
// repeats. A grid is a short list of groups, whatever the number of its cells.
type group struct {
	data         *PlannedData
	preparation  dataset.Settings // without noise
	noise        []dataset.Noise
	models       *Models // without what the method ignores
	method       *methodInfo
	settings     choices       // of the method's own settings
	regularizers *Regularizers // noRegularizers for methods without one
	age          Age
	cost         float64 // estimated seconds of each cell
	sweep        int

	// earlier are the groups before this one that may hold some of its cells,
	// which are then expanded there.
	earlier []*group
}

// noRegularizers stands in for the entry of a method that has none.
var noRegularizers = &Regularizers{}

// combination is a cell without its repeat.
type combination struct {
	noise  dataset.Noise
	model  Model
	method Method
}

// groups returns the sweep's groups for one of its data sets.
func (s *Sweep) groups(data *PlannedData, preparation dataset.Settings, number int) []*group {
	var groups []*group
	for i := range s.Models {
		for j := range s.Methods {
			method := lookupMethod(s.Methods[j].Name)
			g := group{
				data: data, preparation: preparation, noise: s.Noise, models: method.of(data.columns(&s.Models[i])),
				method: method, settings: s.Methods[j].choicesFor(data.Task, ""),
				regularizers: noRegularizers, age: s.Age, sweep: number,
			}
			if !method.regularized {
				groups = append(groups, &g)
				continue
			}
			for k := range s.Regularizers {
				one := g
				one.regularizers = &s.Regularizers[k]
				one.settings = s.Methods[j].choicesFor(data.Task, one.regularizers.Name)
				groups = append(groups, &one)
			}
		}
	}
	return groups
}

// all yields every combination of the group: noise varies slowest, then the
// model, then the regularizer, and the method's settings fastest.
func (g *group) all() iter.Seq[combination] {
	return func(yield func(combination) bool) {
		for _, noise := range g.noise {
			for i := range g.models.Count() {
				model := g.models.At(i)
				for j := range g.parameters() {
					if !yield(combination{noise, model, g.methodAt(j)}) {
						return
					}
				}
			}
		}
	}
}

// size returns the number of combinations at one level of noise.
func (g *group) size() int64 { return int64(g.models.Count()) * int64(g.parameters()) }

// parameters returns the number of combinations of regularizers and settings.
func (g *group) parameters() int { return g.regularizers.Count() * g.settings.count() }

// methodAt returns the method with the i-th of these combinations.
func (g *group) methodAt(i int) Method {
	n := g.settings.count()
	return g.method.with(g.regularizers.At(i/n), g.age, g.settings.at(i%n))
}

// fresh yields the combinations that no earlier group has.
func (g *group) fresh() iter.Seq[combination] {
	if len(g.earlier) == 0 {
		return g.all()
	}
	return func(yield func(combination) bool) {
		for c := range g.all() {
			if !slices.ContainsFunc(g.earlier, func(e *group) bool { return e.has(c) }) && !yield(c) {
				return
			}
		}
	}
}

// has reports whether the group holds a combination whose data, settings,
// kind of model, method and ages are those of the group.
func (g *group) has(c combination) bool {
	return slices.Contains(g.noise, c.noise) &&
		(len(g.models.Strengths) == 0 || slices.Contains(g.models.Strengths, c.model.Alpha+c.model.C)) && // one of them is 0
		(len(g.models.Ratios) == 0 || slices.Contains(g.models.Ratios, c.model.L1Ratio)) &&
		(len(g.models.Gammas) == 0 || slices.Contains(g.models.Gammas, c.model.KernelGamma)) &&
		g.models.LossChoices.has(c.model.Loss.Settings) && g.models.ConstraintChoices.has(c.model.Constraint.Settings) &&
		(len(g.regularizers.Params) == 0 || slices.Contains(g.regularizers.Params, c.method.Regularizer.Param)) &&
		g.settings.has(c.method.Settings)
}

// counts returns the number of fresh combinations at each level of noise. It
// expands only what may overlap with another group.
func (g *group) counts() []int64 {
	counts := make([]int64, len(g.noise))
	if len(g.earlier) == 0 {
		for i := range counts {
			counts[i] = g.size()
		}
		return counts
	}
	index := make(map[dataset.Noise]int, len(g.noise))
	for i, noise := range g.noise {
		index[noise] = i
	}
	for c := range g.fresh() {
		counts[index[c.noise]]++
	}
	return counts
}

// family is what two groups share whose cells could be the same or could look
// the same in the results.
type family struct{ data, model, kernel, loss, constraint, method, regularizer string }

func (g *group) family() family {
	m := g.models
	return family{g.data.Name, m.Name, m.Kernel, m.Loss, m.Constraint, g.method.name, g.regularizers.Name}
}

// overlaps reports whether two groups of a family have parameters in common.
func (g *group) overlaps(other *group) bool {
	return intersect(g.noise, other.noise) &&
		(len(g.models.Strengths) == 0 || intersect(g.models.Strengths, other.models.Strengths)) &&
		(len(g.models.Ratios) == 0 || intersect(g.models.Ratios, other.models.Ratios)) &&
		(len(g.models.Gammas) == 0 || intersect(g.models.Gammas, other.models.Gammas)) &&
		g.models.LossChoices.overlaps(other.models.LossChoices) && g.models.ConstraintChoices.overlaps(other.models.ConstraintChoices) &&
		(len(g.regularizers.Params) == 0 || intersect(g.regularizers.Params, other.regularizers.Params)) &&
		g.settings.overlaps(other.settings)
}

func intersect[T comparable](a, b []T) bool {
	if len(a) > 0 && len(b) > 0 && &a[0] == &b[0] {
		return true
	}
	set := make(map[T]bool, len(a))
	for _, x := range a {
		set[x] = true
	}
	return slices.ContainsFunc(b, func(x T) bool { return set[x] })
}

// sameHidden reports whether two groups of a family agree in what the labels
// of a cell do not show.
func (g *group) sameHidden(other *group) bool {
	return canonical(g.preparation) == canonical(other.preparation) &&
		g.models.Intercept == other.models.Intercept &&
		g.method.with(Regularizer{}, g.age, Settings{}) == other.method.with(Regularizer{}, other.age, Settings{})
}

// link finds for each group the earlier ones that share cells with it. Two
// groups whose cells differ but would look the same in the results are a
// problem.
func link(groups []*group, sweeps []Sweep, problems *Problems) {
	families := map[family][]*group{}
	for _, g := range groups {
		key := g.family()
		for _, other := range families[key] {
			if same := g.sameHidden(other); !same && !g.looksLike(other) || !g.overlaps(other) {
				continue
			} else if same {
				g.earlier = append(g.earlier, other)
				continue
			}
			at := sweeps[g.sweep].place
			if g.sweep == other.sweep {
				at = g.models.place
			}
			problems.add(at.problem("some cells would look like those of %s in the results (data set %s): they differ only in scale, protocol or intercept, which are no columns there; put them into two grids",
				sweeps[other.sweep].place.name(), g.data.Name))
		}
		families[key] = append(families[key], g)
	}
}

// looksLike reports whether two groups of a family have the same labels apart
// from their parameters.
func (g *group) looksLike(other *group) bool {
	return g.data.train == other.data.train && g.data.test == other.data.test &&
		g.method.ages(g.age) == other.method.ages(other.age)
}
